"""The four candidates of a question (paper A.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from gen.base.draws import Draws
from schemas.saber import Binding, Candidate, Scene, kinds

Order = tuple[int, ...]

bind = lru_cache(maxsize=1 << 18)(Binding)
"""A binding, one object for all its occurrences: that saves memory and time."""


def reordered(draws: Draws, size: int) -> Order:
    """A random order of range(size) that moves something."""
    still = tuple(range(size))
    while (order := draws.shuffled(size)) == still:
        pass
    return order


def candidates(query: Scene, exchange: Mapping[Binding, Binding], draws: Draws) -> list[Candidate]:
    """The candidates, in the order of `kinds`.

    `exchange` is for a question of two pairs, which have only two assignments: the pair that
    candidate 4 replaces, and the pair with one new half that takes its place.
    """
    size = len(query)
    first = tuple(query[place] for place in reordered(draws, size))
    if size == 2:
        last = tuple(exchange.get(binding, binding) for binding in first)
        scenes = [first, _swap(first, (1, 0), (0, 1)), _swap(first, (0, 1), (1, 0)), last]
    else:
        scenes = [first, *_swaps(first, draws)]
    return [Candidate(kind, scene) for kind, scene in zip(kinds(size), scenes, strict=True)]


def _swaps(first: Scene, draws: Draws) -> list[Scene]:
    """The three swaps of a scene of three or more; drawn again until all assignments differ."""
    size = len(first)
    still = tuple(range(size))
    while True:
        scenes = [
            _swap(first, reordered(draws, size), still),
            _swap(first, still, reordered(draws, size)),
            _swap(first, reordered(draws, size), reordered(draws, size)),
        ]
        if len({frozenset(scene) for scene in (first, *scenes)}) == 4:
            return scenes


def _swap(scene: Scene, attributes: Sequence[int], objects: Sequence[int]) -> Scene:
    """The scene with its attributes and its objects put into other orders."""
    pairs = zip(attributes, objects, strict=True)
    return tuple([bind(scene[left].attribute, scene[right].object) for left, right in pairs])
