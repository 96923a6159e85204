"""What the log-odds say of a vocabulary: coverage, adjectives alike, SABER's bindings."""

from __future__ import annotations

from itertools import combinations

from gen.triplets.plausibility.odds import Odds
from gen.vocab.saber import SaberVocabulary
from gen.vocab.triplets import Vocabulary

FEWEST_NOUNS, FEWEST_ADJECTIVES = 20, 12
"""Partners below which a word is seldom drawn and always with the same words."""
SHOWN = 12


def coverage(vocabulary: Vocabulary) -> list[str]:
    """The share of plausible pairs, and the words with few partners, as lines of text."""
    nouns, adjectives = vocabulary.partners, vocabulary.masks
    pairs = sum(map(len, nouns.values()))
    classes = sum(
        len(vocabulary.families[name].words) * len(cls.words)
        for cls in vocabulary.classes.values()
        for name in cls.families
    )
    few = [f"{word} {len(nouns[word])}" for word in nouns if len(nouns[word]) < FEWEST_NOUNS]
    scarce = [
        f"{noun} {mask.bit_count()}"
        for noun, mask in adjectives.items()
        if mask.bit_count() < FEWEST_ADJECTIVES
    ]
    return [
        f"{pairs:,} plausible pairs of {classes:,} that the classes allow",
        f"{len(few)} adjectives with fewer than {FEWEST_NOUNS} nouns: {', '.join(few)}",
        f"{len(scarce)} nouns with fewer than {FEWEST_ADJECTIVES} adjectives: {', '.join(scarce)}",
    ]


def alike(odds: Odds, vocabulary: Vocabulary, count: int) -> list[str]:
    """The pairs of adjectives most alike that may still meet, with their log-odds.

    A pair counts by the smaller of both directions: one word that follows from another only one
    way round is no synonym.
    """
    words = vocabulary.adjectives
    table = odds.alike(words).tolist()
    scored = sorted(
        (
            (min(table[one][other], table[other][one]), words[one], words[other])
            for one, other in combinations(range(len(words)), 2)
            if not vocabulary.clash(words[one], words[other])
        ),
        reverse=True,
    )
    return [f"{value:5.1f}  {first} {second}" for value, first, second in scored[:count]]


def saber(odds: Odds, vocabulary: SaberVocabulary, threshold: float) -> list[str]:
    """How odd the benchmark's bindings are, which are meant to be odd, as lines of text."""
    base = odds.base(vocabulary.objects)
    scored = sorted(
        (value, f"{attribute} {noun}")
        for attribute in vocabulary.attributes
        for noun, value in zip(
            vocabulary.objects, odds.of(attribute, vocabulary.objects, base), strict=True
        )
    )
    likely = sum(value >= threshold for value, _ in scored)
    ends = {"oddest": scored[:SHOWN], "likeliest": scored[: -SHOWN - 1 : -1]}
    return [
        f"{likely:,} of {len(scored):,} pairs ({likely / len(scored):.0%}) reach {threshold} nats",
        *(f"{name}: {', '.join(pair for _, pair in pairs)}" for name, pairs in ends.items()),
    ]
