"""How far two reviewers agree, beyond what chance would give.

Cohen's kappa, "A coefficient of agreement for nominal scales" (1960), with the large-sample
variance of Fleiss, Cohen and Everitt, "Large sample standard errors of kappa and weighted kappa"
(1969); Wilson's interval (1927) for the raw agreement.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

Z = 1.959963984540054
"""Of a 95 % interval."""


class Interval(NamedTuple):
    """A figure with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


class Table(NamedTuple):
    """Images that two reviewers both decided on, counted."""

    both: int
    """Accepted by both."""
    first: int
    """Accepted by the first alone."""
    second: int
    neither: int
    """Rejected by both."""

    @property
    def agreement(self) -> Interval | None:
        """The share of images on which they agree; None without images."""
        n = sum(self)
        if not n:
            return None
        share = (self.both + self.neither) / n
        middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
        half = Z / (1 + Z**2 / n) * sqrt(share * (1 - share) / n + (Z / (2 * n)) ** 2)
        return Interval(share, max(0.0, middle - half), min(1.0, middle + half))

    @property
    def kappa(self) -> Interval | None:
        """Cohen's kappa; None where both gave the same answer to every image, or without images.

        The interval is for large samples: it has no width where they agree on all images.
        """
        n = sum(self)
        if not n:
            return None
        cells = [[self.both / n, self.first / n], [self.second / n, self.neither / n]]
        own = [sum(row) for row in cells]
        other = [sum(column) for column in zip(*cells, strict=True)]
        seen = cells[0][0] + cells[1][1]
        chance = own[0] * other[0] + own[1] * other[1]
        if self.both == n or self.neither == n:
            return None
        value = (seen - chance) / (1 - chance)
        same = sum(
            cells[i][i] * ((1 - chance) - (own[i] + other[i]) * (1 - seen)) ** 2 for i in (0, 1)
        )
        differing = (1 - seen) ** 2 * sum(
            cells[i][j] * (other[i] + own[j]) ** 2 for i, j in ((0, 1), (1, 0))
        )
        left = (seen * chance - 2 * chance + seen) ** 2
        spread = sqrt(max(0.0, same + differing - left) / n) / (1 - chance) ** 2
        return Interval(value, max(-1.0, value - Z * spread), min(1.0, value + Z * spread))
