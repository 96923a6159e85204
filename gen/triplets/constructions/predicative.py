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
    LINKING,
    Construction,
    adjacent,
    swap,
)

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
    form="predicative",
    weight=16,
    check=check,
    distance=distance,
    permute_attributes=swap,
    permute_objects=swap,
    need=(10, 15, 25, 37),
    distractors=True,
)
