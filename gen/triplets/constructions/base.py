"""What a construction type is, and the structural rules that several types share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from gen.base.text.captions import Caption
from gen.base.text.words import pieces

T = TypeVar("T")
Span: TypeAlias = tuple[int, int]
Objects: TypeAlias = tuple[str, ...]
Attributes: TypeAlias = tuple[tuple[str, ...], ...]

BANDS_TWO: tuple[Span, ...] = ((10, 15), (16, 22), (23, 30), (31, 42))
"""Length bands in words for two objects (B.3)."""
BANDS_THREE: tuple[Span, ...] = ((12, 17), (19, 25), (27, 34), (35, 46))
"""The same, shifted for three objects (within the paper's 2 to 4 words)."""
WINDOWS: tuple[Span, ...] = ((0, 2), (3, 6), (7, 13), (14, 26))
"""Binding-distance windows in words (B.3; inner edges ours). Three objects stop at 7-13."""
BELOW, ABOVE = 1, 4
"""How far a caption may miss its length band (B.3)."""
CAP = 0.0075
"""Largest share of accepted examples that may use one word, for each attribute of an example: of
two 1.5 %, of three 2.25 %, of four 3 % (B.3)."""
LINKING = frozenset(
    """
    am is are was were be been being isn't aren't wasn't weren't
    become becomes became becoming turn turns turned turning grow grows grew grown growing
    go goes went gone going get gets got gotten getting come comes came
    look looks looked looking seem seems seemed seeming appear appears appeared appearing
    feel feels felt feeling stay stays stayed staying remain remains remained remaining
    keep keeps kept prove proves proved proven sound sounds sounded smell smells smelled
    taste tastes tasted run runs ran
    """.split()
)
"""Copulas and change-of-state verbs: what carries a predicative attribute."""

Form: TypeAlias = Literal["prenominal", "predicative", "anaphoric", "respective"]
"""How English ties an attribute to its object.

- prenominal: it stands directly before the object;
- predicative: a verb or a clause says it of the object, after the object;
- anaphoric: of a back-reference to the object; `choice` is the object described first;
- respective: all attributes together, in the order of the objects.

The audit reads a form by its own rule (`gen.audit.form.binding`), and knows which rules of thumb
are right about it by definition (`gen.audit.attack.shortcuts`).
"""


@dataclass(frozen=True)
class Construction:
    """One construction type: what it samples, checks, measures and permutes."""

    name: str
    pairs: int
    attributes: int
    """Attributes of each object."""
    form: Form
    weight: int
    """Its share in the default mix, relative to the others'; 0: only where `--mix` names it."""
    check: Callable[[Caption, int | None], str | None]
    """Structural rule: (caption, choice or None when unknown) to a reason, or None."""
    distance: Callable[[Caption], int]
    """Binding distance of a caption that passed `check`, in words."""
    permute_attributes: Callable[[Attributes, int], Attributes]
    """(attributes, choice) to the attribute negative's attributes, object by object."""
    permute_objects: Callable[[Objects, int], Objects]
    """(objects, choice) to the object negative's objects, place by place."""
    need: tuple[int, ...]
    """For each window, the words that the core structure takes at its shortest."""
    shortest: int = 0
    """The shortest length band in use; deferred types leave out the first (B.3)."""
    choices: int = 1
    """How many variants the type draws from (the pair that stays, the slot that moves)."""
    distractors: bool = False
    """Whether further attribute-object pairs may be woven in (B.3)."""
    held_out: bool = False
    """Whether it never enters training: then it is a split of its own, named after it (B.5)."""
    clauses: str = ""
    """The clauses of the grammar that it shares with other types; if empty, those of its name."""

    @property
    def cap(self) -> float:
        """Largest share of accepted examples that may use one word (B.3)."""
        return CAP * self.pairs * self.attributes

    @property
    def bands(self) -> tuple[Span, ...]:
        """Length bands in words."""
        return BANDS_THREE if self.pairs == 3 else BANDS_TWO

    @property
    def windows(self) -> tuple[Span, ...]:
        """Distance windows in words."""
        return WINDOWS[: len(self.need)]


def prenominal(caption: Caption, choice: int | None = None) -> str | None:
    """Every attribute stands directly before its object, in order, only blanks between."""
    gaps = pieces(caption.text)[::2]
    for place, row in zip(caption.objects, caption.attributes, strict=True):
        if row != tuple(range(place - len(row), place)):
            return "not_prenominal"
        if any(not gap.isspace() for gap in gaps[row[0] + 1 : place + 1]):
            return "not_prenominal"
    return None


def phrase_distance(caption: Caption) -> int:
    """The smallest number of words between consecutive core phrases."""
    starts = sorted(row[0] for row in caption.attributes)
    ends = sorted(caption.ends)
    return min(start - end for start, end in zip(starts[1:], ends, strict=False))


def adjacent(caption: Caption) -> bool:
    """Whether any attribute stands directly before any object."""
    places = {place for row in caption.attributes for place in row}
    return any(place - 1 in places for place in caption.objects)


def deferred(caption: Caption) -> str | None:
    """Both objects are introduced before either attribute."""
    if min(row[0] for row in caption.attributes) < max(caption.ends):
        return "early_attribute"
    return None


def deferred_distance(caption: Caption) -> int:
    """Words from the end of the last object mention to the first attribute."""
    return min(row[0] for row in caption.attributes) - max(caption.ends)


def swap(items: tuple[T, ...], choice: int) -> tuple[T, ...]:
    """Two items change places."""
    return items[::-1]


def rotate(items: tuple[T, ...], choice: int) -> tuple[T, ...]:
    """Three items move on by one place, or (`choice` 1) back by one."""
    steps = 1 + choice
    return items[-steps:] + items[:-steps]


def transpose(items: tuple[T, ...], choice: int) -> tuple[T, ...]:
    """Three items of which all but the one at `choice` change places."""
    first, second = (place for place in range(3) if place != choice)
    moved = list(items)
    moved[first], moved[second] = moved[second], moved[first]
    return tuple(moved)
