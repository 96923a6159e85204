"""The vocabulary: adjectives in families, nouns in classes, and what may go together.

Three TOML files make a vocabulary (`gen/vocab`, or a user's `--vocab DIR`):
`adjectives.toml`, `nouns.toml` and `compatibility.toml`. A caption's core terms come
from it; the writer's frame text (scenes, registers, grammar) never uses its words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from gen.base.text.words import plurals, words
from gen.vocab.tomlfile import entries, lines, read, terms, unique

BUILTIN = Path(__file__).parent
FILES = ("adjectives.toml", "nouns.toml", "compatibility.toml")
KINDS = ("thing", "cloth", "fixture", "vehicle", "boat", "animal", "food", "plant", "building")
"""What the grammar may say of an object (things are held, fixtures stand, animals rest, ...)."""
SETTINGS = (
    *("home", "shop", "work", "street", "transit"),
    *("water", "nature", "farm", "venue", "office"),
)
"""Types of setting in which a class of objects may be met."""
VERBS = ("be", "look", "turn", "grow", "become", "stay")
"""Predicate verbs that an adjective family may take."""


Conflicts: TypeAlias = dict[str, frozenset[str]]


@dataclass(frozen=True)
class Family:
    """A family of adjectives: one semantic slot, such as colour or material."""

    name: str
    order: int
    """Place in the English order of adjectives, 1 (opinion) to 9 (material)."""
    slot: str
    """Semantic slot: families of one slot say the same sort of thing (both color families)."""
    verbs: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class NounClass:
    """A class of objects that take the same attributes and are met in the same places."""

    name: str
    kind: str
    where: tuple[str, ...]
    words: tuple[str, ...]
    families: tuple[str, ...]
    """Families of attributes that are plausible for every object of the class."""


@dataclass(frozen=True)
class Vocabulary:
    """Families, classes and conflicts, checked when loaded; immutable."""

    families: dict[str, Family]
    classes: dict[str, NounClass]
    conflicts: Conflicts
    """For a word, the words it must not meet: synonyms, heads and kinds, wholes and parts."""
    digest: str
    """SHA-256 over the three files: the vocabulary's identity in run configurations."""

    @cached_property
    def family_of(self) -> dict[str, str]:
        """The family of each adjective."""
        return {word: family.name for family in self.families.values() for word in family.words}

    @cached_property
    def class_of(self) -> dict[str, str]:
        """The class of each noun."""
        return {word: cls.name for cls in self.classes.values() for word in cls.words}

    @cached_property
    def surface_words(self) -> frozenset[str]:
        """Every single word the vocabulary may put into a caption, plurals included."""
        single = {part for term in self.family_of for part in words(term)}
        for noun in self.class_of:
            single.update(words(noun))
            single.update(plurals(noun))
        return frozenset(single)

    @cached_property
    def plurals(self) -> frozenset[str]:
        """The plurals of the nouns, less what is a noun itself."""
        forms = {form for noun in self.class_of for form in plurals(noun)}
        return frozenset(forms - self.class_of.keys())

    @property
    def counts(self) -> dict[str, int]:
        """Sizes, as the manifest and the card show them."""
        sizes = len(self.family_of), len(self.families), len(self.class_of), len(self.classes)
        names = ("adjectives", "families", "nouns", "classes")
        return dict(zip(names, sizes, strict=True))

    def slot_of(self, attribute: str) -> str | None:
        """The semantic slot of an adjective; None where it is unknown."""
        family = self.family_of.get(attribute)
        return None if family is None else self.families[family].slot

    def one_family(self, attributes: Iterable[str]) -> bool:
        """Whether adjectives are all of one family; an unknown one shares a family with none."""
        families = {self.family_of.get(word) for word in attributes}
        return len(families) == 1 and None not in families

    def fits(self, attribute: str, noun: str) -> bool | None:
        """Whether the attribute is plausible for the noun; None where either is unknown."""
        family, cls = self.family_of.get(attribute), self.class_of.get(noun)
        if family is None or cls is None:
            return None
        return family in self.classes[cls].families

    def clash(self, first: str, second: str) -> bool:
        """Whether two nouns or two adjectives are listed as one not to meet the other."""
        return second in self.conflicts.get(first, ())


