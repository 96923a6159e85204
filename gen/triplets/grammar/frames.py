"""Frames: the notation of `frames.toml` (explained there), parsed.

The body of a caption is a clause; an opening stands before it and a wrapper around both. A
clause is cut into the rest (region 0) and the measured regions between `<` and `>`, so that
the binding distance and the length of the caption can be drawn exactly and separately.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from gen.triplets.grammar.derive import Element, Text, parse

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
        total = self.fixed
        for name in self.specials:
            total += sizes[name]
        return total


@dataclass(frozen=True, slots=True)
class Shape:
    """A caption, or a part of one, before any length is drawn."""

    parts: tuple[tuple[int, Part], ...]
    """(region, part) in order of appearance."""
    regions: tuple[Region, ...]
    """The rest first, then the measured regions in order."""


@dataclass(frozen=True, slots=True)
class Around:
    """What stands before and after the body of a caption: an opening inside a wrapper."""

    before: tuple[tuple[int, Part], ...]
    after: tuple[tuple[int, Part], ...]
    region: Region
    takes: frozenset[str]
    """Items of the plan that it holds itself."""
    gives: frozenset[str]
    """Items that it asks the body to hold besides the plan's."""
    sentences: int
    """Sentences of the whole caption, if its body is a single one."""


def surround(prefix: str, wrapper: str) -> Around | None:
    """An opening inside a wrapper; None where both hold the same item."""
    tokens = wrapper.removeprefix("aside:").split()
    place = tokens.index("BODY")
    before, after = [*tokens[:place], *prefix.split()], tokens[place + 1 :]
    everything = [*before, *after]
    items = [ITEMS[token] for token in everything if token in ITEMS]
    if len(set(items)) < len(items):
        return None
    return Around(
        tuple(_parse(before)),
        tuple(_parse(after)),
        _region(_parse(everything), 0),
        frozenset(items),
        frozenset({"aside"} if wrapper.startswith("aside:") else ()),
        sentences(everything),
    )


def sentences(tokens: Sequence[str]) -> int:
    """How many sentences end among frame tokens."""
    return sum(token in (".", "?") for token in tokens)


@cache
def holds(clause: str) -> tuple[frozenset[str], frozenset[str]]:
    """The items that a clause must hold (outside any group), and those that it may."""
    must = {ITEMS[token] for token in re.sub(r"\([^)]*\)", "", clause).split() if token in ITEMS}
    may = {name for token, name in ITEMS.items() if token in clause}
    return frozenset(must), frozenset(may)


def assemble(clause: str, items: frozenset[str]) -> Shape:
    """The shape of a clause with a place for each item (see `holds`)."""
    parts = _parse(list(_kept(clause.split(), set(items))))
    measured = max(region for region, _ in parts)
    return Shape(tuple(parts), tuple(_region(parts, number) for number in range(measured + 1)))


def _parse(tokens: Sequence[str]) -> list[tuple[int, Part]]:
    """(region, part) of frame tokens; `<` and `>` bound the measured regions."""
    parts: list[tuple[int, Part]] = []
    region = measured = 0
    for token in tokens:
        if token == "<":
            region = measured = measured + 1
        elif token == ">":
            region = 0
        elif SPECIAL.fullmatch(token):
            parts.append((region, Special(token)))
        else:
            parts.extend((region, element) for element in parse(token)[0])
    return parts


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
