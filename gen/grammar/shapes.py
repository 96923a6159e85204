"""Shapes: which frame and wrapper a caption takes, and how many words each region gets.

Every choice is made among what can meet the length band and the distance window exactly:
possible lengths are bit sets, so a frame that can't is passed over before anything is
written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gen.constructions.base import Span
from gen.context import lines
from gen.grammar.derive import LONGEST, Grammar, pick
from gen.grammar.frames import Region, Shape, Wrapper, assemble, holds, parse_wrapper

FRAMES = {
    "pair_swap": "prenominal_two",
    "attr_bundle": "prenominal_two",
    "triple_bind_cycle": "prenominal_three",
    "triple_bind_swap": "prenominal_three",
}
"""Constructions that share frames; the others have frames of their own name."""

MOST_SENTENCES = 3
"""Sentences of a caption."""


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
class Option:
    """An opening with clause, the items it is to hold, and the wrappers that go with it."""

    frame: str
    items: frozenset[str]
    wrappers: list[Wrapper]
    shape: Shape | None = None
    reaches: dict[str, list[Reach]] = field(default_factory=dict)

    def prepare(self, grammar: Grammar) -> list[Reach]:
        """The reach of each region; assembles the shape when it is first needed."""
        if self.shape is None:
            self.shape = assemble(self.frame, self.items)
        self.reaches[grammar.kind] = [reach(region, grammar) for region in self.shape.regions]
        return self.reaches[grammar.kind]


class Frames:
    """The frames of all constructions, parsed on demand and kept."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._openers = data["openers"]
        endings = lines(data["endings"]["any"])
        self._clauses = {
            name: {
                kind: [
                    line.removesuffix("END") + ending
                    for line in lines(text)
                    for ending in (endings if line.endswith("END") else ("",))
                ]
                for kind, text in kinds.items()
            }
            for name, kinds in data["clauses"].items()
        }
        self._wrappers = {
            kind: [parse_wrapper(line) for line in lines(text)]
            for kind, text in data["wrappers"].items()
        }
        self._options: dict[tuple[str, str, frozenset[str]], list[Option]] = {}
        self._reaches: dict[str, dict[int, Reach]] = {}
        self._sorted: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[str, ...]] = {}

    def wrap(self, body: Shape, wrapper: Wrapper) -> Shape:
        """The body inside the wrapper, whose words join the rest."""
        rest, own = body.regions[0], wrapper.region
        key = (rest.names, own.names)
        names = self._sorted.get(key)
        if names is None:
            names = self._sorted[key] = tuple(sorted((*rest.names, *own.names)))
        region = Region(names, rest.fixed + own.fixed, (*rest.specials, *own.specials))
        return Shape((*wrapper.before, *body.parts, *wrapper.after), (region, *body.regions[1:]))

    def around(self, wrapper: Wrapper, grammar: Grammar) -> Reach:
        """The reach of a wrapper."""
        known = self._reaches.setdefault(grammar.kind, {})
        if id(wrapper) not in known:
            known[id(wrapper)] = reach(wrapper.region, grammar)
        return known[id(wrapper)]

    def options(self, construction: str, opener: str, items: frozenset[str]) -> list[Option]:
        """Every opening with clause, and the wrappers that leave it certain items to hold."""
        key = (FRAMES.get(construction, construction), opener, items)
        known = self._options.get(key)
        if known is None:
            known = self._options[key] = list(self._combine(*key))
        return known

    def _combine(self, clauses: str, opener: str, items: frozenset[str]) -> Iterator[Option]:
        spec = self._openers[opener]
        by_items: dict[frozenset[str], list[Wrapper]] = {}
        for wrapper in self._wrappers[spec["wrappers"]]:
            if wrapper.takes <= items:
                by_items.setdefault(items - wrapper.takes | wrapper.gives, []).append(wrapper)
        for prefix in spec["prefix"]:
            for kind in spec["clauses"]:
                for clause in self._clauses[clauses][kind]:
                    frame = f"{prefix} {clause}"
                    must, may = holds(frame)
                    room = MOST_SENTENCES - sum(frame.split().count(mark) for mark in ".?")
                    for held, wrappers in by_items.items():
                        fitting = [one for one in wrappers if one.sentences <= room]
                        if fitting and must <= held <= may:
                            yield Option(frame, held, fitting)


def draw_shape(
    frames: Frames,
    options: Iterable[Option],
    grammar: Grammar,
    sizes: Mapping[str, int],
    band: Span,
    window: Span,
    random: Callable[[], float],
) -> tuple[Shape, list[int]] | None:
    """A shape and the words of each of its regions; None where no shape can do it.

    The total is within `band`, as close to its upper end as the shape allows; the smallest
    measured region is within `window`, drawn evenly over what is possible; the regions are
    drawn in proportion to how many derivations they allow.
    """
    low, high = band
    bounds = (1 << high + 1) - (1 << low)
    pool = list(options)
    while pool:
        at = int(random() * len(pool))
        option = pool[at]
        pool[at] = pool[-1]
        pool.pop()
        reaches = option.reaches.get(grammar.kind) or option.prepare(grammar)
        bases = [one.base(sizes) for one in reaches]
        if not _may_reach(reaches, bases, high, window):
            continue
        masks = [one.mask << base for one, base in zip(reaches, bases, strict=True)]
        distances = _distances(masks, high, window)
        if not distances:
            continue
        least = min((sums & -sums).bit_length() for _, _, sums in distances) - 1
        most = max(sums.bit_length() for _, _, sums in distances) - 1
        wrappers = option.wrappers.copy()
        while wrappers:
            at = int(random() * len(wrappers))
            wrapper = wrappers[at]
            wrappers[at] = wrappers[-1]
            wrappers.pop()
            around = frames.around(wrapper, grammar)
            base = around.base(sizes)
            if least + around.low + base > high or most + around.high + base < low:
                continue
            extra = around.mask << base
            possible = [
                (distance, smallest, totals)
                for distance, smallest, sums in distances
                if (totals := _sum(sums, extra, high) & bounds)
            ]
            if possible and option.shape is not None:
                distance, smallest, totals = possible[int(random() * len(possible))]
                shape = frames.wrap(option.shape, wrapper)
                total = totals.bit_length() - 1
                return shape, _regions(shape, grammar, sizes, distance, smallest, total, random)
    return None


def _may_reach(reaches: Sequence[Reach], bases: Sequence[int], most: int, window: Span) -> bool:
    """A quick look at the bounds alone: can the distance and the total be met at all?"""
    total = reaches[0].low + bases[0]
    nearest = LONGEST
    for one, base in zip(reaches[1:], bases[1:], strict=True):
        if one.high + base < window[0]:
            return False
        nearest = min(nearest, one.low + base)
        total += max(one.low + base, window[0])
    return nearest <= window[1] and total <= most


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
