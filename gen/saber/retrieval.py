"""The retrieval gallery: which candidates are relevant to a query (paper section 3).

Relevant is every candidate whose bindings contain all of the query's. That is computed over
the whole gallery: a swap with fixed points in a larger scene counts as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from schemas.saber import Binding, Question, Scene, candidate_id


class Gallery:
    """Candidates, found by the bindings that they hold; numbered in the order of adding."""

    def __init__(self) -> None:
        self._scenes: list[Scene] = []
        self._holders: dict[Binding, list[int]] = {}

    def add(self, scene: Scene) -> None:
        """Take in the next candidate."""
        for binding in scene:
            self._holders.setdefault(binding, []).append(len(self._scenes))
        self._scenes.append(scene)

    def containing(self, query: Scene) -> list[int]:
        """The candidates that hold all bindings of a query of two or more, in order."""
        rarest = sorted((self._holders.get(binding, []) for binding in query), key=len)
        holders = set(rarest[0]).intersection(rarest[1])
        return sorted(number for number in holders if set(query).issubset(self._scenes[number]))


def judgements(questions: Sequence[Question]) -> Iterator[dict[str, Any]]:
    """The rows of the config `qrels`: for every query the candidates that contain it."""
    gallery, names = Gallery(), []
    for question in questions:
        for place, candidate in enumerate(question.candidates):
            gallery.add(candidate.scene)
            names.append(candidate_id(question.id, place))
    for question in questions:
        for number in gallery.containing(question.query):
            yield {"query-id": question.id, "corpus-id": names[number], "score": 1}
