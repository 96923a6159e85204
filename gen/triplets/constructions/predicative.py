"""predicative: attributes detached from their nouns by a verb or a relative clause.

    query      dusty drum and red banner
    positive   The banner that hung in the hall was red, while the drum looked dusty.
    attribute  The banner that hung in the hall was dusty, while the drum looked red.
    object     The drum that hung in the hall was red, while the banner looked dusty.

No attribute stands directly before an object anywhere, so the binding has to be read
from the clause and not from the neighbouring word.
"""

from gen.base.text.captions import Caption
from gen.triplets.constructions.base import (
    Construction,
    adjacent,
    swap_attributes,
    swap_objects,
)

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
"""Copulas and change-of-state verbs, one of which must carry each attribute."""

CLAUSE = 4
"""The linking verb stands at most this many words before its attribute ("was by now quite")."""


def check(caption: Caption, choice: int | None = None) -> str | None:
    """No attribute directly before an object; a linking verb before each attribute."""
    if adjacent(caption):
        return "adjacent_pair"
    for end, (place,) in zip(caption.ends, caption.attributes, strict=True):
        if place < end:
            return "early_attribute"
        if LINKING.isdisjoint(caption.between(max(end, place - CLAUSE), place)):
            return "no_predicate"
    first, second = sorted(caption.objects)
    last = max(caption.ends)
    lead, tail = sorted(place for (place,) in caption.attributes)
    joined = lead > last and not {"and", "or"}.isdisjoint(caption.between(first, second))
    if joined and tail - lead == 2 and caption.tokens[lead + 1] in ("and", "or"):
        return "shared_predicate"
    return None


def distance(caption: Caption) -> int:
    """The smaller of the two distances between an object and its attribute, in words."""
    return min(place - end for end, (place,) in zip(caption.ends, caption.attributes, strict=True))


CONSTRUCTION = Construction(
    name="predicative",
    pairs=2,
    attributes=1,
    cap=0.015,
    check=check,
    distance=distance,
    permute_attributes=swap_attributes,
    permute_objects=swap_objects,
    need=(10, 15, 24, 33),
    distractors=True,
)
