"""Which server gets the next request: the least busy one that is not set aside."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

TRIP = 8
"""Times in a row that a server is found unavailable before it is set aside."""
PAUSE, LONGEST_PAUSE = 0.5, 15.0
"""Seconds that a server is set aside at first, doubled after each failed probe, and at most."""
PATIENCE, FIRST_PATIENCE = 120.0, 15.0
"""Seconds without any server after which the run stops; before the first answer of all."""

FLOOR, FACTOR, SHARE, ENOUGH = 3.0, 4.0, 0.9, 20
"""An answer may take `FACTOR` times as long as the given share of the latest took, at least
`FLOOR` seconds; until there have been `ENOUGH` answers, as long as the settings allow."""
OVERTAKEN, STALLED = 5, 3.0
"""That is for a request which so many later ones have overtaken. Where more than `ENOUGH` wait and
nobody is answered, it is rather the server that is slow for once: they may take so many times as
long."""


class Endpoint:
    """One server."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.outstanding = 0
        self.last_answer = 0.0
        self.failures = 0
        """Times in a row that it was unavailable."""
        self.said = ""
        """What it said, or what happened, the last time."""
        self._until = 0.0
        self._pause = PAUSE
        self._probing = False

    @property
    def aside(self) -> bool:
        """Whether it gets a single request at a time, each a probe, until one is answered."""
        return self.failures >= TRIP

    def free(self, now: float) -> bool:
        """Whether it may get a request now."""
        return not self.aside or (now >= self._until and not self._probing)

    @property
    def due(self) -> float:
        """When it is probed next."""
        return self._until

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Count a request that the server is working on."""
        probe = self._probing = self.aside
        self.outstanding += 1
        try:
            yield
        finally:
            self.outstanding -= 1
            if probe:
                self._probing = False

    def answered(self) -> None:
        """Note an answer."""
        self.failures, self._pause, self.last_answer = 0, PAUSE, time.monotonic()

    def unavailable(self, said: str) -> None:
        """Note that no connection was had, or that the server said that it can't serve now."""
        self.said = said
        if self.aside:
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
        self.failures += 1
        self._until = time.monotonic() + self._pause


class Endpoints:
    """All servers of a run."""

    def __init__(self, urls: Sequence[str]) -> None:
        self.all = [Endpoint(url) for url in urls]
        self._waiting_since: float | None = None

    async def pick(self) -> Endpoint:
        """The server for the next request; waits while all are set aside.

        Raises:
            ConnectionError: when that takes too long.
        """
        while True:
            now = time.monotonic()
            free = [endpoint for endpoint in self.all if endpoint.free(now)]
            if free:
                return min(free, key=lambda endpoint: endpoint.outstanding)
            seen = max(endpoint.last_answer for endpoint in self.all)
            patience = PATIENCE if seen else FIRST_PATIENCE
            if self._waiting_since is None or self._waiting_since < seen:
                self._waiting_since = now
            if now - self._waiting_since > patience:
                places = ", ".join(f"{one.url} ({one.said})" for one in self.all)
                raise ConnectionError(f"not available for {patience:.0f} s: {places}")
            due = min(endpoint.due for endpoint in self.all)
            await asyncio.sleep(min(max(due - now, 0.05), 1.0))


class Deadline:
    """How long an answer may take, told from how long the latest ones took."""

    def __init__(self, longest: float) -> None:
        self._longest = longest
        self._latest: deque[tuple[float, float]] = deque(maxlen=256)

    def answered(self, started: float, seconds: float) -> None:
        """Note when an answered request was sent and how long the answer took."""
        self._latest.append((started, seconds))

    def overdue(self, now: float, sent: Collection[tuple[float, int]]) -> list[bool]:
        """Whether to give each request up that was sent then and was too late so often before.

        Each time it was, it gets twice as long.
        """
        if len(self._latest) < ENOUGH:
            return [now - started > self._longest for started, _ in sent]
        usual = sorted(seconds for _, seconds in self._latest)[int(SHARE * len(self._latest))]
        limit = max(FLOOR, FACTOR * usual)
        overtaken = sorted(started for started, _ in self._latest)[-OVERTAKEN]
        stalled = STALLED if len(sent) > ENOUGH else 1.0
        found = []
        for started, late in sent:
            patience = limit * 2.0**late * (1.0 if started < overtaken else stalled)
            found.append(now - started > min(patience, self._longest))
        return found
