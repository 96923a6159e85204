"""The benchmark's vocabulary: objects, attributes with their appearances, and what looks alike.

One file, `saber.toml` (`gen/vocab`, or a user's `--vocab DIR`). An attribute is given by its
appearance in the paper's notation (A.1): `"{color1} and {color2} striped"`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from pathlib import Path
from typing import Any

from gen.base.text.words import WORD, words
from gen.vocab.tomlfile import entries, lines, read, terms, unique

BUILTIN = Path(__file__).parent
FILE = "saber.toml"
TYPES = ("standalone", "single_color", "two_color", "fixed_variant")
"""How an attribute is instantiated (A.1): as it is, with palette colors, or from a closed set."""

_SLOT = re.compile(r"\{([^{}]*)\}")
_EXCEPT = " except "


@dataclass(frozen=True)
class Attribute:
    """A visual attribute: the word that captions use, and the appearance it stands for."""

    name: str
    category: str
    form: str
    """The appearance, with slots in braces."""

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """What is in braces, in order."""
        return tuple(_SLOT.findall(self.form))

    @cached_property
    def colors(self) -> int:
        """Palette colors that the appearance takes."""
        return sum(slot.startswith("color") for slot in self.slots)

    def suits(self, color: str) -> bool:
        """Whether a palette color may fill its slots."""
        return not any(color in slot.partition(_EXCEPT)[2].split() for slot in self.slots)

    @cached_property
    def variants(self) -> tuple[str, ...]:
        """The closed set of a fixed-variant attribute, else nothing."""
        if self.colors or not self.slots:
            return ()
        return tuple(part.strip() for part in self.slots[0].split(","))

    @property
    def type(self) -> str:
        """One of `TYPES`."""
        return TYPES[3] if self.variants else TYPES[self.colors]

    def fill(self, values: Sequence[str]) -> str:
        """The appearance with its slots filled: an instantiation.

        >>> Attribute("striped", "pattern", "{color1} and {color2} striped").fill(["red", "blue"])
        'red and blue striped'
        """
        left = iter(values)
        return _SLOT.sub(lambda _: next(left), self.form)

    def looks(self, palette: Sequence[str]) -> Iterator[str]:
        """Every instantiation there is; the colors of one are distinct (A.1)."""
        if self.variants:
            yield from (self.fill([variant]) for variant in self.variants)
        else:
            yield from map(self.fill, permutations(filter(self.suits, palette), self.colors))


@dataclass(frozen=True)
class SaberVocabulary:
    """Objects and attributes, checked when loaded; immutable."""

    objects: tuple[str, ...]
    attributes: dict[str, Attribute]
    palette: tuple[str, ...]
    group: dict[str, str]
    """For every term the first of those it looks like, or itself: no two of a group may meet."""
    digest: str
    """SHA-256 of the file: the vocabulary's identity in run configurations."""

    @property
    def counts(self) -> dict[str, int]:
        """Sizes, as the manifest and the card show them."""
        categories = {attribute.category for attribute in self.attributes.values()}
        return {
            "objects": len(self.objects),
            "attributes": len(self.attributes),
            "categories": len(categories),
        }


def load(folder: Path = BUILTIN) -> SaberVocabulary:
    """Read and check a vocabulary.

    Raises:
        ValueError: naming file, field, value and fix for the first thing that is wrong.
    """
    path = folder / FILE
    data, raw = read(path, FILE)
    palette = entries(path, "palette", data.get("palette"), 1)
    unique(path, [palette])
    groups = [entries(path, f"objects.{name}", v, 3) for name, v in _table(path, data, "objects")]
    objects = tuple(term for group in groups for term in group)
    attributes = [
        _attribute(path, category, name, form, palette)
        for category, table in _table(path, data, "attributes")
        for name, form in _table(path, {category: table}, category, "attributes.")
    ]
    names = [attribute.name for attribute in attributes]
    # A word that is both would leave open which of the two a caption means.
    unique(path, [names, dict.fromkeys(word for term in objects for word in words(term))])
    unique(path, [objects])
    unique(path, [one.looks(palette) for one in attributes])
    return SaberVocabulary(
        objects=objects,
        attributes={attribute.name: attribute for attribute in attributes},
        palette=palette,
        group=_alike(path, data, objects, names),
        digest=hashlib.sha256(raw).hexdigest(),
    )


def _table(path: Path, data: dict[str, Any], key: str, within: str = "") -> list[tuple[str, Any]]:
    table = data.get(key)
    if not isinstance(table, dict) or not table:
        raise ValueError(f"{path}: needs a [{within}{key}] table that is not empty")
    return list(table.items())


def _attribute(
    path: Path, category: str, name: str, form: object, palette: Sequence[str]
) -> Attribute:
    place = f"{path}: attributes.{category}.{name}"
    if not WORD.fullmatch(name) or name != name.casefold():
        raise ValueError(f"{place}: an attribute is one word in lower case")
    if not isinstance(form, str) or not form.strip():
        raise ValueError(f"{place} must be the appearance as a string, as in {name} = {name!r}")
    attribute = Attribute(name, category, form)
    slots = [slot.partition(_EXCEPT) for slot in attribute.slots]
    sound = [name for name, *_ in slots] in ([], ["color"], ["color1", "color2"])
    sound = sound and {color for *_, barred in slots for color in barred.split()} <= set(palette)
    if len(attribute.slots) == 1 and "," in attribute.slots[0]:
        sound = len(set(attribute.variants)) == len(attribute.variants) and all(attribute.variants)
    if not sound or set("{}") & set(_SLOT.sub("", form)):
        raise ValueError(
            f"{place} is {form!r}; slots are {{color}}, {{color1}} and {{color2}}, "
            "{color except black}, or a closed set as in {light-brown, dark-brown}"
        )
    if attribute.colors > sum(map(attribute.suits, palette)):
        raise ValueError(f"{place} takes {attribute.colors} colors; list as many in the palette")
    for look in attribute.looks(palette):
        if look != " ".join(look.split()) or not all(map(WORD.fullmatch, look.split())):
            raise ValueError(f"{place} gives {look!r}; write words with single blanks between")
    return attribute


def _alike(
    path: Path, data: dict[str, Any], objects: Sequence[str], names: Sequence[str]
) -> dict[str, str]:
    """The groups of look-alikes; a term that is in none is a group of its own."""
    group = {term: term for term in (*objects, *names)}
    table = data.get("alike", {})
    if not isinstance(table, dict) or table.keys() - {"objects", "attributes"}:
        raise ValueError(f"{path}: [alike] takes `objects` and `attributes`, a group a line")
    for key, known in (("objects", objects), ("attributes", names)):
        rows = [terms(line) for line in lines(path, table, key)]
        unique(path, rows)
        for row in rows:
            for term in row:
                if term not in known:
                    raise ValueError(f"{path}: alike.{key} names {term!r}, which is not listed")
                group[term] = row[0]
    return group