def load(folder: Path = BUILTIN) -> Vocabulary:
    """Read and check a vocabulary folder.

    Raises:
        ValueError: naming file, field, value and fix for the first thing that is wrong.
    """
    digest = hashlib.sha256()
    tables: list[dict[str, Any]] = []
    for name in FILES:
        table, data = read(folder / name, ", ".join(FILES))
        tables.append(table)
        digest.update(data)
    adjectives, nouns, compatibility = tables
    where = folder / FILES[0]
    families = {
        name: _family(where, name, table) for name, table in _tables(where, adjectives, "families")
    }
    fits = _compatibility(folder / FILES[2], compatibility, families)
    where = folder / FILES[1]
    classes = {
        name: _noun_class(where, name, table, fits)
        for name, table in _tables(where, nouns, "classes")
    }
    for name in fits:
        if name not in classes:
            raise ValueError(f"{folder / FILES[2]}: {name!r} is not a class of nouns.toml")
    conflicts: Conflicts = {}
    for name, table, lists in (
        (FILES[0], adjectives, [family.words for family in families.values()]),
        (FILES[1], nouns, [cls.words for cls in classes.values()]),
    ):
        unique(folder / name, lists)
        for word, others in _conflicts(folder / name, table, lists).items():
            conflicts[word] = conflicts.get(word, frozenset()) | others
    return Vocabulary(families, classes, conflicts, digest.hexdigest())


def _tables(path: Path, data: dict[str, Any], key: str) -> list[tuple[str, dict[str, Any]]]:
    tables = data.get(key)
    if not isinstance(tables, dict) or not tables:
        raise ValueError(f"{path}: needs at least one [{key}.NAME] table")
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise ValueError(f"{path}: {key}.{name} must be a table with `words`")
    return list(tables.items())


def _choices(
    path: Path, name: str, table: dict[str, Any], key: str, allowed: tuple[str, ...]
) -> tuple[str, ...]:
    value = table.get(key, list(allowed))
    if not isinstance(value, list) or not value or not all(item in allowed for item in value):
        raise ValueError(f"{path}: {name}.{key} is {value!r}; choose from {', '.join(allowed)}")
    return tuple(value)


def _family(path: Path, name: str, table: dict[str, Any]) -> Family:
    order = table.get("order")
    if not isinstance(order, int):
        raise ValueError(f"{path}: {name}.order must be a whole number (adjective order, 1 to 9)")
    verbs = tuple(
        dict.fromkeys(("be", *_choices(path, name, {"verbs": ["be"], **table}, "verbs", VERBS)))
    )
    slot = table.get("slot", name)
    if not isinstance(slot, str):
        raise ValueError(f"{path}: {name}.slot must be the name of a semantic slot")
    return Family(name, order, slot, verbs, entries(path, f"{name}.words", table.get("words"), 1))


def _noun_class(
    path: Path, name: str, table: dict[str, Any], fits: dict[str, tuple[str, ...]]
) -> NounClass:
    if name not in fits:
        raise ValueError(f"{path.parent / FILES[2]}: no line for the class {name!r} of nouns.toml")
    kind = table.get("kind")
    if kind not in KINDS:
        raise ValueError(f"{path}: {name}.kind is {kind!r}; choose from {', '.join(KINDS)}")
    where = _choices(path, name, table, "where", SETTINGS)
    listed = entries(path, f"{name}.words", table.get("words"), 3)
    return NounClass(name, kind, where, listed, fits[name])


def _compatibility(
    path: Path, data: dict[str, Any], families: dict[str, Family]
) -> dict[str, tuple[str, ...]]:
    table = data.get("families")
    if not isinstance(table, dict):
        raise ValueError(f"{path}: needs a [families] table: CLASS = 'family family ...'")
    fits: dict[str, tuple[str, ...]] = {}
    for name, value in table.items():
        names = value.split() if isinstance(value, str) else value
        if not isinstance(names, list) or not names:
            raise ValueError(f"{path}: families.{name} must name at least one family")
        for family in names:
            if not isinstance(family, str) or family not in families:
                raise ValueError(
                    f"{path}: families.{name} names {family!r}, not in adjectives.toml"
                )
        fits[name] = tuple(names)
    return fits


def _conflicts(path: Path, data: dict[str, Any], lists: Iterable[tuple[str, ...]]) -> Conflicts:
    """What the groups of a file keep apart: all of a `synonyms` line, a head and its words."""
    known = {word for words in lists for word in words}
    found: dict[str, set[str]] = {}
    groups = [terms(line) for line in lines(path, data, "synonyms")]
    pairs = [("synonyms", first, second) for group in groups for first in group for second in group]
    for key in ("kind_of", "part_of"):
        for line in lines(path, data, key):
            head, colon, rest = line.partition(":")
            if not colon or not terms(rest):
                raise ValueError(f"{path}: {key} has {line!r}; write `head: word word ...`")
            pairs += [(key, head.strip(), word) for word in terms(rest)]
    for key, first, second in pairs:
        for word in (first, second):
            if word not in known:
                raise ValueError(f"{path}: {key} names {word!r}, which no list holds")
        if first != second:
            found.setdefault(first, set()).add(second)
            found.setdefault(second, set()).add(first)
    return {word: frozenset(others) for word, others in found.items()}
