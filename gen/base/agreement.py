"""How far two people agree who sorted the same things, and how far beyond chance.

Cohen's kappa, "A coefficient of agreement for nominal scales" (1960), with the large-sample
variance of Fleiss, Cohen and Everitt, "Large sample standard errors of kappa and weighted kappa"
(1969); Wilson's interval (1927) for the raw agreement.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

Z = 1.959963984540054
"""Of a 95 % interval."""

Counts = Sequence[Sequence[int]]
"""Things by the answer of the first person (rows) and of the second (columns): square."""


class Interval(NamedTuple):
    """A figure with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def agreement(counts: Counts) -> Interval | None:
    """The share of things on which both agree; None without things."""
    n = sum(map(sum, counts))
    if not n:
        return None
    share = sum(row[i] for i, row in enumerate(counts)) / n
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * sqrt(share * (1 - share) / n + (Z / (2 * n)) ** 2)
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))


def kappa(counts: Counts) -> Interval | None:
    """Cohen's kappa; None where both gave the same answer to everything, or without things.

    The interval is for large samples: it has no width where they agree on everything.
    """
    n = sum(map(sum, counts))
    if not n or any(row[i] == n for i, row in enumerate(counts)):
        return None
    cells = [[count / n for count in row] for row in counts]
    own = [sum(row) for row in cells]
    other = [sum(column) for column in zip(*cells, strict=True)]
    answers = range(len(cells))
    seen = sum(cells[i][i] for i in answers)
    chance = sum(own[i] * other[i] for i in answers)
    value = (seen - chance) / (1 - chance)
    same = sum(
        cells[i][i] * ((1 - chance) - (own[i] + other[i]) * (1 - seen)) ** 2 for i in answers
    )
    differing = (1 - seen) ** 2 * sum(
        cells[i][j] * (other[i] + own[j]) ** 2 for i in answers for j in answers if i != j
    )
    left = (seen * chance - 2 * chance + seen) ** 2
    spread = sqrt(max(0.0, same + differing - left) / n) / (1 - chance) ** 2
    return Interval(value, max(-1.0, value - Z * spread), min(1.0, value + Z * spread))
