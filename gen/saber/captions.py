"""The two textual forms of a scene (paper A.3), with the articles of `gen.base.text.articles`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from gen.base.text.articles import article
from gen.base.text.words import capitalize
from schemas.saber import Scene


def text_form(scene: Scene) -> str:
    """The caption with basic attributes: "A striped cube and a transparent kite."."""
    return sentence([_phrase(*binding) for binding in scene])


def generation_form(scene: Scene, looks: Mapping[str, str]) -> str:
    """The caption with full appearances, which images are asked for by."""
    return sentence(phrases(scene, looks))


def phrases(scene: Scene, looks: Mapping[str, str]) -> list[str]:
    """The full appearance of each object: "a white and orange striped cube"."""
    return [_phrase(looks[attribute], noun) for attribute, noun in scene]


def sentence(phrases: Sequence[str]) -> str:
    """Phrases in one conjunction, the same for any number of them.

    >>> sentence(["a red cube", "an icy kite", "a furry pear"])
    'A red cube, an icy kite and a furry pear.'
    """
    *first, last = phrases
    return capitalize(f"{', '.join(first)} and {last}.")


@lru_cache(maxsize=1 << 18)
def _phrase(attribute: str, noun: str) -> str:
    return f"{article(attribute.split()[0])} {attribute} {noun}"
