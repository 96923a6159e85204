"""Any server that speaks OpenAI's chat API: retries, balance over servers, circuit breaker.

The request is a POST of JSON, sent through aiohttp: the openai client on the same transport
would take four times the CPU for it, more than all the rest of a row.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from pydantic_core import from_json, to_json

from gen.base.chat.backend import Answer, Request, RequestFailedError
from gen.base.chat.endpoints import ClientPolicy, Deadline, Endpoint, Endpoints
from gen.base.chat.faults import FaultError, Remedy, fault_of
from gen.base.chat.retry import Retries

POLICY = ClientPolicy()
"""Of a backend that is given none."""
FIXES = {
    "key": "set OPENAI_API_KEY to a key that the server takes",
    "not_found": "check --base-url (it ends in /v1) and the model's name",
}
"""What to do where no request can succeed, by the reason."""
MISSING = "asking a server needs aiohttp; pip install 'saber-toolkit[llm]'"


class OpenAIBackend:
    """Chat completions with a JSON schema, from one or several servers of one model."""

    def __init__(
        self,
        model: str,
        urls: Sequence[str],
        sampling: Mapping[str, Any],
        timeout: float,
        policy: ClientPolicy | None = None,
    ) -> None:
        """Set the connections up; nothing is sent before the first request.

        Args:
            model: Its name, as the servers know it.
            urls: Where they are; without any it is OpenAI's own API, or what OPENAI_BASE_URL says.
            sampling: Fields of each request: `max_tokens`, `temperature`, ...
            timeout: Seconds that an answer may take at most.
            policy: What else bounds the waiting (default: `POLICY`).

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
        self._aiohttp, self._key = aiohttp, key
        self._policy = policy or POLICY
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=30.0),  # the sweep bounds it
            headers={
                "Authorization": f"Bearer {key or 'none'}",
                "Content-Type": "application/json",
            },
        )
        bases = urls or (os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1"),)
        self._endpoints = Endpoints([f"{url.rstrip('/')}/" for url in bases], self._policy)
        self._proxies = {one.url: _proxy(one.url) for one in self._endpoints.all}
        self._deadline = Deadline(timeout, self._policy)
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
            "response_format": request.response_format,
            **self._sampling,
        }
        data = to_json(body)
        faults: Counter[str] = Counter()
        retries = Retries(self._policy.retry)
        while True:
            endpoint = await self._endpoints.pick()
            started = time.monotonic()
            try:
                with endpoint.serving():
                    content = await self._post(
                        endpoint, request.id, data, faults["request_timeout"]
                    )
                seconds = time.monotonic() - started
                answer = _answer(content, seconds, faults)
            except FaultError as fault:
                fault.hide(self._key)
                away = fault.remedy is Remedy.UNAVAILABLE
                if away:
                    endpoint.unavailable(fault.said, time.monotonic())
                elif fault.remedy is Remedy.REDRAW:  # the same words would be refused again
                    fault.reason, fault.remedy = "request_refused", Remedy.GIVE_UP
                faults[fault.reason] += 1
                wait = retries.pause(fault, counted=not away or endpoint.last_answer > started)
                if wait is None:
                    raise _last(fault, endpoint.url, faults) from None
                await asyncio.sleep(wait)
                continue
            endpoint.answered(time.monotonic())
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
            FaultError: there was no response, or one with another status than 200.
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
            remedy = Remedy.UNAVAILABLE if away else Remedy.RETRY
            raise FaultError("request_dropped", said, remedy) from None
        except TimeoutError:
            raise FaultError("request_timeout", "no answer in time", Remedy.RETRY) from None
        if response.status != 200:
            raise fault_of(response.status, content, response.headers)
        return content

    async def _sweep(self) -> None:
        """End requests that take too long: how long that is changes while they run."""
        while True:
            await asyncio.sleep(self._policy.sweep)
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


def _last(fault: FaultError, url: str, faults: Counter[str]) -> Exception:
    """The error of a request that is not sent again."""
    if fault.reason in FIXES:
        return ValueError(f"{url}: {fault.said}; {FIXES[fault.reason]}")
    if fault.remedy is Remedy.STOP:
        return ConnectionError(f"{url}: {fault.said}")
    if fault.remedy is Remedy.WAIT:
        return ConnectionError(f"{url}: {fault.said}, too often")
    return RequestFailedError(fault.reason, fault.said, faults)


def _answer(content: bytes, seconds: float, faults: Counter[str]) -> Answer:
    """The answer in a response body.

    Raises:
        FaultError: for a body that is no chat completion.
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
        raise FaultError(
            "request_garbled", "a response that is no chat completion", Remedy.RETRY
        ) from None
