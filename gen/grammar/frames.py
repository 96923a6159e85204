"""Shapes: one opening, clause and wrapper put together, and lengths drawn for their parts.

The frames are data (`frames.toml`, which also explains the notation). A shape is cut into
the rest (region 0) and the measured regions between `<` and `>`, so that the binding
distance and the length of the caption are drawn exactly and separately.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from gen.context import lines
from gen.grammar.derive import LONGEST, Element, Grammar, Text, parse, pick
from gen.constructions.base import Span

ITEMS = {
    "SCENE": "scene",
    "{time}": "time",
    "{weather}": "weather",
    "DIST": "dist",
    "{aside}": "aside",
}
"""Frame tokens that stand for an item of the plan, each used exactly once."""

SPECIAL = re.compile(r"SCENE|DIST|PP|[NOAPRF][123]")
"""Frame tokens whose text is fixed for one caption."""

FRAMES = {
    "pair_swap": "prenominal_two",
    "attr_bundle": "prenominal_two",
    "triple_bind_cycle": "prenominal_three",
    "triple_bind_swap": "prenominal_three",
}
"""Constructions that share frames; the others have frames of their own name."""


@dataclass(frozen=True, slots=True)
class Special:
    """A token with a text of its own in every caption."""

    name: str


Part: TypeAlias = Element | Special


@dataclass(frozen=True, slots=True)
class Region:
    """What a region holds: its symbols (sorted), its fixed words and its special tokens."""

    names: tuple[str, ...]
    fixed: int
    specials: tuple[str, ...]

    def base(self, sizes: Mapping[str, int]) -> int:
        """Words of everything but the symbols."""
        return self.fixed + sum(sizes[name] for name in self.specials)


@dataclass(frozen=True, slots=True)
class Shape:
    """A whole caption before any length is drawn."""

    parts: tuple[tuple[int, Part], ...]
    """(region, part) in order of appearance."""
    regions: tuple[Region, ...]


class Frames:
    """The frames of all constructions, parsed on demand and kept."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self._shapes: dict[tuple[object, ...], Shape | None] = {}

    def candidates(
        self, construction: str, opener: str, items: frozenset[str], random: Callable[[], float]
    ) -> Iterator[Shape]:
        """Every shape for the plan, in random order; each uses exactly the given items."""
        spec = self._data["openers"][opener]
        clauses = self._data["clauses"][FRAMES.get(construction, construction)]
        kind = "display" if opener == "display" else "any"
        wrappers = lines(self._data["wrappers"][kind])
        pool = [
            (clause, wrapper)
            for name in spec["clauses"]
            for clause in lines(clauses[name])
            for wrapper in wrappers
        ]
        while pool:
            at = int(random() * len(pool))
            pool[at], pool[-1] = pool[-1], pool[at]
            clause, wrapper = pool.pop()
            shape = self._shape(spec["prefix"], clause, wrapper, items)
            if shape is not None:
                yield shape

    def _shape(
        self, prefix: str, clause: str, wrapper: str, items: frozenset[str]
    ) -> Shape | None:
        key = (prefix, clause, wrapper, items)
        if key not in self._shapes:
            self._shapes[key] = assemble(prefix, clause, wrapper, items)
        return self._shapes[key]


def assemble(prefix: str, clause: str, wrapper: str, items: frozenset[str]) -> Shape | None:
    """The shape of a frame with the given items, or None where it has no place for one."""
    left = set(items)
    flag, _, pattern = wrapper.rpartition("aside:")
    if wrapper.startswith("aside:"):
        left.add("aside")
    tokens = pattern.split()
    place = tokens.index("BODY")
    reserved = {ITEMS[token] for token in tokens if token in ITEMS}
    if not reserved <= left:
        return None
    left -= reserved
    body = [*prefix.split(), *clause.split()]
    if not {ITEMS[token] for token in prefix.split() if token in ITEMS} <= left:
        return None
    parts: list[tuple[int, Part]] = []
    region = measured = 0
    for token in _kept([*tokens[:place], *body, *tokens[place + 1 :]], left):
        if token == "<":
            measured += 1
            region = measured
        elif token == ">":
            region = 0
        else:
            if SPECIAL.fullmatch(token):
                parts.append((region, Special(token)))
            else:
                parts.extend((region, element) for element in parse(token)[0])
    if left:
        return None
    return Shape(tuple(parts), tuple(_region(parts, number) for number in range(measured + 1)))


def _kept(tokens: Sequence[str], left: set[str]) -> Iterator[str]:
    """The tokens with their groups resolved; takes each item met from `left`."""
    group: list[str] | None = None
    for raw in tokens:
        token = raw
        if token.startswith("("):
            group, token = [], token[1:]
        closes = token.endswith(")")
        token = token.removesuffix(")")
        if group is None:
            left.discard(ITEMS.get(token, ""))
            yield token
            continue
        if token:
            group.append(token)
        if closes:
            item = next(ITEMS[member] for member in group if member in ITEMS)
            if item in left:
                left.discard(item)
                yield from group
            group = None


def _region(parts: Sequence[tuple[int, Part]], number: int) -> Region:
    own = [part for region, part in parts if region == number]
    return Region(
        names=tuple(sorted(part for part in own if isinstance(part, str))),
        fixed=sum(part.size for part in own if isinstance(part, Text)),
        specials=tuple(part.name for part in own if isinstance(part, Special)),
    )


def lengths(
    shape: Shape,
    grammar: Grammar,
    sizes: Mapping[str, int],
    band: Span,
    window: Span,
    random: Callable[[], float],
) -> list[int] | None:
    """Words for each region: total within `band`, smallest measured region within `window`.

    Total and distance are drawn evenly over what is possible, and the regions in proportion
    to how many derivations they allow. None where the shape cannot do it.
    """
    masks = [
        grammar.mask(region.names) << region.base(sizes) for region in shape.regions
    ]
    options = _options(masks, band, window)
    if not options:
        return None
    shortest, smallest, total = options[int(random() * len(options))]
    result = [0] * len(masks)
    result[smallest] = shortest
    if len(masks) == 2:
        result[0] = total - shortest
        return result
    other = 3 - smallest
    weights = []
    for size in range(total - shortest + 1):
        rest = total - shortest - size
        weight = 0.0
        if size >= shortest and masks[other] >> size & 1 and masks[0] >> rest & 1:
            weight = _weight(shape, grammar, sizes, other, size)
            weight *= _weight(shape, grammar, sizes, 0, rest)
        weights.append(weight)
    result[other] = pick(weights, random())
    result[0] = total - shortest - result[other]
    return result


def _weight(
    shape: Shape, grammar: Grammar, sizes: Mapping[str, int], number: int, size: int
) -> float:
    region = shape.regions[number]
    return grammar.sums(region.names)[size - region.base(sizes)]


def _options(masks: Sequence[int], band: Span, window: Span) -> list[tuple[int, int, int]]:
    """Every possible (smallest distance, its region, total length)."""
    low, high = band
    options = []
    for smallest in range(1, len(masks)):
        for distance in range(window[0], window[1] + 1):
            if not masks[smallest] >> distance & 1:
                continue
            left = masks[0]
            if len(masks) == 3:
                left = _sums(left, masks[3 - smallest], distance, high)
            totals = left << distance
            options += [
                (distance, smallest, total)
                for total in range(low, high + 1)
                if totals >> total & 1
            ]
    return options


def _sums(first: int, second: int, least: int, most: int) -> int:
    """Possible sums of a size in `first` and a size of at least `least` in `second`."""
    result = 0
    for size in range(least, min(most, LONGEST) + 1):
        if second >> size & 1:
            result |= first << size
    return result
