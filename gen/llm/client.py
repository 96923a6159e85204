"""Any OpenAI-compatible server, through the openai client: retries, balance, circuit breaker."""

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
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from gen.llm.backend import Answer, Request, RequestFailedError
from gen.llm.endpoints import Deadline, Endpoint, Endpoints

if TYPE_CHECKING:
    import openai

TRIES = 5
"""Failures of one request, while others succeed, after which it is given up."""
BACKOFF, LONGEST_BACKOFF = 0.5, 30.0
"""Seconds before the first retry, doubled for each further one, and at most; with jitter."""
THROTTLED = 900.0
"""Seconds that one request waits, all 429s together, before the run stops."""
SWEEP = 0.1
"""Seconds between looks for requests that take too long."""
MISSING = "the openai client is not installed; pip install 'saber-toolkit[llm]'"

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
        """Set the clients up; nothing is sent before the first request.

        Raises:
            ValueError: the openai client is not installed, or no key is set for OpenAI's own API.
        """
        try:
            import aiohttp
            import httpx2
            import openai
            from openai import AsyncOpenAI, DefaultAioHttpClient
        except ImportError:
            raise ValueError(MISSING) from None
        key = os.environ.get("OPENAI_API_KEY")
        if not key and not urls:
            raise ValueError("no --base-url and no OPENAI_API_KEY; set one of them")
        self._openai, self._httpx = openai, httpx2
        self._unreachable = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
        # 0, not None: with None aiohttp's own bound of 100 would hold.
        limits = httpx2.Limits(max_connections=0, max_keepalive_connections=None)
        wait = httpx2.Timeout(None, connect=30.0)  # the sweep bounds the rest
        self._http = DefaultAioHttpClient(limits=limits, timeout=wait)
        self._clients = [
            AsyncOpenAI(
                api_key=key or "none",
                base_url=url,
                max_retries=0,
                timeout=wait,
                http_client=self._http,
            )
            for url in (urls or (None,))
        ]
        self._endpoints = Endpoints([str(client.base_url) for client in self._clients])
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
        faults: Counter[str] = Counter()
        tries, throttled = 0, 0.0
        while True:
            endpoint = await self._endpoints.pick()
            started = time.monotonic()
            try:
                with endpoint.taken():
                    content = await self._post(
                        endpoint, request.id, body, faults["request_timeout"]
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
                    wait = min(BACKOFF * 2**tries, LONGEST_BACKOFF) * random.uniform(0.5, 1.5)
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
            self._deadline.answered(seconds)
            return answer

    async def close(self) -> None:
        """See `Backend.close`."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        await self._http.aclose()

    async def _post(
        self, endpoint: Endpoint, name: str, body: Mapping[str, Any], late: int
    ) -> bytes:
        """One request, which was too late `late` times before; the bytes of the response.

        Raises:
            _FailureError: it may be tried again.
            RequestFailedError: the server refuses this request.
            ValueError: it refuses all of them.
        """
        client = self._clients[self._endpoints.all.index(endpoint)]
        openai = self._openai
        try:
            async with asyncio.timeout(None) as clock:
                self._open[clock] = (time.monotonic(), late)
                try:
                    # Not chat.completions.create: it would spend twice the CPU on types.
                    response = await client.post(
                        "/chat/completions",
                        cast_to=self._httpx.Response,
                        body=body,
                        options={"headers": {"X-Request-Id": name}},
                    )
                finally:
                    del self._open[clock]
            return bytes(response.content)
        except TimeoutError:
            raise _FailureError("request_timeout", "no answer in time") from None
        except openai.APIStatusError as error:
            raise _status(error, endpoint.url) from None
        except openai.APIConnectionError as error:
            # Two causes down: the transport calls most of what happens a timeout.
            cause = getattr(error.__cause__, "__cause__", None) or error.__cause__ or error
            said = " ".join(str(cause).split()) or type(cause).__name__
            away = isinstance(cause, self._unreachable)
            raise _FailureError("request_dropped", said, server=away) from None

    async def _sweep(self) -> None:
        """End requests that take too long: how long that is changes while they run."""
        while True:
            await asyncio.sleep(SWEEP)
            now, limits = time.monotonic(), [self._deadline.limit(n) for n in range(TRIES)]
            for clock, (started, late) in list(self._open.items()):
                if now - started > limits[late]:
                    clock.reschedule(asyncio.get_running_loop().time())


def _status(error: openai.APIStatusError, url: str) -> Exception:
    """What an HTTP status other than 200 means."""
    code = error.status_code
    text = " ".join(str(error.message).removeprefix(f"Error code: {code} - ").split())[:300]
    said = f"HTTP {code}: {text}"
    if code in (401, 403):
        return ValueError(f"{url}: {said}; set OPENAI_API_KEY to a key that the server takes")
    if code == 404:
        return ValueError(f"{url}: {said}; check --base-url (it ends in /v1) and --model")
    if code == 429 and error.code == "insufficient_quota":
        return ConnectionError(f"{url}: {said}")
    if code == 429:
        return _FailureError("request_throttled", said, wait=_retry_after(error.response.headers))
    if code in _UNAVAILABLE:
        wait = _retry_after(error.response.headers)
        wait = wait and min(wait, LONGEST_BACKOFF)  # another server may take it, and probes tell
        return _FailureError("request_unavailable", said, server=True, wait=wait)
    if code >= 500 or code in (408, 409, 425):
        return _FailureError("request_server_error", said)
    return RequestFailedError("request_refused", said, Counter(request_refused=1))


def _retry_after(headers: Mapping[str, str]) -> float | None:
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
