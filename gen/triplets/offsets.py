"""Where the row of each slot begins in the log: 8 bytes a slot instead of 220 in a dict."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from gen.triplets.plan import Slot

_NONE = -1


class Offsets:
    """A mapping from slots, which are numbered without large gaps, to log offsets."""

    def __init__(self) -> None:
        self._places: dict[str, array[int]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, slot: Slot) -> bool:
        places = self._places.get(slot.construction, ())
        return slot.index < len(places) and places[slot.index] != _NONE

    def __getitem__(self, slot: Slot) -> int:
        if slot not in self:
            raise KeyError(slot)
        return self._places[slot.construction][slot.index]

    def __setitem__(self, slot: Slot, offset: int) -> None:
        places = self._places.setdefault(slot.construction, array("q"))
        missing = slot.index + 1 - len(places)
        if missing > 0:
            places.extend([_NONE] * missing)
        self._count += places[slot.index] == _NONE
        places[slot.index] = offset

    def __iter__(self) -> Iterator[Slot]:
        for construction, places in self._places.items():
            for index, offset in enumerate(places):
                if offset != _NONE:
                    yield Slot(construction, index)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Offsets) or len(self) != len(other):
            return False
        return all(slot in other and self[slot] == other[slot] for slot in self)

    def __hash__(self) -> int:
        raise TypeError("offsets change; they have no hash")
