"""Which words an example is about.

Objects that may be met in the scene, attributes that are plausible for every one of them,
and nothing that the vocabulary keeps apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from gen.triplets.constructions import Construction
from gen.vocab.triplets import Vocabulary
from schemas.triplets import Distractor

TRIES = 60
"""Draws for one word before the example is given up; a rejection, counted like any other."""

SAME_CLASS = 0.6
"""Share of examples whose objects are all of one class: only these can share the attributes
that few classes have (fabrics for clothing, say), which would hardly be used otherwise."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The words of one example."""

    kind: str
    objects: tuple[str, ...]
    attributes: tuple[tuple[str, ...], ...]
    distractors: tuple[Distractor, ...]
    verbs: tuple[str, ...]
    """Predicate verbs that fit every attribute."""


class Lexicon:
    """The vocabulary, arranged for drawing."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._nouns: dict[str, list[tuple[str, list[str]]]] = {}

    def choose(
        self,
        construction: Construction,
        setting: str,
        distractors: int,
        banned: frozenset[str],
        random: Callable[[], float],
    ) -> Choice | None:
        """Words for one example, or None when none were found in a bounded number of draws.

        All objects, distractors included, are of one kind, so that what the caption says of
        one may be said of another and a negative is no more absurd than its positive.
        """
        kind, nouns = self._kind(setting, random)
        used: list[str] = []
        first = self._draw(nouns, 1, used, banned, random)
        if first is None:
            return None
        pool: Sequence[str] = nouns
        if random() < SAME_CLASS:
            pool = self._vocabulary.classes[self._vocabulary.class_of[first[0]]].words
        others = self._draw(pool, construction.pairs - 1, used, banned, random)
        if others is None:
            return None
        objects = first + others
        plausible = self._attributes(objects)
        adjectives = tuple(chain.from_iterable(plausible.values()))
        if construction.attributes == 2:
            rows = self._bundle(plausible, construction.pairs, used, banned, random)
        else:
            drawn = self._draw(adjectives, construction.pairs, used, banned, random)
            rows = None if drawn is None else tuple((word,) for word in drawn)
        if rows is None:
            return None
        beside = []
        for _ in range(distractors):
            noun = self._draw(nouns, 1, used, frozenset(), random)
            words = noun and self._vocabulary.listed(self._vocabulary.shared(noun))
            word = words and self._draw(words, 1, used, frozenset(), random)
            if not noun or not word:
                return None
            beside.append(Distractor(word[0], noun[0]))
        verbs = self._verbs(word for row in rows for word in row)
        return Choice(kind, objects, rows, tuple(beside), verbs)

    def _kind(self, setting: str, random: Callable[[], float]) -> tuple[str, list[str]]:
        """A kind of object and its nouns, in proportion to how many the setting may hold."""
        if setting not in self._nouns:
            classes = self._vocabulary.classes.values()
            here = [cls for cls in classes if setting in cls.where] or list(classes)
            by_kind: dict[str, list[str]] = {}
            for cls in here:
                by_kind.setdefault(cls.kind, []).extend(cls.words)
            self._nouns[setting] = list(by_kind.items())
        kinds = self._nouns[setting]
        at = int(random() * sum(len(nouns) for _, nouns in kinds))
        place = 0
        while at >= len(kinds[place][1]):
            at -= len(kinds[place][1])
            place += 1
        return kinds[place]

    def _attributes(self, objects: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """For each family, its words that are plausible for every object; none is empty."""
        shared = self._vocabulary.shared(objects)
        found = (
            (name, self._vocabulary.listed(shared & mask))
            for name, mask in self._vocabulary.family_masks.items()
        )
        return {name: words for name, words in found if words}

    def _bundle(
        self,
        plausible: Mapping[str, tuple[str, ...]],
        pairs: int,
        used: list[str],
        banned: frozenset[str],
        random: Callable[[], float],
    ) -> tuple[tuple[str, ...], ...] | None:
        """Two attributes for each object, from two slots in English adjective order."""
        ranked = [
            self._vocabulary.families[name]
            for name, words in plausible.items()
            if len(words) >= pairs
        ]
        apart = [
            (first.name, second.name)
            for first in ranked
            for second in ranked
            if first.order < second.order and first.slot != second.slot
        ]
        if not apart:
            return None
        first, second = apart[int(random() * len(apart))]
        lead = self._draw(plausible[first], pairs, used, banned, random)
        tail = lead and self._draw(plausible[second], pairs, used, banned, random)
        return tuple(zip(lead, tail, strict=True)) if lead and tail else None

    def _draw(
        self,
        pool: Sequence[str],
        count: int,
        used: list[str],
        banned: frozenset[str],
        random: Callable[[], float],
    ) -> tuple[str, ...] | None:
        """`count` words that go with everything in `used`, which they join."""
        found: list[str] = []
        if not pool:
            return None
        for _ in range(TRIES):
            word = pool[int(random() * len(pool))]
            if word in banned or any(self._clash(word, other) for other in used):
                continue
            used.append(word)
            found.append(word)
            if len(found) == count:
                return tuple(found)
        return None

    def _clash(self, word: str, other: str) -> bool:
        return word in other or other in word or self._vocabulary.clash(word, other)

    def _verbs(self, attributes: Iterable[str]) -> tuple[str, ...]:
        families = [
            self._vocabulary.families[self._vocabulary.family_of[word]] for word in attributes
        ]
        return tuple(
            verb for verb in families[0].verbs if all(verb in family.verbs for family in families)
        )
