"""pair_swap: two objects, each with its attribute directly before it.

    query      torn flag and red banner
    positive   Above the crowd there waved a red banner and a torn flag.
    attribute  Above the crowd there waved a torn banner and a red flag.
    object     Above the crowd there waved a red flag and a torn banner.

Both negatives hold the same words as the positive, so a bag of words can't tell them
apart; which word stands next to which is all there is.
"""

from gen.triplets.constructions.base import (
    Construction,
    phrase_distance,
    prenominal,
    swap,
)

CONSTRUCTION = Construction(
    name="pair_swap",
    pairs=2,
    attributes=1,
    form="prenominal",
    weight=16,
    check=prenominal,
    distance=phrase_distance,
    permute_attributes=swap,
    permute_objects=swap,
    need=(8, 9, 14, 20),
    distractors=True,
    clauses="prenominal_two",
)
