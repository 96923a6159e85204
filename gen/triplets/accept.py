"""The acceptor: the only holder of quota state (caps and duplicates).

It decides in the order in which examples are offered, so the same order gives the same
dataset; everything it keeps is rebuilt from the accepted rows when a run goes on.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import floor
from typing import NamedTuple

from gen.base.digests import Digests, digest
from gen.triplets.constructions import BY_NAME
from schemas.triplets import Example

FLOOR = 10
"""Uses of a word that are always allowed (B.3)."""
RECENT, FREQUENT = 100, 40
"""Lengths of the two parts of the avoid list (B.3)."""


@dataclass(frozen=True, slots=True)
class Guidance:
    """What a writer may be told of the run so far (B.3)."""

    avoid: tuple[str, ...] = ()
    """The 100 most recently used words and the 40 most frequent ones."""
    banned: frozenset[str] = frozenset()
    """Words at their cap: an example that uses one will be rejected."""
    uses: Counter[str] = field(default_factory=Counter)
    """How often each word was accepted, for suggestions of the least used."""


NO_GUIDANCE = Guidance()


class Claim(NamedTuple):
    """What an example would take up: its words and the digests that must not repeat."""

    construction: str
    terms: tuple[str, ...]
    """Its objects and attributes, casefolded."""
    term_set: int
    bindings: int
    caption: int


def claim(example: Example) -> Claim:
    """The claim of an example; no state is needed, so any process can make it."""
    terms = [noun.casefold() for noun in example.objects]
    terms += [attribute.casefold() for row in example.attributes for attribute in row]
    return Claim(
        example.construction,
        tuple(terms),
        digest(*sorted(terms)),
        binding_key(example),
        digest(example.positive.casefold()),
    )


@dataclass
class _Uses:
    """How often each word was used, and the words of each count: the most used are at hand."""

    counts: Counter[str] = field(default_factory=Counter)
    levels: list[dict[str, None]] = field(default_factory=lambda: [{}])

    def add(self, word: str) -> None:
        """Count one use."""
        count = self.counts[word] = self.counts[word] + 1
        self.levels[count - 1].pop(word, None)
        if count == len(self.levels):
            self.levels.append({})
        self.levels[count][word] = None

    def most(self, least: int) -> Iterator[str]:
        """The words with at least `least` uses, the most used first."""
        for count in range(len(self.levels) - 1, max(least, 1) - 1, -1):
            yield from self.levels[count]


@dataclass
class _Quota:
    """What was accepted of one construction."""

    accepted: int = 0
    uses: _Uses = field(default_factory=_Uses)
    recent: deque[str] = field(default_factory=lambda: deque(maxlen=RECENT))
    term_sets: Digests = field(default_factory=Digests)


class Acceptor:
    """Accepts or rejects valid examples by frequency cap and duplicate."""

    def __init__(self) -> None:
        self._quotas = {name: _Quota() for name in BY_NAME}
        self._bindings = Digests()
        self._captions = Digests()

    def offer(self, claim: Claim) -> str | None:
        """Accept the claim and return None, or return the reason why not."""
        quota = self._quotas[claim.construction]
        limit = self._cap(claim.construction)
        if any(quota.uses.counts[term] + 1 > limit for term in claim.terms):
            return "frequency_cap"
        if claim.term_set in quota.term_sets:
            return "duplicate_terms"
        if claim.bindings in self._bindings:
            return "duplicate_bindings"
        if claim.caption in self._captions:
            return "duplicate_caption"
        quota.accepted += 1
        for term in claim.terms:
            quota.uses.add(term)
        quota.recent.extend(claim.terms)
        quota.term_sets.add(claim.term_set)
        self._bindings.add(claim.bindings)
        self._captions.add(claim.caption)
        return None

    def accepted(self, construction: str) -> int:
        """Examples accepted of a construction."""
        return self._quotas[construction].accepted

    def _cap(self, construction: str) -> float:
        """The most uses of one word that the construction allows now."""
        return cap(construction, self._quotas[construction].accepted)

    def guidance(self, construction: str) -> Guidance:
        """Avoid list, ban list and use counts for the next attempt at a construction."""
        quota = self._quotas[construction]
        limit = self._cap(construction)
        frequent = islice(quota.uses.most(1), FREQUENT)
        avoid = tuple(dict.fromkeys([*reversed(quota.recent), *frequent]))
        banned = frozenset(quota.uses.most(floor(limit)))  # one more use would pass the limit
        return Guidance(avoid, banned, quota.uses.counts)


def cap(construction: str, accepted: int) -> float:
    """The most uses of one word among `accepted` examples of a construction (B.3)."""
    return max(FLOOR, BY_NAME[construction].cap * accepted)


def binding_key(example: Example) -> int:
    """A digest of the unordered set of (object, attributes): what no two rows may share.

    The paper rejects a repeated set of words within a construction; we also reject a
    repeated set of bindings in the whole dataset, so that no split can leak into another.
    """
    pairs = zip(example.objects, example.attributes, strict=True)
    folded = ((noun.casefold(), *sorted(word.casefold() for word in row)) for noun, row in pairs)
    return digest(*sorted("\x1e".join(pair) for pair in folded))
