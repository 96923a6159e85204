"""Hypothesis strategies: correct drafts of every construction, written from small frames.

A frame says where terms stand. `{o0}` is an object and `{a0}` its attribute (`{a0} {b0}` for
two); `a` before a slot is an article still to be repaired. Filling a frame with permuted
terms gives, independently of `gen.triplets.build`, the text that a negative has to be.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hypothesis import strategies as st

from gen.triplets.build import canonical
from gen.triplets.constructions import BY_NAME
from gen.triplets.plan import Plan
from schemas.triplets import Draft, Example
from tests.support.drafts import CASES, built, make_draft, make_plan

Objects = tuple[str, ...]
Attributes = tuple[tuple[str, ...], ...]

NOUNS = (
    *("banner", "flag", "drum", "umbrella", "oboe", "hourglass", "ukulele", "SUV", "anchor"),
    *("coffee table", "picnic basket", "olive-oil can", "fire escape ladder"),
)
FIRST = ("red", "orange", "uniform", "tie-dyed", "honest-looking", "8-foot", "dull")
"""Attributes for the first slot of `attr_bundle`."""
SECOND = ("wicker", "ivory", "LED-lit", "oaken", "steel", "x-shaped", "eggshell-white")
"""Attributes for the second slot of `attr_bundle`."""
ALL = (*FIRST, *SECOND, "old", "unused", "torn")
"""Attributes for the other types."""


@cache
def frames(construction: str, choice: int) -> tuple[str, ...]:
    """Frames that are right for a construction and choice, from its case file."""
    table = tomllib.loads((CASES / f"{construction}.toml").read_text())["frames"]
    return (*table.get("any", ()), *table.get(str(choice), ()))


@dataclass(frozen=True)
class Made:
    """A correct draft, and the frame and terms that it was written from."""

    plan: Plan
    frame: str
    objects: Objects
    attributes: Attributes

    @property
    def draft(self) -> Draft:
        """The draft as a writer hands it in."""
        return make_draft(self.objects, self.attributes, self.raw(self.objects, self.attributes))

    @property
    def example(self) -> Example:
        """The row that the program builds from it."""
        return built(self.plan, self.draft)

    def raw(self, objects: Sequence[str], attributes: Sequence[Sequence[str]]) -> str:
        """The frame with the given terms in its places; a sentence begins with a capital."""
        slots = {f"o{place}": noun for place, noun in enumerate(objects)}
        for place, row in enumerate(attributes):
            slots |= {f"{letter}{place}": word for letter, word in zip("ab", row, strict=False)}
        text = self.frame
        for mark in (". ", "! "):
            head, *rest = text.split(mark)
            text = mark.join([head, *(_raised(part, slots) for part in rest)])
        return text.format(**slots)

    def text(self, objects: Sequence[str], attributes: Sequence[Sequence[str]]) -> str:
        """The caption that has these terms in the frame's places."""
        return canonical(self.raw(objects, attributes))


def _raised(sentence: str, slots: dict[str, str]) -> str:
    if sentence.startswith("{"):
        name, rest = sentence[1:].split("}", 1)
        return slots[name][0].upper() + slots[name][1:] + rest
    return sentence


@st.composite
def made(draw: st.DrawFn, construction: str) -> Made:
    """A correct draft of a construction."""
    kind = BY_NAME[construction]
    choice = draw(st.integers(0, kind.choices - 1))
    objects = draw(_some(NOUNS, kind.pairs))
    columns = [draw(_some(pool, kind.pairs)) for pool in (FIRST, SECOND)[: kind.attributes]]
    if kind.attributes == 1:
        columns = [draw(_some(ALL, kind.pairs))]
    order = draw(st.permutations(range(kind.pairs)))
    return Made(
        make_plan(construction, choice=choice, order=order),
        draw(st.sampled_from(frames(construction, choice))),
        objects,
        tuple(zip(*columns, strict=True)),
    )


def _some(pool: tuple[str, ...], size: int) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(pool), min_size=size, max_size=size, unique=True).map(tuple)


def any_made(*constructions: str) -> st.SearchStrategy[Made]:
    """A correct draft of any of the constructions (of all when none is named)."""
    return st.sampled_from(constructions or tuple(BY_NAME)).flatmap(made)
