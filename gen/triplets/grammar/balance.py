"""How much likelier each class of objects and each adjective is drawn: so that all are used alike.

Iterative scaling (Deming and Stephan 1940): what is rarely at hand is drawn the more often where
it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gen.base.draws import Draws
from gen.vocab.triplets import NounClass, Vocabulary

ROUNDS, SAMPLE = 10, 400
"""Rounds of balancing classes and adjectives, after which the figures hardly change; a third of the
companies of objects that are looked at for that."""
STEEPEST = 200.0
"""How much likelier, at most, a rarely plausible adjective is drawn where it is plausible, and how
much less likely one that suits nearly everything."""


def class_weights(
    classes: Iterable[NounClass], scenes: Iterable[Iterable[NounClass]]
) -> dict[str, float]:
    """The weight of each class, of the classes that may be met in each scene.

    Drawn by them, every noun is used about as often as any other, over all scenes.
    """
    groups = Counter(tuple(one.name for one in met) for met in scenes)
    sizes = {one.name: len(one.words) for one in classes}
    weights = {name: float(size) for name, size in sizes.items()}
    total = sum(sizes.values())
    for _ in range(ROUNDS):
        share = dict.fromkeys(weights, 0.0)
        for names, count in groups.items():
            sum_here = sum(weights[name] for name in names)
            for name in names:
                share[name] += count * weights[name] / sum_here
        for name, got in share.items():
            if got:
                weights[name] *= sizes[name] / total / (got / groups.total())
    return weights


def adjective_weights(vocabulary: Vocabulary, least: int) -> dict[str, float]:
    """The weight of each adjective, from a sample of companies of two and three objects of a class.

    An adjective is available where all of them allow it, and is drawn there by its share of the
    weights; companies that share fewer than `least` adjectives are left out.
    """
    draws, classes = Draws("balance"), list(vocabulary.classes.values())
    nouns = tuple(float(len(one.words)) for one in classes)
    companies: list[tuple[str, ...]] = []
    for size in SAMPLE * (2, 2, 3):
        words = classes[draws.weighted(nouns)].words
        own = vocabulary.shared(words[draws.below(len(words))] for _ in range(size))
        if own.bit_count() >= least:
            companies.append(vocabulary.listed(own))
    even = sum(map(len, companies)) and len(companies) / len(vocabulary.family_of)
    weights = dict.fromkeys(vocabulary.family_of, 1.0)
    for _ in range(ROUNDS if companies else 0):
        uses = dict.fromkeys(weights, 0.0)
        for available in companies:
            shares = [weights[word] for word in available]
            scale = 1 / sum(shares)
            for word, share in zip(available, shares, strict=True):
                uses[word] += share * scale
        for word, got in uses.items():
            asked = min(max(even / got, 0.25), 4.0) if got else 4.0
            weights[word] = min(max(weights[word] * asked, 1 / STEEPEST), STEEPEST)
    return weights
