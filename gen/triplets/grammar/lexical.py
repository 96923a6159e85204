"""Which words an example is about.

Objects that nobody would be surprised to see in the scene, attributes that are plausible for every
one of them, and nothing that the vocabulary keeps apart.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from gen.triplets.constructions import Construction
from gen.triplets.context import Scene, contexts
from gen.vocab.triplets import NounClass, Vocabulary
from schemas.triplets import Distractor

TRIES = 60
"""Draws for one word before the example is given up; a rejection, counted like any other."""

SAME_CLASS = 0.8
"""Share of examples whose objects are all of one class: people write of things that belong
together."""
SAME_FAMILY = 0.45
"""Share of examples whose attributes are asked to be of one family: what is exchanged then says
nothing but who has it."""
ROUNDS = 30
"""Rounds of balancing the classes: far more than the figures change in."""
STEEPEST = 12.0
"""How much likelier, at most, a rarely plausible adjective is drawn where it is plausible."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The words of one example."""

    kind: str
    objects: tuple[str, ...]
    attributes: tuple[tuple[str, ...], ...]
    distractors: tuple[Distractor, ...]
    verbs: tuple[str, ...]
    """Predicate verbs that fit every attribute."""


class Pool:
    """Words to draw from, each with its weight."""

    def __init__(self, words: Sequence[str], weights: Iterable[float]) -> None:
        self.words = words
        self._sums = list(accumulate(weights))

    def draw(self, random: Callable[[], float]) -> str:
        """One of the words."""
        return self.words[bisect_right(self._sums, random() * self._sums[-1])]


