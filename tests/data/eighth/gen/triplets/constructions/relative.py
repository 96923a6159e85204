"""relative: each attribute in a relative clause of its own, right after its object.

    query      dusty drum and red banner
    positive   A banner that was red hung above a drum that looked dusty.
    attribute  A banner that was dusty hung above a drum that looked red.
    object     A drum that was red hung above a banner that looked dusty.

The clause has to be read with the noun before it: the next noun may be as near.
"""

from gen.base.text.captions import Caption
from gen.triplets.constructions.base import (
    LINKING,
    Construction,
    adjacent,
    swap,
)


def check(caption: Caption, choice: int | None = None) -> str | None:
    """No attribute directly before an object; "that" and a linking verb before each attribute."""
    if adjacent(caption):
        return "adjacent_pair"
    for end, (place,) in zip(caption.ends, caption.attributes, strict=True):
        between = caption.between(end, place)
        if between[:1] != ["that"] or LINKING.isdisjoint(between):
            return "no_predicate"
    return None


def distance(caption: Caption) -> int:
    """The smaller of the two distances between an object and its attribute, in words."""
    return min(place - end for end, (place,) in zip(caption.ends, caption.attributes, strict=True))


CONSTRUCTION = Construction(
    name="relative",
    pairs=2,
    attributes=1,
    form="predicative",
    weight=0,
    check=check,
    distance=distance,
    permute_attributes=swap,
    permute_objects=swap,
    need=(12, 18),
    shortest=1,
    held_out=True,
)
