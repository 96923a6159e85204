"""What `compatibility.toml` says: which attribute is plausible for which noun, as bit masks.

A pair is plausible when the noun's class takes the adjective's family and, where there is a
plausibility table, its log-odds reach the family's threshold. What is listed by hand, adjective by
adjective in `pairs.txt` or pair by pair, is decided so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

from gen.vocab.plausibility import MISSING, STEP, ZERO, Table
from gen.vocab.tomlfile import lines

DEFAULT, THRESHOLD = "default", 1.0
"""The key, in [thresholds], for families that it doesn't name; its value where that is missing."""


@dataclass(frozen=True)
class Compatibility:
    """The file's content, checked."""

    families: dict[str, tuple[str, ...]]
    """For each class of objects, the families of adjectives that it takes."""
    thresholds: dict[str, float]
    """For each family of adjectives, the log-odds (nats) from which a pair is plausible."""
    always: frozenset[tuple[str, str]]
    never: frozenset[tuple[str, str]]
    """Pairs (adjective, noun) decided by hand, whatever class and table say."""


def compatibility(path: Path, data: dict[str, Any], families: Iterable[str]) -> Compatibility:
    """Check the file's content against the families of adjectives.

    Raises:
        ValueError: naming file, field, value and fix.
    """
    known = tuple(families)
    always, never = (_exceptions(path, data, key) for key in ("always", "never"))
    for attribute, noun in always & never:
        raise ValueError(f"{path}: {attribute} {noun} is in always and in never; keep one")
    return Compatibility(
        _families(path, data, frozenset(known)), _thresholds(path, data, known), always, never
    )


def _thresholds(path: Path, data: dict[str, Any], families: tuple[str, ...]) -> dict[str, float]:
    table = data.get("thresholds", {})
    if not isinstance(table, dict):
        raise ValueError(f"{path}: thresholds must be a table: FAMILY = 1.0")
    for name, value in table.items():
        if name not in (DEFAULT, *families):
            raise ValueError(f"{path}: thresholds names {name!r}, not in adjectives.toml")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{path}: thresholds.{name} is {value!r}; write nats, like 1.0")
    values = {DEFAULT: THRESHOLD, **table}
    return {name: float(values.get(name, values[DEFAULT])) for name in families}


def _families(
    path: Path, data: dict[str, Any], known: frozenset[str]
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
            if not isinstance(family, str) or family not in known:
                raise ValueError(
                    f"{path}: families.{name} names {family!r}, not in adjectives.toml"
                )
        fits[name] = tuple(names)
    return fits


def _exceptions(path: Path, data: dict[str, Any], key: str) -> frozenset[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for line in lines(path, data, key):
        pair, _, reason = line.partition("|")
        attribute, _, noun = pair.strip().partition(" ")
        if not noun or not reason.strip():
            raise ValueError(f"{path}: {key} has {line!r}; write `adjective noun | reason`")
        if (attribute, noun) in found:
            raise ValueError(f"{path}: {key} has {pair.strip()!r} twice; keep one")
        found.add((attribute, noun))
    return frozenset(found)


def check_words(
    path: Path, rules: Compatibility, adjectives: Mapping[str, str], nouns: Mapping[str, str]
) -> None:
    """Refuse an exception about a word that the vocabulary lacks.

    Raises:
        ValueError: naming it.
    """
    for attribute, noun in sorted(rules.always | rules.never):
        for word, known in ((attribute, adjectives), (noun, nouns)):
            if word not in known:
                raise ValueError(f"{path}: {attribute} {noun}: no list of words has {word!r}")


def bits_by_family(adjectives: Mapping[str, str]) -> dict[str, int]:
    """For each family, the bits of its words: bit i stands for the i-th adjective."""
    found: dict[str, int] = {}
    for place, family in enumerate(adjectives.values()):
        found[family] = found.get(family, 0) | 1 << place
    return found


def masks(
    rules: Compatibility,
    table: Table | None,
    nouns: Mapping[str, str],
    adjectives: Mapping[str, str],
    pairs: Mapping[str, frozenset[str]],
) -> dict[str, int]:
    """For each noun, the bits of the attributes that are plausible for it.

    `nouns` has the class of each, `adjectives` the family of each. A pair that the table lacks is
    decided by its class alone; an adjective of `pairs` by the nouns that stand there.
    """
    families = bits_by_family(adjectives)
    of_class = {
        name: reduce(or_, (families[family] for family in names))
        for name, names in rules.families.items()
    }
    found = {noun: of_class[name] for noun, name in nouns.items()}
    if table is not None:
        levels: dict[float, int] = {}
        for name, mask in families.items():
            level = rules.thresholds[name]
            levels[level] = levels.get(level, 0) | mask
        tests = [(_digits(level), mask) for level, mask in levels.items()]
        for noun, column in table.columns(tuple(adjectives), nouns).items():
            backward = column[::-1]
            passed = (int(backward.translate(digits), 2) & mask for digits, mask in tests)
            found[noun] &= reduce(or_, passed)
    places = {word: place for place, word in enumerate(adjectives)}
    listed = sum(1 << places[word] for word in pairs)
    for noun in found:
        found[noun] &= ~listed
    for word, own in pairs.items():
        for noun in own:
            found[noun] |= 1 << places[word]
    for attribute, noun in rules.always:
        found[noun] |= 1 << places[attribute]
    for attribute, noun in rules.never:
        found[noun] &= ~(1 << places[attribute])
    return found


def _digits(threshold: float) -> bytes:
    """For each character of a table, the digit 1 where its log-odds reach the threshold."""
    return bytes(b"01"[code == MISSING or (code - ZERO) * STEP >= threshold] for code in range(256))
