"""The split: held-out construction types whole, the rest 80/10/10, exactly and at random (B.5).

No two rows of a dataset share a set of bindings (the acceptor sees to it), so rows can be
dealt out one by one and nothing leaks from one split into another.
"""

from __future__ import annotations

from collections.abc import Iterable

from gen.base.draws import Draws
from gen.triplets.constructions import HELD_OUT
from gen.triplets.plan import Slot, quotas
from schemas.triplets import MIXED

SPLITS = (*MIXED, *HELD_OUT)
"""Split names, in the order in which they are written."""
SHARES = dict(zip(MIXED, (80, 10, 10), strict=True))


def assign(slots: Iterable[Slot], seed: int) -> dict[str, list[Slot]]:
    """The slots of each split, in the order given; a pure function of slots and seed."""
    splits: dict[str, list[Slot]] = {name: [] for name in SPLITS}
    mixed = []
    for slot in slots:
        if slot.construction in HELD_OUT:
            splits[slot.construction].append(slot)
        else:
            mixed.append(slot)
    dealt = sorted(mixed, key=lambda slot: Draws("split", seed, slot.id).bits())
    sizes = quotas(len(mixed), SHARES)
    names = [name for name, size in sizes.items() for _ in range(size)]
    where = dict(zip(dealt, names, strict=True))
    for slot in mixed:
        splits[where[slot]].append(slot)
    return splits