class Lexicon:
    """The vocabulary, arranged for drawing."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._classes = vocabulary.classes
        self._named = frozenset().union(*(one.classes for one in contexts().scenes.values()))
        self._pools: dict[str, Pool] = {}
        self._bundles: dict[frozenset[str], list[tuple[str, str]]] = {}
        self._shared: dict[frozenset[str], Pool] = {}
        self._weights = self._balanced()
        self._uses = _rarity(vocabulary)

    def choose(
        self,
        construction: Construction,
        scene: Scene,
        distractors: int,
        banned: frozenset[str],
        random: Callable[[], float],
    ) -> Choice | None:
        """Words for one example, or None when none were found in a bounded number of draws.

        All objects, distractors included, are of one kind, so that what the caption says of
        one may be said of another and a negative is no more absurd than its positive.
        """
        first_class = self._classes[self._here(scene).draw(random)]
        near = self._beside(first_class, scene)
        alone = random() < SAME_CLASS
        used: list[str] = []
        objects: list[str] = []
        for place in range(construction.pairs):
            own = first_class if alone or not place else self._classes[near.draw(random)]
            noun = self._draw(lambda own=own: _any(own.words, random), used, banned)
            if noun is None:
                return None
            objects.append(noun)
        rows = self._rows(construction, objects, used, banned, random)
        if rows is None:
            return None
        beside = []
        for _ in range(distractors):
            own = first_class if alone else self._classes[near.draw(random)]
            noun = self._draw(lambda own=own: _any(own.words, random), used, frozenset())
            if noun is None:
                return None
            pool = self._attributes([noun])
            word = self._fitting(pool, [noun], used, frozenset(), random)
            if word is None:
                return None
            beside.append(Distractor(word, noun))
        verbs = self._verbs(word for row in rows for word in row)
        return Choice(first_class.kind, tuple(objects), rows, tuple(beside), verbs)

    # --- objects -------------------------------------------------------------------------

    def _met(self, scene: Scene) -> list[NounClass]:
        """The classes that may be met in a scene; those that no scene names, by its setting."""
        setting = contexts().settings[scene.setting].type
        found = [
            one
            for one in self._classes.values()
            if (one.name in scene.classes if one.name in self._named else setting in one.where)
        ]
        return found or list(self._classes.values())

    def _balanced(self) -> dict[str, float]:
        """How much likelier a class is drawn where it can be: so that every noun is used alike.

        Iterative scaling: classes that few scenes can hold are drawn there the more often.
        """
        groups: dict[tuple[str, ...], int] = {}
        for scene in contexts().scenes.values():
            key = tuple(one.name for one in self._met(scene))
            groups[key] = groups.get(key, 0) + 1
        sizes = {one.name: len(one.words) for one in self._classes.values()}
        weights = {name: float(size) for name, size in sizes.items()}
        total = sum(sizes.values())
        for _ in range(ROUNDS):
            share = dict.fromkeys(weights, 0.0)
            for names, count in groups.items():
                sum_here = sum(weights[name] for name in names)
                for name in names:
                    share[name] += count * weights[name] / sum_here
            scenes = sum(groups.values())
            for name, got in share.items():
                if got:
                    weights[name] *= sizes[name] / total / (got / scenes)
        return weights

    def _here(self, scene: Scene) -> Pool:
        if scene.text not in self._pools:
            names = [one.name for one in self._met(scene)]
            self._pools[scene.text] = Pool(names, (self._weights[name] for name in names))
        return self._pools[scene.text]

    def _beside(self, first: NounClass, scene: Scene) -> Pool:
        """Classes of the same kind, of which something may stand beside the first object."""
        key = f"{scene.text}/{first.kind}"
        if key not in self._pools:
            names = [one.name for one in self._met(scene) if one.kind == first.kind]
            self._pools[key] = Pool(names, (self._weights[name] for name in names))
        return self._pools[key]

    # --- attributes ------------------------------------------------------------------------

    def _rows(
        self,
        construction: Construction,
        objects: Sequence[str],
        used: list[str],
        banned: frozenset[str],
        random: Callable[[], float],
    ) -> tuple[tuple[str, ...], ...] | None:
        """The attributes of each object, every one of them plausible for all objects."""
        if construction.attributes == 2:
            return self._bundle(objects, used, banned, random)
        pool = self._attributes(objects)
        together = random() < SAME_FAMILY
        found: list[str] = []
        for _ in objects:
            word = self._fitting(pool, objects, used, banned, random)
            if word is None and together and found:  # the family has no further one
                word = self._fitting(self._attributes(objects), objects, used, banned, random)
            if word is None:
                return None
            if together and not found:
                pool = self._family(self._vocabulary.family_of[word])
            found.append(word)
        return tuple((word,) for word in found)

    def _bundle(
        self,
        objects: Sequence[str],
        used: list[str],
        banned: frozenset[str],
        random: Callable[[], float],
    ) -> tuple[tuple[str, ...], ...] | None:
        """Two attributes for each object, from two slots in English adjective order."""
        classes = frozenset(self._vocabulary.class_of[noun] for noun in objects)
        if classes not in self._bundles:
            ranked = [self._vocabulary.families[name] for name in self._families(classes)]
            self._bundles[classes] = [
                (first.name, second.name)
                for first in ranked
                for second in ranked
                if first.order < second.order and first.slot != second.slot
            ]
        apart = self._bundles[classes]
        for _ in range(3 if apart else 0):
            mine = list(used)
            columns = []
            for name in apart[int(random() * len(apart))]:
                words = [
                    self._fitting(self._family(name), objects, mine, banned, random)
                    for _ in objects
                ]
                columns.append(words)
            if all(word for words in columns for word in words):
                used[:] = mine
                return tuple((str(a), str(b)) for a, b in zip(*columns, strict=True))
        return None

    def _families(self, classes: Iterable[str]) -> tuple[str, ...]:
        """Families that are plausible for every one of some classes."""
        fits = [set(self._classes[name].families) for name in classes]
        return tuple(name for name in self._vocabulary.families if all(name in fit for fit in fits))

    def _attributes(self, objects: Sequence[str]) -> Pool:
        """The words of the families that are plausible for every object's class."""
        classes = frozenset(self._vocabulary.class_of[noun] for noun in objects)
        if classes not in self._shared:
            words = [
                word
                for name in self._families(classes)
                for word in self._vocabulary.families[name].words
            ]
            self._shared[classes] = Pool(words, (self._uses[word] for word in words))
        return self._shared[classes]

    def _family(self, name: str) -> Pool:
        if name not in self._pools:
            words = self._vocabulary.families[name].words
            self._pools[name] = Pool(words, (self._uses[word] for word in words))
        return self._pools[name]

    def _fitting(
        self,
        pool: Pool,
        objects: Sequence[str],
        used: list[str],
        banned: frozenset[str],
        random: Callable[[], float],
    ) -> str | None:
        """An attribute of the pool that is plausible for every object."""
        if not pool.words:
            return None
        plausible = self._vocabulary.shared(objects)
        places = self._vocabulary.places
        for _ in range(TRIES):
            word = pool.draw(random)
            if plausible >> places[word] & 1 and self._free(word, used, banned):
                used.append(word)
                return word
        return None

    def _draw(self, draw: Callable[[], str], used: list[str], banned: frozenset[str]) -> str | None:
        """A word that goes with everything in `used`, which it joins."""
        for _ in range(TRIES):
            word = draw()
            if self._free(word, used, banned):
                used.append(word)
                return word
        return None

    def _free(self, word: str, used: Iterable[str], banned: frozenset[str]) -> bool:
        return word not in banned and not any(self._clash(word, other) for other in used)

    def _clash(self, word: str, other: str) -> bool:
        return word in other or other in word or self._vocabulary.clash(word, other)

    def _verbs(self, attributes: Iterable[str]) -> tuple[str, ...]:
        families = [
            self._vocabulary.families[self._vocabulary.family_of[word]] for word in attributes
        ]
        return tuple(
            verb for verb in families[0].verbs if all(verb in family.verbs for family in families)
        )


def _any(words: Sequence[str], random: Callable[[], float]) -> str:
    return words[int(random() * len(words))]


def _rarity(vocabulary: Vocabulary) -> dict[str, float]:
    """The weight of each adjective: the inverse of how often two objects of a class allow it.

    So a word that is plausible for few objects is used about as often as one that is for all.
    """
    total = len(vocabulary.class_of)
    found = {}
    for word, partners in vocabulary.partners.items():
        fitting = Counter(vocabulary.class_of[noun] for noun in partners)
        sizes = {name: len(vocabulary.classes[name].words) for name in fitting}
        chance = sum(count**2 / sizes[name] / total for name, count in fitting.items())
        found[word] = 1 / max(chance, 1e-6)
    least = min(found.values())
    return {word: min(weight / least, STEEPEST) for word, weight in found.items()}
