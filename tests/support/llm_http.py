"""HTTP/1.1 for the tests' language-model server: keep-alive, Content-Length, and breaches of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from math import ceil

from tests.support.llm_script import Action

STEP = 0.02
"""Seconds between two pieces of a response that trickles."""

End = Callable[[str], None]
Handle = Callable[[str, str, dict[str, str], bytes], tuple[Action, End]]
"""(method, path, headers with names in lower case, body) to what to do and whom to tell the end:
`answered`, `dropped` by the server or `aborted` by the client."""


class Connection(asyncio.Protocol):
    """One connection: a request at a time, the next one after the response."""

    transport: asyncio.Transport

    def __init__(self, handle: Handle, all_open: set[Connection]) -> None:
        self._handle = handle
        self._all_open = all_open
        self._buffer = bytearray()
        self._end: End | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._all_open.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._all_open.discard(self)
        if self._timer is not None:
            self._timer.cancel()
        self._ended("aborted")

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._end is None:
            self._take()

    def drop(self) -> None:
        """Close, whatever is on the way."""
        self._ended("dropped")
        self.transport.abort()

    def _ended(self, how: str) -> None:
        if self._end is not None:
            self._end(how)
            self._end = None

    def _take(self) -> None:
        """Take the next request from the buffer, if it is there as a whole."""
        head, mark, _ = self._buffer.partition(b"\r\n\r\n")
        if not mark:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        start = len(head) + len(mark)
        end = start + int(headers.get("content-length", 0))
        if len(self._buffer) < end:
            return
        body = bytes(self._buffer[start:end])
        del self._buffer[:end]
        method, path, _ = first.split(" ")
        action, self._end = self._handle(method, path, headers, body)
        self._later(action.after, lambda: self._respond(action))

    def _later(self, seconds: float, step: Callable[[], None]) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, step)

    def _respond(self, action: Action) -> None:
        headers = {"Content-Type": "application/json", **dict(action.headers)}
        lines = [
            f"HTTP/1.1 {action.status} {HTTPStatus(action.status).phrase}",
            *(f"{name}: {value}" for name, value in headers.items()),
            f"Content-Length: {len(action.body)}",
        ]
        data = "\r\n".join((*lines, "", "")).encode() + action.body
        if action.cut is not None:
            data = data[: int(len(data) * action.cut)]
        size = ceil(len(data) * STEP / action.over) if action.over > STEP else len(data)
        self._write(data, size, action.cut is not None)

    def _write(self, data: bytes, size: int, drop: bool) -> None:
        """Write `size` bytes now and the rest in steps; at the end take the next request."""
        last = len(data) <= size
        if last:  # before the client has it: what it does next comes after
            self._ended("dropped" if drop else "answered")
        self.transport.write(data[:size])
        if not last:
            self._later(STEP, lambda: self._write(data[size:], size, drop))
        elif drop:
            self.transport.close()
        else:
            self._take()
