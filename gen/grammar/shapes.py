"""Shapes: which frame and wrapper a caption takes, and how many words each region gets.

Every choice is made among what can meet the length band and the distance window exactly:
possible lengths are bit sets, so a frame that can't is passed over before anything is
written.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeVar

from gen.constructions.base import Span
from gen.context import lines
from gen.grammar.derive import LONGEST, Grammar, pick
from gen.grammar.frames import (
    Around,
    Region,
    Shape,
    assemble,
    holds,
    sentences,
    surround,
)
from gen.plan import Plan

T = TypeVar("T")

FRAMES = {
    "pair_swap": "prenominal_two",
    "attr_bundle": "prenominal_two",
    "triple_bind_cycle": "prenominal_three",
    "triple_bind_swap": "prenominal_three",
}
"""Constructions that share frames; the others have frames of their own name."""

MOST_SENTENCES = 3
"""Sentences of a caption."""

SHORTEST: Mapping[str, int] = defaultdict(lambda: 1)
"""A size for every special token that none goes below."""


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


@dataclass(slots=True)
class Body:
    """A clause that holds certain items."""

    shape: Shape
    sentences: int
    """Sentences that end within it."""
    reaches: dict[str, list[Reach]] = field(default_factory=dict)

    def reach(self, grammar: Grammar) -> list[Reach]:
        """The reach of each of its regions."""
        known = self.reaches.get(grammar.kind)
        if known is None:
            known = [reach(region, grammar) for region in self.shape.regions]
            self.reaches[grammar.kind] = known
        return known


Group: TypeAlias = tuple[frozenset[str], list[Around]]
"""The items that are left to the body, and everything around it that leaves it these."""


class Frames:
    """The frames of all constructions, parsed on demand and kept."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._openers = data["openers"]
        self._wrappers = {name: lines(text) for name, text in data["wrappers"].items()}
        endings = lines(data["endings"]["any"])
        self._clauses = {
            name: {kind: _with_endings(lines(text), endings) for kind, text in kinds.items()}
            for name, kinds in data["clauses"].items()
        }
        self._groups: dict[tuple[str, frozenset[str]], list[Group]] = {}
        self._assembled: dict[tuple[str, frozenset[str]], Body] = {}
        self._bodies: dict[tuple[object, ...], tuple[list[int], list[Body]]] = {}
        self._reaches: dict[tuple[str, int], Reach] = {}
        self._spans: dict[tuple[str, int], Span] = {}
        self._sorted: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[str, ...]] = {}

    def groups(self, opener: str, items: frozenset[str]) -> list[Group]:
        """What may stand around a body in a caption with this opener and these items."""
        key = (opener, items)
        known = self._groups.get(key)
        if known is None:
            spec = self._openers[opener]
            by_held: dict[frozenset[str], list[Around]] = {}
            for prefix in spec["prefix"]:
                for wrapper in self._wrappers[spec["wrappers"]]:
                    around = surround(prefix, wrapper)
                    if around is not None and around.takes <= items:
                        held = items - around.takes | around.gives
                        by_held.setdefault(held, []).append(around)
            known = self._groups[key] = list(by_held.items())
        return known

    def bodies(
        self, construction: str, opener: str, held: frozenset[str], grammar: Grammar, window: Span
    ) -> tuple[list[int], list[Body]]:
        """The clauses that may follow the opener, hold the items and may meet the window.

        They come in order of the fewest words they can take, which are given beside them.
        """
        kinds = tuple(self._openers[opener]["clauses"])
        name = FRAMES.get(construction, construction)
        key = (name, kinds, held, grammar.kind, window)
        known = self._bodies.get(key)
        if known is None:
            clauses = [clause for kind in kinds for clause in self._clauses[name][kind]]
            fitting = (self._body(clause, held) for clause in clauses if _may_hold(clause, held))
            ranked = sorted(
                (
                    (_least(body.reach(grammar), SHORTEST, window[0]), body)
                    for body in fitting
                    if _may_meet(body.reach(grammar), window)
                ),
                key=lambda pair: pair[0],
            )
            known = [least for least, _ in ranked], [body for _, body in ranked]
            self._bodies[key] = known
        return known

    def _body(self, clause: str, held: frozenset[str]) -> Body:
        key = (clause, held)
        if key not in self._assembled:
            self._assembled[key] = Body(assemble(clause, held), sentences(clause.split()))
        return self._assembled[key]

    def around(self, around: Around, grammar: Grammar) -> Reach:
        """The reach of what stands around a body."""
        key = (grammar.kind, id(around))
        known = self._reaches.get(key)
        if known is None:
            known = self._reaches[key] = reach(around.region, grammar)
        return known

    def span_around(self, arounds: list[Around], grammar: Grammar) -> Span:
        """The fewest and the most words that anything of a group takes, special tokens apart."""
        key = (grammar.kind, id(arounds))
        known = self._spans.get(key)
        if known is None:
            reaches = [self.around(one, grammar) for one in arounds]
            known = min(one.low for one in reaches), max(one.high for one in reaches)
            self._spans[key] = known
        return known

    def join(self, body: Shape, around: Around) -> Shape:
        """The whole caption: the words around the body join its rest."""
        rest, own = body.regions[0], around.region
        key = (rest.names, own.names)
        names = self._sorted.get(key)
        if names is None:
            names = self._sorted[key] = tuple(sorted((*rest.names, *own.names)))
        region = Region(names, rest.fixed + own.fixed, (*rest.specials, *own.specials))
        return Shape((*around.before, *body.parts, *around.after), (region, *body.regions[1:]))


