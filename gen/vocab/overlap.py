"""Whether an example uses a word of SABER's vocabulary (paper C.1 trains without such rows)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from gen.vocab.saber import load


@lru_cache(maxsize=1)
def _saber() -> tuple[frozenset[str], frozenset[str]]:
    vocabulary = load()
    return frozenset(vocabulary.objects), frozenset(vocabulary.attributes)


def overlaps_saber(objects: Sequence[str], attributes: Sequence[Sequence[str]]) -> bool:
    """Whether any object or attribute of an example is one of SABER's."""
    known_objects, known_attributes = _saber()
    return not known_objects.isdisjoint(objects) or any(
        not known_attributes.isdisjoint(row) for row in attributes
    )
