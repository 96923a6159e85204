"""What determines the questions, and whether a vocabulary has room for them."""

from __future__ import annotations

from collections.abc import Sequence
from math import perm
from typing import NamedTuple

from gen.vocab.saber import SaberVocabulary

CROWDED = 2.0
"""Chance matches of the smallest query, beyond which hardly a question would be independent."""
CANDIDATES = 4


class Settings(NamedTuple):
    """The seed and the numbers of questions."""

    seed: int
    sizes: tuple[int, ...]
    """Pairs of a query, ascending."""
    per_size: int
    """Questions of each size."""

    @property
    def chains(self) -> int:
        """Nested questions of each size: half of them (A.5)."""
        return self.per_size // 2

    @property
    def independent(self) -> int:
        """Independent questions of each size: the other half, and one more of an odd number."""
        return self.per_size - self.chains

    @property
    def questions(self) -> int:
        """All questions."""
        return len(self.sizes) * self.per_size


def parse_sizes(text: str) -> tuple[int, ...]:
    """The sizes that `--sizes` names: `2-10`, or `2,4,8`.

    Raises:
        ValueError: saying what is wrong.
    """
    sizes: set[int] = set()
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not (low.isdecimal() and (high.isdecimal() or not dash)):
            raise ValueError("write numbers of pairs as 2-10 or 2,4,8")
        sizes.update(range(int(low), int(high or low) + 1))
    if not sizes or min(sizes) < 2:
        raise ValueError("a question has at least 2 pairs")
    return tuple(sorted(sizes))


def check_room(vocabulary: SaberVocabulary, settings: Settings) -> None:
    """Refuse what a vocabulary is too small for, before any work.

    Raises:
        ValueError: when there are too few words that don't look alike, or so many candidates that
            an independent query would be contained in several of them by chance.
    """
    largest, smallest = settings.sizes[-1], settings.sizes[0]
    need = largest + 1  # one to put in place of another
    kinds: dict[str, Sequence[str]] = {
        "objects": vocabulary.objects,
        "attributes": list(vocabulary.attributes),
    }
    for name, terms in kinds.items():
        apart = len({vocabulary.group[term] for term in terms})
        if apart < need:
            raise ValueError(
                f"the vocabulary has {apart} {name} that don't look alike, and a question of "
                f"{largest} pairs takes {need}; add {name} or lower --sizes"
            )
    # Of the ways to pair m of the objects with m of the attributes, this part has n given pairs.
    pairings = perm(len(vocabulary.objects), smallest) * perm(len(vocabulary.attributes), smallest)
    chance = sum(CANDIDATES * settings.per_size * perm(n, smallest) for n in settings.sizes)
    if chance > CROWDED * pairings:
        most = int(CROWDED * pairings * settings.per_size / chance)
        raise ValueError(
            f"the vocabulary is too small for {settings.per_size:,} questions of each size: by "
            f"chance {chance / pairings:.1f} candidates would contain a query of {smallest} pairs; "
            f"add words, or ask for at most {most:,} --questions-per-size"
        )
