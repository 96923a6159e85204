"""The rules that one question can be held to (paper A.1-A.3), each with a short name."""

from __future__ import annotations

from collections.abc import Iterator

from gen.base.text.words import normalized, words
from gen.saber.captions import generation_form, text_form
from gen.vocab.saber import SaberVocabulary
from schemas.saber import (
    ATTRIBUTE_SWAP,
    JOINT_SWAP,
    OBJECT_SWAP,
    PRESERVING,
    REPLACEMENT,
    Question,
    Scene,
    kinds,
)


def broken_rules(question: Question, vocabulary: SaberVocabulary) -> Iterator[str]:
    """The rules that a question breaks; where its shape is wrong, nothing else is asked."""
    scenes = [question.query, *(candidate.scene for candidate in question.candidates)]
    if sorted(candidate.kind for candidate in question.candidates) != sorted(kinds(question.n)):
        yield "kinds"
        return
    if any(len(scene) != question.n for scene in scenes):
        yield "number of pairs"
        return
    if not _words_known(question, vocabulary):
        yield "known words"
        return
    if any(len(set(_terms(scene))) != 2 * question.n for scene in scenes):
        yield "distinct words"
    terms = {term for scene in scenes for term in _terms(scene)}
    if len({vocabulary.group[term] for term in terms}) != len(terms):
        yield "look-alikes"
    for name, look in question.looks.items():
        if look not in vocabulary.attributes[name].looks(vocabulary.palette):
            yield "instantiation"
    yield from _candidates(question)
    if question.n > 2 and not _same_bag(question, scenes):
        yield "bag of words"


def _candidates(question: Question) -> Iterator[str]:
    """The four relations to the query and to candidate 1 (A.2)."""
    scene = {candidate.kind: candidate.scene for candidate in question.candidates}
    first, query = scene[PRESERVING], question.query
    if set(first) != set(query) or first == query:
        yield PRESERVING
    right, attributes, objects = set(query), _attributes(first), _objects(first)
    swap = scene[ATTRIBUTE_SWAP]
    if _objects(swap) != objects or not _permuted(_attributes(swap), attributes):
        yield ATTRIBUTE_SWAP
    swap = scene[OBJECT_SWAP]
    if _attributes(swap) != attributes or not _permuted(_objects(swap), objects):
        yield OBJECT_SWAP
    if question.n == 2:
        kept, new = right & set(scene[REPLACEMENT]), set(scene[REPLACEMENT]) - right
        lost = right - kept
        halves = [sum(map(str.__eq__, one, other)) for one in new for other in lost]
        fresh = {term for pair in new for term in pair} - set(_terms(query))
        if len(kept) != 1 or halves != [1] or len(fresh) != 1:
            yield REPLACEMENT
        return
    swap = scene[JOINT_SWAP]
    if not (_permuted(_attributes(swap), attributes) and _permuted(_objects(swap), objects)):
        yield JOINT_SWAP
    if len({frozenset(one) for one in scene.values()}) != 4:
        yield "assignments"


def _words_known(question: Question, vocabulary: SaberVocabulary) -> bool:
    scenes = [question.query, *(candidate.scene for candidate in question.candidates)]
    return all(
        attribute in vocabulary.attributes
        and noun in vocabulary.group
        and noun not in vocabulary.attributes
        for scene in scenes
        for attribute, noun in scene
    )


def _same_bag(question: Question, scenes: list[Scene]) -> bool:
    """Whether no count of words tells a candidate from the query, in either form."""
    for texts in (
        map(text_form, scenes),
        (generation_form(scene, question.looks) for scene in scenes),
    ):
        if len({tuple(sorted(map(normalized, words(text)))) for text in texts}) != 1:
            return False
    return True


def _permuted(order: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return order != other and sorted(order) == sorted(other)


def _attributes(scene: Scene) -> tuple[str, ...]:
    return tuple(binding.attribute for binding in scene)


def _objects(scene: Scene) -> tuple[str, ...]:
    return tuple(binding.object for binding in scene)


def _terms(scene: Scene) -> tuple[str, ...]:
    return (*_attributes(scene), *_objects(scene))
