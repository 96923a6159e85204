"""Which words an example is about.

Objects that nobody would be surprised to see in the scene, attributes that are plausible for every
one of them, and nothing that the vocabulary keeps apart.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from gen.triplets.constructions import Construction
from gen.triplets.context import Scene, contexts
from gen.triplets.grammar.balance import adjective_weights, class_weights
from gen.vocab.triplets import NounClass, Vocabulary
from schemas.triplets import Distractor

TRIES = 60
"""Draws for one word before the example is given up; a rejection, counted like any other."""

SAME_CLASS = 0.8
"""Share of examples whose objects are all of one class: people write of things that belong
together."""
SAME_FAMILY = 0.36
"""Share of examples whose attributes are asked to be of one family: what is exchanged then says
nothing but who has it."""
COMPANIES = 20
"""Companies of objects that are tried before the example is given up."""
LEAST = {1: 8, 2: 16}
"""Attributes that all objects of an example must share, where each takes one; where each takes two,
attributes that may stand next to the noun: else a few colors would be all there is for animals."""


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
        scenes = contexts().scenes.values()
        self._named = frozenset().union(*(one.classes for one in scenes))
        self._pools: dict[str, Pool] = {}
        self._weights = class_weights(vocabulary.classes.values(), map(self._met, scenes))
        self._uses = adjective_weights(vocabulary, LEAST[1])
        families = vocabulary.families.values()
        self._all = (1 << len(vocabulary.family_of)) - 1
        closing = [one for one in families if one.closes] or families
        self._closing = sum(1 << vocabulary.places[w] for one in closing for w in one.words)
        looks = [one for one in families if "look" in one.verbs] or families
        self._predicable = frozenset(word for one in looks for word in one.words)
        """Words that can be said of a thing after a verb: `the mug is chipped`, not `is unsold`."""

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
        alone = random() < SAME_CLASS
        for turn in range(COMPANIES):
            two = construction.attributes == 2 and turn < COMPANIES // 2
            asked = self._closing if two else self._all
            least = min(LEAST[1 + two], asked.bit_count() // 3)  # of a small vocabulary
            first = self._classes[self._here(scene).draw(random)]
            noun = self._drawing(first, None if alone else self._beside(first, scene), random)
            used: list[str] = []
            objects = self._company(noun, construction.pairs, used, banned, asked, least)
            rows = self._rows(construction, objects, used, banned, random) if objects else None
            if rows:
                break
        else:
            return None
        beside = []
        for _ in range(distractors):
            other = self._companion(noun, [], used, frozenset(), self._all, 1)
            words = other and self._pick(self._plausible([other]), 1, used, frozenset(), random)
            if not other or not words:
                return None
            beside.append(Distractor(words[0], other))
        verbs = self._verbs(word for row in rows for word in row)
        return Choice(first.kind, tuple(objects), rows, tuple(beside), verbs)

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
        words = self._plausible(objects)
        if construction.form != "prenominal":
            words = tuple(word for word in words if word in self._predicable)
        count = len(objects)
        if construction.attributes == 2:
            return self._bundle(words, count, used, banned, random)
        if random() < SAME_FAMILY:
            families = self._by_family(words, count)
            while families:
                own = families.pop(self._heaviest(families, random))
                found = self._pick(own, count, used, banned, random)
                if found:
                    return tuple((word,) for word in found)
        found = self._pick(words, count, used, banned, random)
        return tuple((word,) for word in found) if found else None

    def _bundle(
        self,
        words: Sequence[str],
        count: int,
        used: list[str],
        banned: frozenset[str],
        random: Callable[[], float],
    ) -> tuple[tuple[str, ...], ...] | None:
        """Two attributes for each object, from two slots in English adjective order."""
        families = self._by_family(words, count)
        known = self._vocabulary.families
        names = [self._vocabulary.family_of[own[0]] for own in families]
        closing = any(family.closes for family in known.values())
        apart = [
            (first, second)
            for first, one in enumerate(names)
            for second, other in enumerate(names)
            if known[one].order < known[other].order
            and known[one].slot != known[other].slot
            and (known[other].closes or not closing)
        ]
        weights = [sum(map(self._uses.__getitem__, own)) for own in families]
        while apart:
            sums = list(accumulate(weights[first] * weights[second] for first, second in apart))
            first, second = apart.pop(bisect_right(sums, random() * sums[-1]))
            mine = list(used)
            lead = self._pick(families[first], count, mine, banned, random)
            tail = lead and self._pick(families[second], count, mine, banned, random)
            if lead and tail:
                used[:] = mine
                return tuple(zip(lead, tail, strict=True))
        return None

    def _plausible(self, objects: Sequence[str]) -> tuple[str, ...]:
        """The adjectives that are plausible for every object, those of a family together."""
        return self._vocabulary.listed(self._vocabulary.shared(objects))

    def _by_family(self, words: Sequence[str], least: int) -> list[list[str]]:
        """Words by their family, in families of which there are at least so many."""
        family_of = self._vocabulary.family_of
        groups = (list(own) for _, own in groupby(words, family_of.__getitem__))
        return [own for own in groups if len(own) >= least]

    def _heaviest(self, families: Sequence[Sequence[str]], random: Callable[[], float]) -> int:
        """The place of a family, drawn by the weights of its words."""
        sums = list(accumulate(sum(self._uses[word] for word in own) for own in families))
        return bisect_right(sums, random() * sums[-1])

    def _pick(
        self,
        words: Sequence[str],
        count: int,
        used: list[str],
        banned: frozenset[str],
        random: Callable[[], float],
    ) -> list[str] | None:
        """`count` of the words by their weights, in any order; they join `used`. None where too few
        are free.
        """
        left, found, taken = list(words), list[str](), list(used)
        while len(left) + len(found) >= count:
            sums = list(accumulate(map(self._uses.__getitem__, left)))
            word = left.pop(bisect_right(sums, random() * sums[-1]))
            if self._free(word, taken, banned):
                taken.append(word)
                found.append(word)
                if len(found) == count:
                    used[:] = taken
                    return sorted(found, key=lambda _: random())  # heavy words were drawn first
        return None

    def _drawing(
        self, first: NounClass, near: Pool | None, random: Callable[[], float]
    ) -> Callable[[], str]:
        """What draws a noun of a class, or of any class near."""

        def noun() -> str:
            own = first if near is None else self._classes[near.draw(random)]
            return own.words[int(random() * len(own.words))]

        return noun

    def _company(
        self,
        draw: Callable[[], str],
        count: int,
        used: list[str],
        banned: frozenset[str],
        asked: int,
        least: int,
    ) -> list[str]:
        """Objects that share enough attributes; none where a bounded number of draws finds none."""
        objects: list[str] = []
        while len(objects) < count:
            other = self._companion(draw, objects, used, banned, asked, least)
            if other is None:
                return []
            objects.append(other)
        return objects

    def _companion(
        self,
        draw: Callable[[], str],
        objects: Sequence[str],
        used: list[str],
        banned: frozenset[str],
        asked: int,
        least: int,
    ) -> str | None:
        """An object of which much the same may be said as of the others; it joins `used`."""
        masks = self._vocabulary.masks
        known = self._vocabulary.shared(objects) & asked if objects else asked
        for _ in range(TRIES):
            word = draw()
            if (masks[word] & known).bit_count() >= least and self._free(word, used, banned):
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
