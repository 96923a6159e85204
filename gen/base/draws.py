"""Keyed draws: every random choice comes from a hash of what it is for, never from shared state."""

from __future__ import annotations

import hashlib
from struct import unpack


class Draws:
    """A keyed stream of independent draws: BLAKE2b over the key, so neighbours share nothing."""

    __slots__ = ("_block", "_key", "_left")

    def __init__(self, *key: object) -> None:
        self._key = "\x1f".join(map(str, key)).encode()
        self._left: list[int] = []
        self._block = 0

    def bits(self) -> int:
        """The next 64 bits."""
        if not self._left:
            salt = self._block.to_bytes(8, "big")
            block = hashlib.blake2b(self._key, digest_size=64, salt=salt).digest()
            self._left = [*reversed(unpack(">8Q", block))]
            self._block += 1
        return self._left.pop()

    def below(self, bound: int) -> int:
        """A whole number in [0, bound)."""
        return self.bits() * bound >> 64

    def weighted(self, weights: tuple[float, ...]) -> int:
        """An index, drawn with the given weights."""
        left = self.bits() / 2**64 * sum(weights)
        for index, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return index
        return len(weights) - 1

    def shuffled(self, size: int) -> tuple[int, ...]:
        """A random order of range(size)."""
        places = list(range(size))
        for last in range(size - 1, 0, -1):
            other = self.below(last + 1)
            places[last], places[other] = places[other], places[last]
        return tuple(places)


def balanced(index: int, choices: int, *key: object) -> int:
    """One of `choices`: random, and exactly even over each block of `choices` indices."""
    block, place = divmod(index, choices)
    return Draws(*key, block).shuffled(choices)[place]
