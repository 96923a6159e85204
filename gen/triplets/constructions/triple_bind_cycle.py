"""triple_bind_cycle: three objects; attributes, or nouns, move on by one place.

    query      dusty drum, torn flag and red banner
    positive   A red banner, a torn flag and a dusty drum lay in the hall.
    attribute  A dusty banner, a red flag and a torn drum lay in the hall.
    object     A red drum, a torn banner and a dusty flag lay in the hall.

All three bindings are wrong in each negative, and the two negatives bind differently. Half of
all examples move backward: with one direction, positive and negative side by side would tell
which of them is the rotated one.
"""

from gen.triplets.constructions.base import (
    Construction,
    phrase_distance,
    prenominal,
    rotate,
)

CONSTRUCTION = Construction(
    name="triple_bind_cycle",
    pairs=3,
    attributes=1,
    form="prenominal",
    weight=16,
    check=prenominal,
    distance=phrase_distance,
    permute_attributes=rotate,
    permute_objects=rotate,
    need=(12, 15, 26),
    choices=2,
    clauses="prenominal_three",
)
