"""Frames: the notation of `frames.toml` (explained there), parsed.

A frame is an opening with a clause; a wrapper stands around it. Its text is cut into the
rest (region 0) and the measured regions between `<` and `>`, so that the binding distance
and the length of the caption can be drawn exactly and separately.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gen.grammar.derive import Element, Text, parse

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
class Wrapper:
    """What stands before and after the body of a caption."""

    before: tuple[tuple[int, Part], ...]
    after: tuple[tuple[int, Part], ...]
    region: Region
    takes: frozenset[str]
    """Items that the wrapper itself holds."""
    gives: frozenset[str]
    """Items that it asks the body to hold besides the plan's."""
    sentences: int
    """Sentences of the whole caption, if its body is a single one."""


def parse_wrapper(line: str) -> Wrapper:
    """A wrapper from its line."""
    tokens = line.removeprefix("aside:").split()
    place = tokens.index("BODY")
    before, after = _parse(tokens[:place]), _parse(tokens[place + 1 :])
    return Wrapper(
        tuple(before),
        tuple(after),
        _region([*before, *after], 0),
        frozenset(ITEMS[token] for token in tokens if token in ITEMS),
        frozenset({"aside"} if line.startswith("aside:") else ()),
        tokens.count(".") + tokens.count("{close}"),
    )


def holds(frame: str) -> tuple[frozenset[str], frozenset[str]]:
    """The items that a frame must hold (outside any group), and those that it may."""
    must = {ITEMS[token] for token in re.sub(r"\([^)]*\)", "", frame).split() if token in ITEMS}
    may = {name for token, name in ITEMS.items() if token in frame}
    return frozenset(must), frozenset(may)


def assemble(frame: str, items: frozenset[str]) -> Shape:
    """The shape of an opening and clause with a place for each item (see `holds`)."""
    parts = _parse(list(_kept(frame.split(), set(items))))
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
