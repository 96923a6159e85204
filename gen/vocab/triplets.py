"""The vocabulary: adjectives in families, nouns in classes, and what may go together.

Three TOML files make a vocabulary (`gen/vocab`, or a user's `--vocab DIR`):
`adjectives.toml`, `nouns.toml` and `compatibility.toml`; `plausibility.txt` is computed from
them, `pairs.txt` lists pairs by hand, and either may be missing. A caption's core terms come from
it; the writer's frame text (scenes, registers, grammar) never uses its words.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import compress
from operator import and_
from pathlib import Path
from typing import Any

from gen.base.text.words import plurals, words
from gen.vocab import pairs
from gen.vocab.compatibility import Compatibility, check_words, compatibility, masks
from gen.vocab.conflicts import Conflicts, conflicts_of
from gen.vocab.plausibility import TABLE_FILE, Table, parse
from gen.vocab.tomlfile import choices, entries, read, tables_of, unique

BUILTIN = Path(__file__).parent
FILES = ("adjectives.toml", "nouns.toml", "compatibility.toml")
KINDS = ("thing", "cloth", "fixture", "vehicle", "boat", "animal", "food", "plant", "building")
"""What the grammar may say of an object (things are held, fixtures stand, animals rest, ...)."""
SETTINGS = (
    *("home", "shop", "work", "street", "transit"),
    *("water", "nature", "farm", "venue", "office"),
)
"""Types of setting in which a class of objects may be met."""
LENIENT = -1.0
"""Log-odds (nats) from which a pair that somebody else has chosen may pass: of the pairs that two
readers judged, 83 % of the plausible ones do, and half of the implausible ones don't."""
VERBS = ("be", "look", "turn", "grow", "become", "stay")
"""Predicate verbs that an adjective family may take."""
_BITS = bytes.maketrans(b"01", b"\0\1")


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
    closes: bool = False
    """Whether it may stand next to the noun, behind another slot's adjective (`a big blue cup`)."""


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
    compatibility: Compatibility
    table: Table | None
    """Log-odds of the pairs; None where none were computed: the classes alone decide."""
    pairs: dict[str, frozenset[str]]
    """For adjectives listed by hand, the nouns that each may be said of."""
    digest: str
    """SHA-256 over the files: the vocabulary's identity in run configurations."""

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

    @cached_property
    def adjectives(self) -> tuple[str, ...]:
        """The adjectives; bit i of a mask stands for the i-th."""
        return tuple(self.family_of)

    @cached_property
    def masks(self) -> dict[str, int]:
        """For each noun, the bits of the attributes that are plausible for it."""
        return masks(self.compatibility, self.table, self.class_of, self.family_of, self.pairs)

    @cached_property
    def _allowed(self) -> dict[str, int]:
        lenient = replace(self.compatibility, thresholds=dict.fromkeys(self.families, LENIENT))
        found = masks(lenient, self.table, self.class_of, self.family_of, {})
        return {noun: own | self.masks[noun] for noun, own in found.items()}

    @cached_property
    def places(self) -> dict[str, int]:
        """The bit of each adjective in a mask."""
        return {word: place for place, word in enumerate(self.adjectives)}

    def listed(self, mask: int) -> tuple[str, ...]:
        """The adjectives of a mask, in the order of the vocabulary."""
        return tuple(compress(self.adjectives, f"{mask:b}"[::-1].encode().translate(_BITS)))

    def shared(self, nouns: Iterable[str]) -> int:
        """The bits of the attributes that are plausible for every one of the nouns."""
        return reduce(and_, (self.masks[noun] for noun in nouns))

    def attributes_of(self, noun: str) -> frozenset[str]:
        """The attributes that are plausible for a noun."""
        return frozenset(self.listed(self.masks[noun]))

    @cached_property
    def partners(self) -> dict[str, frozenset[str]]:
        """For each adjective, the nouns that it is plausible for."""
        found: dict[str, set[str]] = {word: set() for word in self.adjectives}
        for noun, mask in self.masks.items():
            for word in self.listed(mask):
                found[word].add(noun)
        return {word: frozenset(nouns) for word, nouns in found.items()}

    @cached_property
    def fitting(self) -> dict[str, Counter[str]]:
        """For each class, how many of its nouns each adjective is plausible for."""
        return {
            name: Counter(word for noun in cls.words for word in self.listed(self.masks[noun]))
            for name, cls in self.classes.items()
        }

    def log_odds(self, attribute: str, noun: str) -> float | None:
        """How much likelier the noun is after the attribute, in nats; None where unknown."""
        return None if self.table is None else self.table.log_odds(attribute, noun)

    def fits(self, attribute: str, noun: str) -> bool | None:
        """Whether the attribute is plausible for the noun; None where either is unknown."""
        return self._has(self.masks, attribute, noun)

    def allows(self, attribute: str, noun: str) -> bool | None:
        """As `fits`, but less strict: what else the class takes and the table does not exclude.

        For words that somebody else has chosen: `fits`, made to draw from, lacks most of the pairs
        that a reader would let pass.
        """
        return self._has(self._allowed, attribute, noun)

    def _has(self, masks: dict[str, int], attribute: str, noun: str) -> bool | None:
        place, mask = self.places.get(attribute), masks.get(noun)
        return None if place is None or mask is None else bool(mask >> place & 1)

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
    optional = {}
    for name in (TABLE_FILE, pairs.PAIRS_FILE):
        path = folder / name
        optional[name] = path.read_bytes() if path.exists() else b""
        digest.update(optional[name])
    adjectives, nouns, fitting = tables
    where = folder / FILES[0]
    families = {
        name: _family(where, name, table)
        for name, table in tables_of(where, adjectives, "families")
    }
    rules = compatibility(folder / FILES[2], fitting, families)
    where = folder / FILES[1]
    classes = {
        name: _noun_class(where, name, table, rules.families)
        for name, table in tables_of(where, nouns, "classes")
    }
    for name in rules.families:
        if name not in classes:
            raise ValueError(f"{folder / FILES[2]}: {name!r} is not a class of nouns.toml")
    conflicts: Conflicts = {}
    for name, table, lists in (
        (FILES[0], adjectives, [family.words for family in families.values()]),
        (FILES[1], nouns, [cls.words for cls in classes.values()]),
    ):
        unique(folder / name, lists)
        for word, others in conflicts_of(folder / name, table, lists).items():
            conflicts[word] = conflicts.get(word, frozenset()) | others
    family_of = {word: family.name for family in families.values() for word in family.words}
    members = {name: cls.words for name, cls in classes.items()}
    listed = pairs.parse(folder / pairs.PAIRS_FILE, optional[pairs.PAIRS_FILE], family_of, members)
    scores = parse(folder / TABLE_FILE, optional[TABLE_FILE]) if optional[TABLE_FILE] else None
    found = Vocabulary(families, classes, conflicts, rules, scores, listed, digest.hexdigest())
    check_words(folder / FILES[2], rules, found.family_of, found.class_of)
    return found


