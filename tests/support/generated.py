"""Hypothesis strategies: correct drafts of every construction, written from small frames.

A frame says where terms stand. `{o0}` is an object and `{a0}` its attribute (`{a0} {b0}` for
two); `a` before a slot is an article still to be repaired. Filling a frame with permuted
terms gives, independently of `gen.triplets.build`, the text that a negative has to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from gen.triplets.build import canonical
from gen.triplets.constructions import BY_NAME
from gen.triplets.plan import Plan
from schemas.triplets import Draft, Example
from tests.support.drafts import built, make_draft, make_plan

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

TWO = (
    "a {a0} {o0} and a {a1} {o1} lay in the clerk's hall",
    "{a0} {o0} left of the door, {a1} {o1} to its right",
    "we sold a {a0} {o0} on Monday! {a1} {o1} still here; ask a clerk in an office",
    "An {a0} {o0} stood where, an hour ago, nobody had seen the {a1} {o1}",
)
THREE = (
    "a {a0} {o0}, a {a1} {o1} and a {a2} {o2} lay in the clerk's hall",
    "{a0} {o0} on the left; beside it, at an angle, an {a1} {o1}. {a2} {o2} not found!",
)
BUNDLE = (
    "a {a0} {b0} {o0} hung beside a {a1} {b1} {o1} in the clerk's hall",
    "{a0} {b0} {o0} wanted. {a1} {b1} {o1} offered, an hour from here",
)
PREDICATIVE = (
    "a {o0} in the clerk's hall was {a0}, while an {o1} nearby looked rather {a1}",
    "{o0} by the door: it had become {a0} by now. {o1} by the wall: that one is {a1}, as ever",
    "the {o0} that hung over an {o1}, which stayed {a1}, turned {a0} within an hour",
)
ANAPHORIC = {
    0: (
        "a {o0} and a {o1} lay in the clerk's hall; the former was {a0}, the latter {a1}",
        "{o0} and {o1} stood by the door. The first looked {a0} and the other {a1}, as ever",
    ),
    1: (
        "a {o0} and a {o1} lay in the clerk's hall; the latter was {a1}, the former {a0}",
        "{o0} beside {o1}, for an hour. The second turned {a1}, the first-named stayed {a0}",
    ),
}
RESPECTIVE = (
    "a {o0} and an {o1} in the clerk's hall were {a0} and {a1} respectively",
    "{o0} and {o1} for sale, respectively an {a0} and {a1} kind of thing",
    "he called the {o0} and the {o1} an hour later: {a0} and then {a1}, in that order",
)


def frames(construction: str, choice: int) -> tuple[str, ...]:
    """Frames that are right for a construction and choice."""
    if construction == "deferred_bind_anaphoric":
        return ANAPHORIC[choice]
    return {
        "pair_swap": TWO,
        "triple_bind_cycle": THREE,
        "triple_bind_swap": THREE,
        "attr_bundle": BUNDLE,
        "predicative": PREDICATIVE,
        "deferred_bind_respective": RESPECTIVE,
    }[construction]


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
    """A correct draft of any of the constructions (of all seven when none is named)."""
    return st.sampled_from(constructions or tuple(BY_NAME)).flatmap(made)
