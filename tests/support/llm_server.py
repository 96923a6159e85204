"""An OpenAI-compatible server that misbehaves on command: `POST /v1/chat/completions`.

    with LlmServer(Drafts()) as server:
        client = AsyncOpenAI(base_url=server.base_url, api_key="none")

In tests it runs in a thread, beside the client that it is to try; in the foreground it is
`python -m tests.support.llm_server`. What it answers is a script (`tests.support.llm_script`).
The honest one is `Drafts`; it finds the plan in the client's header `X-Request-Id:
pair_swap-000012.3`, and for a repair round `pair_swap-000012.3.r1`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import signal
import time
from collections import Counter
from hashlib import blake2b
from threading import Thread
from typing import NamedTuple, Self

from gen.triplets.plan import parse_slot
from tests.support.llm_http import Connection, End
from tests.support.llm_script import (
    Action,
    Drafts,
    Request,
    Script,
    constant,
    delayed,
    faults,
    lognormal,
    status,
)

ID = re.compile(r"(\w+-\d+)\.(\d+)(?:\.r(\d+))?")
ENDINGS = (signal.SIGINT, signal.SIGTERM)


class Entry(NamedTuple):
    """A request that has come to its end."""

    id: str
    arrival: float
    seconds: float
    status: int
    """HTTP status that was or would have been sent."""
    end: str
    """`answered`, `dropped` by the server or `aborted` by the client."""


class LlmServer:
    """A server in a thread of its own. Counts may be read from any thread at any time."""

    def __init__(self, script: Script, port: int = 0) -> None:
        self.script = script
        self.port = port
        """0 until the first start: any free one."""
        self.seen: Counter[str] = Counter()
        """Requests of each id, ended or not."""
        self.entries: list[Entry] = []
        self.other: list[str] = []
        """Requests for anything else than a chat completion: `GET /v1/models`."""
        self.in_flight = 0
        self.peak = 0
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._listening: asyncio.Server | None = None
        self._connections: set[Connection] = set()
        self._before: dict[str, bytes] = {}
        self._failure: Exception | None = None

    @property
    def base_url(self) -> str:
        """What an OpenAI client is to be given."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def ends(self) -> Counter[str]:
        """How many requests ended in which way."""
        return Counter(entry.end for entry in self.entries)

    def counts(self) -> dict[str, float]:
        """What `GET /stats` answers, too."""
        return {
            "requests": self.seen.total(),
            "in_flight": self.in_flight,
            "peak": self.peak,
            "cpu_seconds": time.process_time(),
            **self.ends,
            **Counter(str(entry.status) for entry in self.entries if entry.end == "answered"),
        }

    def __enter__(self) -> Self:
        self._thread.start()
        self.start()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        if self._failure is not None and error is None:
            raise self._failure

    def start(self) -> None:
        """Listen; after `stop` at the same address as before."""
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()

    def stop(self) -> None:
        """Drop every connection and refuse new ones."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()

    async def _start(self) -> None:
        self._listening = await self._loop.create_server(
            lambda: Connection(self._handle, self._connections),
            "127.0.0.1",
            self.port,
            backlog=4096,
        )
        self.port = self._listening.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        if self._listening is not None:
            self._listening.close()
            self._listening = None
        for connection in list(self._connections):
            connection.drop()
        while self._connections:
            await asyncio.sleep(0)

    def _handle(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[Action, End]:
        if (method, path) != ("POST", "/v1/chat/completions"):
            return self._beside(method, path), lambda how: None
        request = self._request(headers.get("x-request-id", ""), body)
        self.seen[request.id] += 1
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)

        try:
            action = self.script(request)
        except Exception as error:  # of a test's own script: raised when the server is left
            self._failure = self._failure or error
            action = Action(b"", cut=0.0)

        def end(how: str) -> None:
            self.in_flight -= 1
            seconds = time.monotonic() - request.arrival
            entry = Entry(request.id, request.arrival, seconds, action.status, how)
            self.entries.append(entry)

        return action, end

    def _request(self, name: str, body: bytes) -> Request:
        """The request of that X-Request-Id."""
        found = ID.fullmatch(name)
        slot = parse_slot(found[1]) if found else None
        key = name if found else blake2b(body, digest_size=8).hexdigest()
        kind = slot.construction if slot else ""
        before, self._before[kind] = self._before.get(kind, b""), body
        return Request(
            id=key,
            slot=slot,
            attempt=int(found[2]) if found else 0,
            round=int(found[3] or 0) if found else 0,
            seen=self.seen[key],
            arrival=time.monotonic(),
            raw=body,
            cached=_shared(before, body) // 4,
        )

    def _beside(self, method: str, path: str) -> Action:
        """The answer to anything else than a chat completion."""
        if path == "/stats":
            return Action(json.dumps(self.counts()).encode())
        self.other.append(f"{method} {path}")
        if path == "/v1/models":
            return Action(b'{"object": "list", "data": [{"id": "test", "object": "model"}]}')
        return status(404, f"no {path} here")


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes two texts share at their start."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def main() -> None:
    """Serve in the foreground until a signal comes; then print what was counted."""
    parser = argparse.ArgumentParser(description="An OpenAI-compatible server for tests.")
    parser.add_argument("--port", type=int, default=8000, help="0: any free one (8000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the run to be served (0)")
    parser.add_argument("--prepare", type=int, default=0, help="write the drafts of n slots first")
    parser.add_argument("--latency", type=float, default=0.2, help="seconds to an answer (0.2)")
    parser.add_argument("--sigma", type=float, help="make it log-normal, --latency its median")
    parser.add_argument("--faults", action="store_true", help="429, 500, broken drafts, hangs")
    options = parser.parse_args()
    drafts = Drafts(options.seed)
    drafts.prepare(options.prepare)
    script = faults(drafts, options.seed) if options.faults else drafts
    sigma = options.sigma
    latency = lognormal(options.latency, sigma) if sigma else constant(options.latency)
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)  # for sigwait; threads inherit it
    with LlmServer(delayed(script, latency), options.port) as server:
        print(server.base_url, flush=True)
        signal.sigwait(ENDINGS)
    print(json.dumps(server.counts()))


if __name__ == "__main__":
    main()
