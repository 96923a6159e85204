"""Ways to answer a SABER question by its texts that see no binding.

Each measures how far a candidate is from the query; the nearest candidate is the choice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain

from gen.base.text.words import words
from schemas.saber import Scene

Distance = Callable[[Scene, Scene], float]


def bag_of_words(query: str, candidate: str) -> int:
    """Words, with their counts, that one text has and the other has not."""
    one, other = Counter(words(query)), Counter(words(candidate))
    return ((one - other) + (other - one)).total()


def moved_terms(query: Scene, candidate: Scene) -> float:
    """Places that hold another attribute or object than in the query."""
    return _moved(tuple(chain(*query)), tuple(chain(*candidate)))


def moved_attributes(query: Scene, candidate: Scene) -> float:
    """Places that hold another attribute."""
    return _moved([pair.attribute for pair in query], [pair.attribute for pair in candidate])


def moved_objects(query: Scene, candidate: Scene) -> float:
    """Places that hold another object."""
    return _moved([pair.object for pair in query], [pair.object for pair in candidate])


def first_pair(query: Scene, candidate: Scene) -> float:
    """Of the first attribute and the first object, those that differ."""
    return moved_terms(query[:1], candidate[:1])


def last_pair(query: Scene, candidate: Scene) -> float:
    """Of the last attribute and the last object, those that differ."""
    return moved_terms(query[-1:], candidate[-1:])


def neighbors(query: Scene, candidate: Scene) -> float:
    """Pairs of neighboring words that the candidate lacks: each binding is such a pair."""
    return len(set(query) - set(candidate))


def edit_distance(query: Scene, candidate: Scene) -> float:
    """Levenshtein distance of the attributes and objects, in the order of the captions."""
    one, other = tuple(chain(*query)), tuple(chain(*candidate))
    above = list(range(len(other) + 1))
    for row, term in enumerate(one, 1):
        line = [row]
        for column, found in enumerate(other, 1):
            change = above[column - 1] + (term != found)
            line.append(min(change, above[column] + 1, line[-1] + 1))
        above = line
    return above[-1]


def farthest_edit(query: Scene, candidate: Scene) -> float:
    """The same, for who takes the candidate that is farthest from the query."""
    return -edit_distance(query, candidate)


DISTANCES: tuple[Distance, ...] = (
    *(moved_terms, moved_attributes, moved_objects),
    *(first_pair, last_pair, neighbors, edit_distance, farthest_edit),
)


def middle(candidates: Sequence[Scene]) -> list[float]:
    """How far each candidate is from the other three: without the query."""
    return [sum(moved_terms(one, other) for other in candidates) for one in candidates]


def _moved(one: Sequence[str], other: Sequence[str]) -> float:
    return sum(map(str.__ne__, one, other))
