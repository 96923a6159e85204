"""attr_bundle: two objects with two attributes each, from two semantic slots.

    query      torn silk flag and red paper banner
    positive   A red paper banner hung beside a torn silk flag.
    attribute  A red silk banner hung beside a torn paper flag.
    object     A red paper flag hung beside a torn silk banner.

The attribute negative exchanges one slot only (material here, drawn at random), so it
differs from the positive by one word an object. Both objects name the slots in the same
order; the slots are different families, so no object is "red crimson".
"""

from gen.triplets.constructions.base import (
    Attributes,
    Construction,
    phrase_distance,
    prenominal,
    swap,
)


def swap_slot(attributes: Attributes, choice: int) -> Attributes:
    """The two objects exchange the attribute in slot `choice`."""
    first, second = (list(row) for row in attributes)
    first[choice], second[choice] = second[choice], first[choice]
    return tuple(first), tuple(second)


CONSTRUCTION = Construction(
    name="attr_bundle",
    pairs=2,
    attributes=2,
    form="prenominal",
    weight=16,
    check=prenominal,
    distance=phrase_distance,
    permute_attributes=swap_slot,
    permute_objects=swap,
    need=(10, 11, 16, 24),
    choices=2,
    clauses="prenominal_two",
)
