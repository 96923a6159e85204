"""Which server gets the next request: the least busy one whose circuit breaker is closed."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from gen.base.chat.retry import RetryPolicy

RETRY = RetryPolicy(tries=5, backoff=0.5, longest_backoff=30.0)


@dataclass(frozen=True, slots=True)
class ClientPolicy:
    """All that bounds how long a run waits for its servers. Times are in seconds."""

    retry: RetryPolicy = RETRY
    """Of each request."""
    trip: int = 8
    """Times in a row that a server is found unavailable before its circuit breaker trips."""
    pause: float = 0.5
    """From then to the first probe; doubled after each that fails."""
    longest_pause: float = 15.0
    """The most of that."""
    outage: float = 120.0
    """Without any server, after which the run stops."""
    first_outage: float = 15.0
    """The same before the first answer of all."""

    share: float = 0.9
    """Of the latest answers, those that took no longer than what is called usual."""
    factor: float = 4.0
    """An answer may take so many times as long as usual."""
    floor: float = 3.0
    """At least so long."""
    enough: int = 20
    """Answers before which nothing is usual: one may take as long as the settings allow."""
    overtaken: int = 5
    """Later requests answered before a request counts as overtaken. That of one which is not may
    take longer, where more than `enough` wait: it is rather the server that is slow for once."""
    stalled: float = 3.0
    """So many times as long."""
    sweep: float = 0.1
    """Between looks for requests that take too long."""


class Endpoint:
    """One server with its circuit breaker. Times are those of one monotonic clock, in seconds."""

    def __init__(self, url: str, policy: ClientPolicy) -> None:
        self.url = url
        self.outstanding = 0
        self.last_answer = 0.0
        self.failures = 0
        """Times in a row that it was unavailable."""
        self.said = ""
        """What it said, or what happened, the last time."""
        self._policy = policy
        self._until = 0.0
        self._pause = policy.pause
        self._probing = False

    @property
    def tripped(self) -> bool:
        """Whether it gets a single request at a time, each a probe, until one is answered."""
        return self.failures >= self._policy.trip

    def free(self, now: float) -> bool:
        """Whether it may get a request now."""
        return not self.tripped or (now >= self._until and not self._probing)

    @property
    def due(self) -> float:
        """When it is probed next."""
        return self._until

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Count a request that the server is working on."""
        probe = self._probing = self.tripped
        self.outstanding += 1
        try:
            yield
        finally:
            self.outstanding -= 1
            if probe:
                self._probing = False

    def answered(self, now: float) -> None:
        """Note an answer."""
        self.failures, self._pause, self.last_answer = 0, self._policy.pause, now

    def unavailable(self, said: str, now: float) -> None:
        """Note that no connection was had, or that the server said that it can't serve now."""
        self.said = said
        if self.tripped:
            self._pause = min(2 * self._pause, self._policy.longest_pause)
        self.failures += 1
        self._until = now + self._pause


class Endpoints:
    """All servers of a run."""

    def __init__(self, urls: Sequence[str], policy: ClientPolicy) -> None:
        self.all = [Endpoint(url, policy) for url in urls]
        self._policy = policy
        self._waiting_since: float | None = None

    async def pick(self) -> Endpoint:
        """The server for the next request; waits while the breakers of all are open.

        Raises:
            ConnectionError: when that takes too long.
        """
        while True:
            now = time.monotonic()
            free = [endpoint for endpoint in self.all if endpoint.free(now)]
            if free:
                return min(free, key=lambda endpoint: endpoint.outstanding)
            seen = max(endpoint.last_answer for endpoint in self.all)
            longest = self._policy.outage if seen else self._policy.first_outage
            if self._waiting_since is None or self._waiting_since < seen:
                self._waiting_since = now
            if now - self._waiting_since > longest:
                places = ", ".join(f"{one.url} ({one.said})" for one in self.all)
                raise ConnectionError(f"not available for {longest:.0f} s: {places}")
            due = min(endpoint.due for endpoint in self.all)
            await asyncio.sleep(min(max(due - now, 0.05), 1.0))


class Deadline:
    """How long an answer may take, told from how long the latest ones took."""

    def __init__(self, longest: float, policy: ClientPolicy) -> None:
        """`longest` bounds it, in seconds."""
        self._longest, self._policy = longest, policy
        self._latest: deque[tuple[float, float]] = deque(maxlen=256)

    def answered(self, started: float, seconds: float) -> None:
        """Note when an answered request was sent and how long the answer took."""
        self._latest.append((started, seconds))

    def overdue(self, now: float, sent: Collection[tuple[float, int]]) -> list[bool]:
        """Whether to give each request up that was sent then and was too late so often before.

        Each time it was, it gets twice as long.
        """
        policy, latest = self._policy, self._latest
        if len(latest) < policy.enough:
            return [now - started > self._longest for started, _ in sent]
        usual = sorted(seconds for _, seconds in latest)[int(policy.share * len(latest))]
        limit = max(policy.floor, policy.factor * usual)
        overtaken = sorted(started for started, _ in latest)[-policy.overtaken]
        stalled = policy.stalled if len(sent) > policy.enough else 1.0
        found = []
        for started, late in sent:
            allowed = limit * 2.0**late * (1.0 if started < overtaken else stalled)
            found.append(now - started > min(allowed, self._longest))
        return found