def _family(path: Path, name: str, table: dict[str, Any]) -> Family:
    order = table.get("order")
    if not isinstance(order, int):
        raise ValueError(f"{path}: {name}.order must be a whole number (adjective order, 1 to 9)")
    verbs = tuple(
        dict.fromkeys(("be", *choices(path, name, {"verbs": ["be"], **table}, "verbs", VERBS)))
    )
    slot = table.get("slot", name)
    if not isinstance(slot, str):
        raise ValueError(f"{path}: {name}.slot must be the name of a semantic slot")
    closes = table.get("closes", False)
    if not isinstance(closes, bool):
        raise ValueError(f"{path}: {name}.closes must be true or false")
    listed = entries(path, f"{name}.words", table.get("words"), 1)
    return Family(name, order, slot, verbs, listed, closes)


def _noun_class(
    path: Path, name: str, table: dict[str, Any], fits: dict[str, tuple[str, ...]]
) -> NounClass:
    if name not in fits:
        raise ValueError(f"{path.parent / FILES[2]}: no line for the class {name!r} of nouns.toml")
    kind = table.get("kind")
    if kind not in KINDS:
        raise ValueError(f"{path}: {name}.kind is {kind!r}; choose from {', '.join(KINDS)}")
    where = choices(path, name, table, "where", SETTINGS)
    listed = entries(path, f"{name}.words", table.get("words"), 3)
    return NounClass(name, kind, where, listed, fits[name])
