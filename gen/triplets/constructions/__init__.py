"""The seven construction types (paper B.2), in one explicit order.

To add one: a module here, a template in `prompts/constructions`, a grammar entry in
`gen/triplets/grammar`, a case file in `tests/cases`, and a line in `CONSTRUCTIONS`.
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

__all__ = ["BY_NAME", "CONSTRUCTIONS", "Construction"]
