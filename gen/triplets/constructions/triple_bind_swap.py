"""triple_bind_swap: three objects, of which one, drawn at random, stays correctly bound.

    query      torn flag, dusty drum and red banner
    positive   A red banner, a torn flag and a dusty drum lay in the hall.
    attribute  A torn banner, a red flag and a dusty drum lay in the hall.
    object     A red flag, a torn banner and a dusty drum lay in the hall.

A model must find which bindings changed rather than notice that something did: the pair
that stays (the drum) counts for the negatives as much as for the positive.
"""

from gen.triplets.constructions.base import (
    Construction,
    phrase_distance,
    prenominal,
    transpose,
)

CONSTRUCTION = Construction(
    name="triple_bind_swap",
    pairs=3,
    attributes=1,
    form="prenominal",
    weight=16,
    check=prenominal,
    distance=phrase_distance,
    permute_attributes=transpose,
    permute_objects=transpose,
    need=(12, 15, 26),
    choices=3,
    clauses="prenominal_three",
)
