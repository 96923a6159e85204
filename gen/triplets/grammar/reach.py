"""Reach: how long a region can be, as a bit set of lengths with quick bounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gen.triplets.constructions.base import Span
from gen.triplets.grammar.derive import LONGEST, Grammar
from gen.triplets.grammar.frames import Region

SHORTEST: Mapping[str, int] = defaultdict(lambda: 1, SCENE=2, DIST=3, N1=2, N2=2, N3=2, R1=2, R2=2)
"""For every special token, a number of words that its text never goes below."""


class Reach(NamedTuple):
    """How long a region can be with objects of one kind, special tokens apart."""

    mask: int
    """The possible lengths, as a bit set."""
    low: int
    high: int
    specials: tuple[str, ...]

    def base(self, sizes: Mapping[str, int]) -> int:
        """Words of the special tokens."""
        total = 0
        for name in self.specials:
            total += sizes[name]
        return total


def reach(region: Region, grammar: Grammar) -> Reach:
    """The reach of a region."""
    mask = grammar.mask(region.names) << region.fixed
    return Reach(mask, (mask & -mask).bit_length() - 1, mask.bit_length() - 1, region.specials)


def least(reaches: Sequence[Reach], sizes: Mapping[str, int], distance: int) -> int:
    """A lower bound for the words of a body whose measured regions are no shorter than asked."""
    rest, *measured = reaches
    total = rest.low + rest.base(sizes)
    for one in measured:
        total += max(one.low + one.base(sizes), distance)
    return total


def may_meet(reaches: Sequence[Reach], window: Span) -> bool:
    """Whether the smallest measured region can be in the window, whatever the special tokens."""
    measured = reaches[1:]
    nearest = min(one.low + len(one.specials) for one in measured)
    farthest = min(one.high + LONGEST * len(one.specials) for one in measured)
    return nearest <= window[1] and farthest >= window[0]
