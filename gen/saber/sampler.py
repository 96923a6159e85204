"""Questions as a pure function of vocabulary, seed, sizes and number (paper A.2, A.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from gen.base.draws import Draws, balanced
from gen.saber.candidates import bind, candidates
from gen.saber.retrieval import Gallery
from gen.saber.settings import CANDIDATES, Settings
from gen.saber.terms import Terms, instantiate
from gen.vocab.saber import SaberVocabulary
from schemas.saber import SUBSETS, Binding, Question, Scene

INDEPENDENT, NESTED = SUBSETS
ATTEMPTS = 200
"""Tries for a question whose bindings occur nowhere else; see `settings.check_room`."""


def sample(
    vocabulary: SaberVocabulary, settings: Settings, tick: Callable[[int], None] = lambda _: None
) -> tuple[list[Question], int]:
    """All questions, in the order of the dataset, and how many more were given up.

    Raises:
        ValueError: when the vocabulary has no room left for another independent question.
    """
    sampler = _Sampler(vocabulary, settings)
    found: list[Question] = []
    for question in sampler.questions():
        found.append(question)
        tick(1)
    found.sort(key=lambda one: (one.n, SUBSETS.index(one.subset), one.number))
    return found, sampler.rejected


class _Drawn(NamedTuple):
    """What a question is made of, or all questions of a chain."""

    scene: Scene
    spare: Binding
    """Its halves may take the place of others, in questions of two pairs."""
    looks: dict[str, str]


class _Sampler:
    """Draws the questions of a run, one after the other."""

    def __init__(self, vocabulary: SaberVocabulary, settings: Settings) -> None:
        self.rejected = 0
        """Independent questions given up, since a candidate elsewhere contained their query."""
        self._vocabulary, self._settings = vocabulary, settings
        seed, group = settings.seed, vocabulary.group
        self._objects = Terms(vocabulary.objects, group, Draws("objects", seed))
        self._attributes = Terms(vocabulary.attributes, group, Draws("attributes", seed))
        self._gallery = Gallery()
        self._alone: dict[Binding, list[frozenset[Binding]]] = {}
        """Independent queries by one of their bindings."""
        self._places: dict[tuple[str, int], list[int]] = {}
        """Of the right candidates, by subset and size."""

    def questions(self) -> Iterator[Question]:
        """All questions: the chains, which weigh most on even use, before the independent ones."""
        for number in range(self._settings.chains):
            yield from self._chain(number)
        for n in self._settings.sizes:
            for number in range(self._settings.independent):
                yield self._independent(n, number)

    def _chain(self, number: int) -> Iterator[Question]:
        """A question of each size, each with all bindings of those before it."""
        sizes = self._settings.sizes
        draws = Draws("chain", self._settings.seed, number)
        drawn = self._draw([sum(n > place for n in sizes) for place in range(sizes[-1])], draws)
        for n in sizes:
            part = drawn._replace(scene=drawn.scene[:n])
            yield self._keep(self._question(NESTED, number, part, draws))

    def _independent(self, n: int, number: int) -> Question:
        """An independent question: no other candidate contains its query."""
        refused: list[Scene] = []
        while len(refused) < ATTEMPTS:
            draws = Draws("question", self._settings.seed, n, number, len(refused))
            drawn = self._draw([1] * n, draws)
            question = self._question(INDEPENDENT, number, drawn, draws)
            if not self._meets_another(question):
                break
            refused.append(drawn.scene)
        else:
            raise ValueError(
                f"no independent question of {n} pairs is left after {ATTEMPTS} attempts at number "
                f"{number}; add words to the vocabulary or ask for fewer --questions-per-size"
            )
        # Only now: given back at once, the least used terms would be drawn again and again.
        for attribute, noun in chain.from_iterable(refused):
            self._attributes.give_back(attribute, 1)
            self._objects.give_back(noun, 1)
        self.rejected += len(refused)
        self._alone.setdefault(question.query[0], []).append(frozenset(question.query))
        return self._keep(question)

    def _place(self, subset: str, n: int, number: int) -> int:
        """Where the right candidate stands: exactly even over all questions of a subset and size.

        Their whole order is drawn at once: evened out block by block, an answer's place would tell
        something about the next one's.
        """
        if (subset, n) not in self._places:
            settings = self._settings
            count = settings.chains if subset == NESTED else settings.independent
            order = Draws("answer", settings.seed, subset, n).shuffled(count)
            self._places[subset, n] = [place % CANDIDATES for place in order]
        return self._places[subset, n][number]

    def _draw(self, uses: Sequence[int], draws: Draws) -> _Drawn:
        """Distinct words, no two alike, and their appearances; each binding is for so many uses."""
        objects: list[str] = []
        attributes: list[str] = []
        for count in (*uses, 0):
            objects.append(self._objects.draw(objects, count))
            attributes.append(self._attributes.draw(attributes, count))
        *scene, spare = map(bind, attributes, objects)
        return _Drawn(tuple(scene), spare, instantiate(attributes, self._vocabulary, draws))

    def _question(self, subset: str, number: int, drawn: _Drawn, draws: Draws) -> Question:
        """The question of what was drawn: pairs reshuffled, candidates built and put in order."""
        seed, n = self._settings.seed, len(drawn.scene)
        query = tuple(drawn.scene[place] for place in draws.shuffled(n))
        exchange: dict[Binding, Binding] = {}
        if n == 2:
            old = query[draws.below(2)]
            if balanced(number, 2, "half", seed, subset):
                exchange = {old: bind(drawn.spare.attribute, old.object)}
            else:
                exchange = {old: bind(old.attribute, drawn.spare.object)}
        right, *wrong = candidates(query, exchange, draws)
        shown = [wrong[place] for place in draws.shuffled(len(wrong))]
        shown.insert(self._place(subset, n, number), right)
        scenes = (query, *(candidate.scene for candidate in shown))
        used = {binding.attribute for scene in scenes for binding in scene}
        return Question(
            subset=subset,
            n=n,
            number=number,
            query=query,
            candidates=tuple(shown),
            looks={name: look for name, look in drawn.looks.items() if name in used},
            layout_seed=draws.bits() >> 1,
        )

    def _meets_another(self, question: Question) -> bool:
        """Whether its query, or an independent one, would get a second relevant candidate."""
        if self._gallery.containing(question.query):
            return True
        scenes = [frozenset(candidate.scene) for candidate in question.candidates]
        return any(
            query <= scene
            for scene in scenes
            for binding in scene
            for query in self._alone.get(binding, ())
        )

    def _keep(self, question: Question) -> Question:
        for candidate in question.candidates:
            self._gallery.add(candidate.scene)
        return question
