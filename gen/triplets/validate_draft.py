"""The checks of a writer's words, before anything is built of them (B.4), each with its slug."""

from __future__ import annotations

from collections.abc import Sequence

from gen.base.text.words import WORD, plurals, words
from gen.triplets.constructions import Construction
from gen.vocab.triplets import Vocabulary
from schemas.triplets import Draft

LONGEST_OBJECT = 3
"""Words an object may have *(ours)*."""
MOST_DISTRACTORS = 3
"""Distractors of an example (B.3)."""

_DETERMINERS = frozenset("a an the this that my your his her its our their".split())


def check_draft(draft: Draft, construction: Construction, vocabulary: Vocabulary) -> str | None:
    """The first thing wrong with a draft's words, or None."""
    if len(draft.objects) != construction.pairs or len(draft.attributes) != construction.pairs:
        return "pair_count"
    if any(len(row) != construction.attributes for row in draft.attributes):
        return "attribute_count"
    attributes = [attribute for row in draft.attributes for attribute in row]
    if not all(WORD.fullmatch(attribute) for attribute in attributes):
        return "attribute_word"
    for noun in draft.objects:
        if not 1 <= len(words(noun)) <= LONGEST_OBJECT or " ".join(WORD.findall(noun)) != noun:
            return "object_words"
        if words(noun)[0] in _DETERMINERS:
            return "object_words"
        if noun.casefold() in vocabulary.plurals:
            return "object_plural"
    return (
        _spelling((*draft.objects, *attributes), vocabulary)
        or _terms(draft.objects, attributes)
        or _clashes(draft.objects, attributes, vocabulary)
        or _fit(draft.objects, attributes, vocabulary)
        or _distractors(draft, construction)
        or (_slots(draft, vocabulary) if construction.attributes > 1 else None)
    )


def _spelling(terms: Sequence[str], vocabulary: Vocabulary) -> str | None:
    """No known word with a capital: a name keeps its capital wherever it moves."""
    for term in terms:
        folded = term.casefold()
        if folded != term and (folded in vocabulary.family_of or folded in vocabulary.class_of):
            return "term_spelling"
    return None


def _terms(objects: Sequence[str], attributes: Sequence[str]) -> str | None:
    """All terms distinct, none contained in another, no object the plural of another."""
    terms = [term.casefold() for term in (*objects, *attributes)]
    for place, term in enumerate(terms):
        for other in terms[place + 1 :]:
            if term == other:
                return "repeated_term"
            if term in other or other in term:
                return "contained_term"
    parts = [words(noun) for noun in objects]
    for noun in objects:
        forms = plurals(noun)
        if any(not forms.isdisjoint(other) for other in parts):
            return "inflected_object"
    return None


def _clashes(
    objects: Sequence[str], attributes: Sequence[str], vocabulary: Vocabulary
) -> str | None:
    """No two objects, and no two attributes, that the vocabulary keeps apart."""
    for slug, terms in (("synonym_objects", objects), ("synonym_attributes", attributes)):
        for place, term in enumerate(terms):
            if any(vocabulary.clash(term, other) for other in terms[place + 1 :]):
                return slug
    return None


def _fit(objects: Sequence[str], attributes: Sequence[str], vocabulary: Vocabulary) -> str | None:
    """Every attribute plausible for every object, where the vocabulary knows both."""
    for noun in objects:
        for attribute in attributes:
            if vocabulary.allows(attribute, noun) is False:
                return "implausible_attribute"
    return None


def _slots(draft: Draft, vocabulary: Vocabulary) -> str | None:
    """Both objects name the same semantic slots in the same order, no slot twice."""
    rows = [[vocabulary.slot_of(word) for word in row] for row in draft.attributes]
    for slot in zip(*rows, strict=True):
        if len(set(slot) - {None}) > 1:
            return "slot_order"
    for row in rows:
        known = [slot for slot in row if slot is not None]
        if len(set(known)) < len(known):
            return "same_slot"
    return None


def _distractors(draft: Draft, construction: Construction) -> str | None:
    """Only where the type takes them; no word shared with the core; all in the caption."""
    if not draft.distractors:
        return None
    if len(draft.distractors) > (MOST_DISTRACTORS if construction.distractors else 0):
        return "distractor_count"
    core = {part for noun in draft.objects for part in words(noun)}
    core.update(attribute.casefold() for row in draft.attributes for attribute in row)
    tokens = words(draft.positive)
    for pair in draft.distractors:
        own = words(f"{pair.attribute} {pair.object}")
        if not core.isdisjoint(own):
            return "distractor_word"
        if not set(own) <= set(tokens):
            return "distractor_missing"
    return None
