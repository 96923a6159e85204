"""Shapes: which frame and wrapper a caption takes, and how many words each region gets.

Every choice is made among what can meet the length band and the distance window exactly:
possible lengths are bit sets, so a frame that can't is passed over before anything is
written.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from gen.triplets.constructions.base import Span
from gen.triplets.context import PLAIN
from gen.triplets.grammar.catalog import Body, Frames
from gen.triplets.grammar.derive import LONGEST, Grammar, pick
from gen.triplets.grammar.frames import Around, Shape
from gen.triplets.grammar.reach import Reach, least
from gen.triplets.plan import Plan

T = TypeVar("T")

MOST_SENTENCES = 3
"""Sentences of a caption."""


def draw_shape(
    frames: Frames,
    plan: Plan,
    items: frozenset[str],
    grammar: Grammar,
    sizes: Mapping[str, int],
    bands: Iterable[Span],
    random: Callable[[], float],
) -> tuple[Shape, list[int]] | None:
    """A shape for the plan and the words of each of its regions; None where none can do it.

    The total is within the first of `bands` that any shape can meet, as close to its upper
    end as the shape allows; the smallest measured region is within the plan's window, drawn
    evenly over what is possible; the regions are drawn in proportion to how many derivations
    they allow.
    """
    opener = f"{PLAIN}.{plan.opener}" if plan.register == PLAIN else plan.opener
    groups = frames.groups(opener, items)
    for band in bands:
        for place in _order([len(arounds) for _, arounds in groups], random):
            held, arounds = groups[place]
            lows, around = frames.ranked(arounds, grammar)
            room = band[1] - lows[0]
            ranks, ranked = frames.bodies(
                plan.slot.construction, opener, held, grammar, plan.window
            )
            bodies = ranked[: bisect_right(ranks, room)]
            while bodies:
                body = _take(bodies, random)
                if least(body.reach(grammar), sizes, plan.window[0]) > room:
                    continue
                drawn = _draw(frames, body, lows, around, grammar, sizes, band, plan.window, random)
                if drawn is not None:
                    return drawn
    return None


def _order(weights: list[int], random: Callable[[], float]) -> Iterator[int]:
    """The places of `weights` in random order, heavier ones sooner."""
    left = sum(weights)
    while left:
        at = int(random() * left)
        place = 0
        while at >= weights[place]:
            at -= weights[place]
            place += 1
        left -= weights[place]
        weights[place] = 0
        yield place


def _take(pool: list[T], random: Callable[[], float]) -> T:
    """Remove and return a random item; the order of the rest is not kept."""
    at = int(random() * len(pool))
    item = pool[at]
    pool[at] = pool[-1]
    pool.pop()
    return item


def _draw(
    frames: Frames,
    body: Body,
    lows: Sequence[int],
    arounds: Sequence[tuple[Around, Reach]],
    grammar: Grammar,
    sizes: Mapping[str, int],
    band: Span,
    window: Span,
    random: Callable[[], float],
) -> tuple[Shape, list[int]] | None:
    """Lengths for a body within anything that may stand around it, or None."""
    low, high = band
    bounds = (1 << high + 1) - (1 << low)
    masks = [one.mask << one.base(sizes) for one in body.reach(grammar)]
    distances = _distances(masks, high, window)
    if not distances:
        return None
    shortest = min((sums & -sums).bit_length() for _, _, sums in distances) - 1
    longest = max(sums.bit_length() for _, _, sums in distances) - 1
    untried = list(arounds[: bisect_right(lows, high - shortest)])
    while untried:
        around, own = _take(untried, random)
        base = own.base(sizes)
        if longest + own.high + base < low or around.sentences + body.sentences > MOST_SENTENCES:
            continue
        extra = own.mask << base
        possible = [
            (distance, smallest, totals)
            for distance, smallest, sums in distances
            if (totals := _sum(sums, extra, high) & bounds)
        ]
        if possible:
            distance, smallest, totals = possible[int(random() * len(possible))]
            shape = frames.join(body.shape, around)
            total = totals.bit_length() - 1
            return shape, _regions(shape, grammar, sizes, distance, smallest, total, random)
    return None


def _distances(masks: Sequence[int], most: int, window: Span) -> list[tuple[int, int, int]]:
    """Every possible (smallest distance, its region, bit set of the body's lengths)."""
    options = []
    inside = (1 << window[1] + 1) - (1 << window[0])
    for smallest in range(1, len(masks)):
        for distance in _bits(masks[smallest] & inside):
            sums = masks[0] << distance
            if len(masks) == 3:
                sums = _sum(sums, masks[3 - smallest] >> distance << distance, most)
            if sums:
                options.append((distance, smallest, sums))
    return options


def _bits(bits: int) -> list[int]:
    """The numbers in a bit set."""
    return [place for place in range(bits.bit_length()) if bits >> place & 1]


def _sum(first: int, second: int, most: int) -> int:
    """The sums of a number in one bit set and one in the other, up to `most`."""
    if first.bit_count() > second.bit_count():
        first, second = second, first
    result = 0
    while first:
        low = first & -first
        result |= second * low
        first ^= low
        if low.bit_length() > most:
            break
    return result & ((1 << most + 1) - 1)


def _regions(
    shape: Shape,
    grammar: Grammar,
    sizes: Mapping[str, int],
    distance: int,
    smallest: int,
    total: int,
    random: Callable[[], float],
) -> list[int]:
    """Words for each region, given the total and the smallest distance."""
    result = [0] * len(shape.regions)
    result[smallest] = distance
    result[0] = total - distance
    if len(result) == 3:
        other = 3 - smallest
        weights = [
            _mass(shape, grammar, sizes, other, size)
            * _mass(shape, grammar, sizes, 0, result[0] - size)
            if size >= distance
            else 0.0
            for size in range(result[0] + 1)
        ]
        result[other] = pick(weights, random())
        result[0] -= result[other]
    return result


def _mass(
    shape: Shape, grammar: Grammar, sizes: Mapping[str, int], number: int, size: int
) -> float:
    """How much of a region's probability falls on a length."""
    region = shape.regions[number]
    own = size - region.base(sizes)
    return grammar.sums(region.names)[own] if 0 <= own <= LONGEST else 0.0
