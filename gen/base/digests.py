"""A set of 64-bit digests in 16 to 32 bytes each: what must not repeat in millions of rows."""

from __future__ import annotations

from array import array
from hashlib import blake2b


def digest(*parts: str) -> int:
    """A 64-bit digest of some texts; never 0."""
    data = blake2b("\x1f".join(parts).encode(), digest_size=8).digest()
    return int.from_bytes(data, "big") or 1


class Digests:
    """A hash table of open addressing; a `set` of ints would take four times as much."""

    def __init__(self) -> None:
        self._table = array("Q", bytes(8 * 1024))  # 0: a free place
        self._count = 0

    def __contains__(self, key: int) -> bool:
        return bool(self._table[self._place(key)])

    def __len__(self) -> int:
        return self._count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Digests) and sorted(self._table) == sorted(other._table)

    def __hash__(self) -> int:
        raise TypeError("a set of digests changes; it has no hash")

    def add(self, key: int) -> None:
        """Add a digest."""
        place = self._place(key)
        self._count += not self._table[place]
        self._table[place] = key
        if 2 * self._count > len(self._table):
            kept = [known for known in self._table if known]
            self._table = array("Q", bytes(16 * len(self._table)))
            for known in kept:
                self._table[self._place(known)] = known

    def _place(self, key: int) -> int:
        """Where a digest is, or the free place where it goes."""
        table = self._table
        last = len(table) - 1
        place = key & last
        while table[place] and table[place] != key:
            place = (place + 1) & last
        return place
