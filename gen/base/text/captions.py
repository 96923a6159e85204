"""A positive caption with its core terms located: what the structural checks look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gen.base.text.words import positions, words


@dataclass(frozen=True, slots=True)
class Caption:
    """The words of a caption and where its terms stand in them (places count words)."""

    text: str
    tokens: list[str]
    objects: tuple[int, ...]
    """First word of each object."""
    sizes: tuple[int, ...]
    """Words of each object."""
    attributes: tuple[tuple[int, ...], ...]
    """The attributes of each object."""

    @property
    def ends(self) -> tuple[int, ...]:
        """The place just after each object."""
        return tuple(place + size for place, size in zip(self.objects, self.sizes, strict=True))

    def between(self, start: int, stop: int) -> list[str]:
        """The words from place `start` up to, not including, `stop`."""
        return self.tokens[start:stop]


def locate(
    text: str, objects: Sequence[str], attributes: Sequence[Sequence[str]]
) -> Caption | None:
    """The caption with every term located, or None unless each occurs exactly once.

    No two terms may overlap ("coffee table lamp" is no coffee table and no table lamp).
    """
    tokens = words(text)
    places, sizes = [], []
    for noun in objects:
        term = words(noun)
        found = positions(tokens, term)
        if len(found) != 1:
            return None
        places.append(found[0])
        sizes.append(len(term))
    attribute_places = []
    for group in attributes:
        row = []
        for attribute in group:
            found = positions(tokens, [attribute.casefold()])
            if len(found) != 1:
                return None
            row.append(found[0])
        attribute_places.append(tuple(row))
    taken = [place for row in attribute_places for place in row]
    for place, size in zip(places, sizes, strict=True):
        taken += range(place, place + size)
    if len(set(taken)) < len(taken):
        return None
    return Caption(text, tokens, tuple(places), tuple(sizes), tuple(attribute_places))
