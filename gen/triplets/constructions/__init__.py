"""The construction types (paper B.2), in one explicit order.

What a type is stands in its module and nowhere else; CONTRIBUTING.md says what a new one costs.
"""

from gen.triplets.constructions import (
    attr_bundle,
    deferred_bind_anaphoric,
    deferred_bind_respective,
    pair_swap,
    predicative,
    triple_bind_cycle,
    triple_bind_swap,
)
from gen.triplets.constructions.base import Construction

CONSTRUCTIONS: tuple[Construction, ...] = (
    pair_swap.CONSTRUCTION,
    triple_bind_cycle.CONSTRUCTION,
    triple_bind_swap.CONSTRUCTION,
    attr_bundle.CONSTRUCTION,
    predicative.CONSTRUCTION,
    deferred_bind_anaphoric.CONSTRUCTION,
    deferred_bind_respective.CONSTRUCTION,
)

BY_NAME: dict[str, Construction] = {item.name: item for item in CONSTRUCTIONS}

HELD_OUT: tuple[str, ...] = tuple(item.name for item in CONSTRUCTIONS if item.held_out)
"""Types that never enter training; each is a split of its own (B.5)."""

__all__ = ["BY_NAME", "CONSTRUCTIONS", "HELD_OUT", "Construction"]
