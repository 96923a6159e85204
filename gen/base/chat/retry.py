"""How often, and after what pauses, a failed request is sent again."""

from __future__ import annotations

import random
from dataclasses import dataclass

from gen.base.chat.faults import FaultError, Remedy

DOUBLINGS = 60
"""Doublings of a backoff after which it is at its longest, whatever that is."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds on the failures of one request. Times are in seconds."""

    tries: int
    """Failures of the network or the server after which a request is given up."""
    backoff: float
    """Before the first retry; doubled for each further one, with jitter."""
    longest_backoff: float
    """The most of that."""
    first_tries: int | None = None
    """The same as `tries`, as long as the server has answered nothing at all."""
    redraws: int = 3
    """Answers that won't do, each of which may have cost something, after which it is given up."""
    throttled: float = 900.0
    """Waiting because of too many requests, all together, after which it is given up."""

    def pause(self, failures: int) -> float:
        """The backoff after one more than so many failures, drawn at random: requests that failed
        together come back one by one.
        """
        backoff = self.backoff * 2.0 ** min(failures, DOUBLINGS)
        return min(backoff, self.longest_backoff) * random.uniform(0.5, 1.0)


class Retries:
    """The failures of one request so far."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self._failed = self._waits = self._redraws = 0
        self._throttled = 0.0

    def pause(
        self, fault: FaultError, *, answered: bool = True, counted: bool = True
    ) -> float | None:
        """Seconds to wait after a failure; None when it was the last one.

        Args:
            fault: What went wrong.
            answered: Whether the server has answered anything at all.
            counted: Whether it is one of the `tries`. A server that is away may be bounded
                otherwise, for all requests together.
        """
        policy = self._policy
        if fault.remedy in (Remedy.STOP, Remedy.GIVE_UP):
            return None
        if fault.remedy is Remedy.REDRAW:
            self._redraws += 1
            return 0.0 if self._redraws < policy.redraws else None
        backoff = policy.pause(self._failed + self._waits)
        if fault.remedy is Remedy.WAIT:
            self._waits += 1
            wait = backoff if fault.wait is None else fault.wait
            self._throttled += wait
            return wait if self._throttled <= policy.throttled else None
        self._failed += counted
        tries = policy.tries if answered else policy.first_tries or policy.tries
        if counted and self._failed >= tries:
            return None
        return backoff if fault.wait is None else min(fault.wait, policy.longest_backoff)
