"""Any server that speaks OpenAI's chat API: retries, balance over servers, circuit breaker.

The request is a POST of JSON, sent through aiohttp: the openai client on the same transport
would take four times the CPU for it, more than all the rest of a row.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from pydantic_core import from_json, to_json

from gen.base.chat.backend import Answer, Request, RequestFailedError
from gen.base.chat.endpoints import Deadline, Endpoint, Endpoints

TRIES = 5
"""Failures of one request, while others succeed, after which it is given up."""
BACKOFF, LONGEST_BACKOFF = 0.5, 30.0
"""Seconds before the first retry, doubled for each further one, and at most; with jitter."""
THROTTLED = 900.0
"""Seconds that one request waits, all 429s together, before the run stops."""
SWEEP = 0.1
"""Seconds between looks for requests that take too long."""
MISSING = "asking a server needs aiohttp; pip install 'saber-toolkit[llm]'"

_UNAVAILABLE = {502, 503, 504, 529}


@dataclass(eq=False)
class _FailureError(Exception):
    """A request that can be tried again."""

    reason: str
    said: str
    server: bool = False
    """Whether it says that the server is unavailable, rather than something of the request."""
    wait: float | None = None
    """Seconds that the server asks to wait."""


class OpenAIBackend:
    """Chat completions with a JSON schema, from one or several servers of one model."""

    def __init__(
        self, model: str, urls: Sequence[str], sampling: Mapping[str, Any], timeout: float
    ) -> None:
        """Set the connections up; nothing is sent before the first request.

        Without `urls` it is OpenAI's own API, or what OPENAI_BASE_URL says.

        Raises:
            ValueError: aiohttp is not installed, or no key is set for OpenAI's own API.
        """
        try:
            import aiohttp
        except ImportError:
            raise ValueError(MISSING) from None
        key = os.environ.get("OPENAI_API_KEY", "").strip()  # a shell may read it from a file
        if not key and not urls:
            raise ValueError("no --base-url and no OPENAI_API_KEY; set one of them")
        self._aiohttp = aiohttp
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=30.0),  # the sweep bounds it
            headers={
                "Authorization": f"Bearer {key or 'none'}",
                "Content-Type": "application/json",
            },
        )
        bases = urls or (os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1"),)
        self._endpoints = Endpoints([f"{url.rstrip('/')}/" for url in bases])
        self._proxies = {one.url: _proxy(one.url) for one in self._endpoints.all}
        self._deadline = Deadline(timeout)
        self._open: dict[asyncio.Timeout, tuple[float, int]] = {}
        self._sweeper: asyncio.Task[None] | None = None
        self._model, self._sampling = model, dict(sampling)

    async def ask(self, request: Request) -> Answer:
        """See `Backend.ask`."""
        if self._sweeper is None:
            self._sweeper = asyncio.create_task(self._sweep())
        body = {
            "model": self._model,
            "messages": request.messages,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "draft", "strict": True, "schema": request.schema},
            },
            **self._sampling,
        }
        data = to_json(body)
        faults: Counter[str] = Counter()
        tries, throttled = 0, 0.0
        while True:
            endpoint = await self._endpoints.pick()
            started = time.monotonic()
            try:
                with endpoint.taken():
                    content = await self._post(
                        endpoint, request.id, data, faults["request_timeout"]
                    )
                seconds = time.monotonic() - started
                answer = _answer(content, seconds, faults)
            except _FailureError as failure:
                faults[failure.reason] += 1
                said = failure.said
                if failure.server:
                    endpoint.unavailable(said)
                wait = failure.wait
                if wait is None:
                    again = tries + max(faults["request_throttled"] - 1, 0)
                    wait = min(BACKOFF * 2**again, LONGEST_BACKOFF) * random.uniform(0.5, 1.5)
                if failure.reason == "request_throttled":
                    throttled += wait
                    if throttled > THROTTLED:
                        raise ConnectionError(f"{endpoint.url}: {said}, too often") from None
                elif not failure.server or endpoint.last_answer > started:
                    tries += 1
                    if tries == TRIES:
                        raise RequestFailedError(failure.reason, said, faults) from None
                await asyncio.sleep(wait)
                continue
            except RequestFailedError as refused:
                refused.faults.update(faults)
                raise
            endpoint.answered()
            self._deadline.answered(started, seconds)
            return answer

    async def close(self) -> None:
        """See `Backend.close`."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        await self._session.close()

    async def _post(self, endpoint: Endpoint, name: str, data: bytes, late: int) -> bytes:
        """One request, which was too late `late` times before; the bytes of the response.

        Raises:
            _FailureError: it may be tried again.
            RequestFailedError: the server refuses this request.
            ValueError: it refuses all of them.
        """
        aiohttp = self._aiohttp
        try:
            async with asyncio.timeout(None) as clock:
                self._open[clock] = (time.monotonic(), late)
                try:
                    async with self._session.post(
                        endpoint.url + "chat/completions",
                        data=data,
                        proxy=self._proxies[endpoint.url],
                        headers={"X-Request-Id": name},
                        allow_redirects=False,
                    ) as response:
                        content = await response.read()
                finally:
                    self._open.pop(clock, None)
        except aiohttp.ClientError as error:
            said = " ".join(str(error).split()) or type(error).__name__
            away = isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)
            raise _FailureError("request_dropped", said, server=away) from None
        except TimeoutError:
            raise _FailureError("request_timeout", "no answer in time") from None
        if response.status != 200:
            raise _status(response.status, content, response.headers, endpoint.url)
        return content

    async def _sweep(self) -> None:
        """End requests that take too long: how long that is changes while they run."""
        while True:
            await asyncio.sleep(SWEEP)
            clocks = list(self._open)
            overdue = self._deadline.overdue(time.monotonic(), self._open.values())
            for clock, late in zip(clocks, overdue, strict=True):
                if late:
                    del self._open[clock]  # on a busy loop it may still be ending at the next look
                    clock.reschedule(asyncio.get_running_loop().time())


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for an address (`https_proxy`, `no_proxy`, ...).

    aiohttp's own `trust_env` would look for a .netrc with each request, in a thread.
    """
    parts = urlsplit(url)
    return None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)


def _status(code: int, content: bytes, headers: Mapping[str, str], url: str) -> Exception:
    """What an HTTP status other than 200 means."""
    try:
        error = from_json(content)["error"]
        text, kind = str(error["message"]), error.get("code")
    except (AttributeError, LookupError, TypeError, ValueError):
        text, kind = content.decode(errors="replace"), None
    said = f"HTTP {code}: {' '.join(text.split())[:300]}"
    if code in (401, 403):
        return ValueError(f"{url}: {said}; set OPENAI_API_KEY to a key that the server takes")
    if code == 404:
        return ValueError(f"{url}: {said}; check --base-url (it ends in /v1) and the model's name")
    if code == 429 and kind == "insufficient_quota":
        return ConnectionError(f"{url}: {said}")
    if code == 429:
        return _FailureError("request_throttled", said, wait=retry_after(headers))
    if code in _UNAVAILABLE:
        wait = retry_after(headers)
        wait = wait and min(wait, LONGEST_BACKOFF)  # another server may take it, and probes tell
        return _FailureError("request_unavailable", said, server=True, wait=wait)
    if code >= 500 or code in (408, 409, 425):
        return _FailureError("request_server_error", said)
    return RequestFailedError("request_refused", said, Counter(request_refused=1))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a response asks to wait: given as such, or as a date."""
    value = headers.get("retry-after", "")
    try:
        if isfinite(seconds := float(value)):
            return max(seconds, 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except ValueError:
        return None


def _answer(content: bytes, seconds: float, faults: Counter[str]) -> Answer:
    """The answer in a response body.

    Raises:
        _FailureError: for a body that is no chat completion.
    """
    try:
        body = from_json(content)
        choice = body["choices"][0]
        message, usage = choice["message"], body.get("usage") or {}
        details = usage.get("prompt_tokens_details") or {}
        refusal = message.get("refusal")
        text = message.get("content") or refusal or ""
        if not isinstance(text, str):
            raise TypeError("a list of parts")
        return Answer(
            text=text,
            finish="refusal" if refusal else str(choice.get("finish_reason")),
            prompt_tokens=int(usage.get("prompt_tokens") or 0),
            cached_tokens=int(details.get("cached_tokens") or 0),
            completion_tokens=int(usage.get("completion_tokens") or 0),
            seconds=seconds,
            faults=faults,
        )
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise _FailureError("request_garbled", "a response that is no chat completion") from None
