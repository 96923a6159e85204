"""A circuit breaker for a whole run: it tells when nearly everything fails."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple


class Limits(NamedTuple):
    """Failures in a row after which a run is to stop."""

    first: int
    """Before the first success."""
    later: int
    """After it."""


class Breaker:
    """Counts failures in a row, by reason."""

    def __init__(self, limits: Limits) -> None:
        self.proven = False
        """Whether it has worked once: more failures are borne then."""
        self._limits = limits
        self._failing: Counter[str] = Counter()

    def succeeded(self) -> None:
        """Note a success."""
        self.proven = True
        self.reset()

    def reset(self) -> None:
        """Begin counting afresh, after what is neither a success nor a failure."""
        self._failing.clear()

    def failed(self, reason: str) -> bool:
        """Note a failure; whether it is time to stop."""
        self._failing[reason] += 1
        return self.count >= (self._limits.later if self.proven else self._limits.first)

    @property
    def count(self) -> int:
        """Failures since the last success or reset."""
        return self._failing.total()

    @property
    def worst(self) -> str:
        """The most frequent reason of those."""
        return self._failing.most_common(1)[0][0]

    @property
    def counts(self) -> str:
        """The three most frequent reasons with their counts, as text."""
        return counts_of(self._failing, 3)


def counts_of(reasons: Counter[str], most: int | None = None) -> str:
    """Reasons with their counts, the most frequent first; so many at most.

    >>> counts_of(Counter(request_timeout=2, answer_shape=1200))
    'answer_shape 1,200, request_timeout 2'
    """
    return ", ".join(f"{reason} {count:,}" for reason, count in reasons.most_common(most))