def _with_endings(clauses: Sequence[str], endings: Sequence[str]) -> list[str]:
    """Each clause with each ending in the place of `END`."""
    return [
        clause.removesuffix("END") + ending
        for clause in clauses
        for ending in (endings if clause.endswith("END") else ("",))
    ]


def _may_hold(clause: str, held: frozenset[str]) -> bool:
    must, may = holds(clause)
    return must <= held <= may


def _may_meet(reaches: Sequence[Reach], window: Span) -> bool:
    """Whether the smallest measured region can be in the window, whatever the special tokens."""
    measured = reaches[1:]
    nearest = min(one.low + len(one.specials) for one in measured)
    farthest = min(one.high + LONGEST * len(one.specials) for one in measured)
    return nearest <= window[1] and farthest >= window[0]


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
    groups = frames.groups(plan.opener, items)
    for band in bands:
        for place in _order([len(arounds) for _, arounds in groups], random):
            held, arounds = groups[place]
            shortest, longest = frames.span_around(arounds, grammar)
            longest += sizes["DIST"]  # which may stand around the body instead of in it
            room = band[1] - shortest
            ranks, ranked = frames.bodies(
                plan.slot.construction, plan.opener, held, grammar, plan.window
            )
            bodies = ranked[: bisect_right(ranks, room)]
            while bodies:
                body = _take(bodies, random)
                reaches = body.reach(grammar)
                if _least(reaches, sizes, plan.window[0]) > room:
                    continue
                if _most(reaches, sizes, plan.window[1]) + longest < band[0]:
                    continue
                drawn = _draw(frames, body, arounds, grammar, sizes, band, plan.window, random)
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


def _least(reaches: Sequence[Reach], sizes: Mapping[str, int], distance: int) -> int:
    """A lower bound for the words of a body whose measured regions are no shorter than asked."""
    rest, *measured = reaches
    total = rest.low + rest.base(sizes)
    for one in measured:
        total += max(one.low + one.base(sizes), distance)
    return total


def _most(reaches: Sequence[Reach], sizes: Mapping[str, int], distance: int) -> int:
    """An upper bound for the words of a body whose smallest measured region is as asked."""
    rest, *measured = reaches
    total = rest.high + rest.base(sizes)
    if len(measured) == 1:
        return total + distance
    return total + distance + max(one.high + one.base(sizes) for one in measured)


def _draw(
    frames: Frames,
    body: Body,
    arounds: Sequence[Around],
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
    least = min((sums & -sums).bit_length() for _, _, sums in distances) - 1
    most = max(sums.bit_length() for _, _, sums in distances) - 1
    untried = [one for one in arounds if one.sentences + body.sentences <= MOST_SENTENCES]
    while untried:
        around = _take(untried, random)
        own = frames.around(around, grammar)
        base = own.base(sizes)
        if least + own.low + base > high or most + own.high + base < low:
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
