"""Every check that needs no state of the run (B.4), each with its reason slug.

`check_draft` looks at a writer's words before anything is built; `check_example` proves
a finished row, and `gen.verify` runs it again on the published files.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from gen.base.text.articles import repair
from gen.base.text.captions import Caption, locate
from gen.base.text.words import WORD, plurals, positions, same, words
from gen.triplets.build import replace
from gen.triplets.constructions import BY_NAME, Construction
from gen.triplets.constructions.base import ABOVE, BELOW, Span
from gen.vocab.triplets import Vocabulary
from schemas.triplets import Draft, Example

LONGEST_OBJECT = 3
"""Words an object may have *(ours)*."""
MOST_DISTRACTORS = 3
"""Distractors of an example (B.3)."""

_DETERMINERS = frozenset("a an the this that my your his her its our their".split())
_CANONICAL = re.compile(r"[^\s].*[.!?][\"')]?", re.DOTALL)
_UNCLEAN = re.compile(r"\s\s|[^\S ]|\s[,.;:!?]|[,;:.!?]{2}|[“”‘’]|,[^\s\"']")


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
    """Every attribute allowed for every object, where the vocabulary knows both."""
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


def check_example(
    example: Example, vocabulary: Vocabulary, choice: int | None = None
) -> str | None:
    """The first rule that a row breaks, or None. `choice` is known while generating."""
    construction = BY_NAME[example.construction]
    caption = locate(example.positive, example.objects, example.attributes)
    if caption is None:
        return "term_count"
    return (
        _plural_mentions(caption, example.objects)
        or construction.check(caption, choice)
        or _measures(example, caption, construction)
        or _conjoined(caption, example, vocabulary)
        or _query(example)
        or _negatives(example, caption, construction)
        or _surface(example)
        or _in_place(example, caption, construction)
    )


def _plural_mentions(caption: Caption, objects: Sequence[str]) -> str | None:
    """No object in the plural or in the possessive: a second mention that would not move."""
    tokens = set(caption.tokens)
    if any(
        words(noun)[-1] + "'s" in tokens or not plurals(noun).isdisjoint(tokens) for noun in objects
    ):
        return "plural_object"
    return None


def span(text: str) -> Span:
    """The bounds of a `lo-hi` column."""
    low, _, high = text.partition("-")
    return int(low), int(high)


def _measures(example: Example, caption: Caption, construction: Construction) -> str | None:
    """Length band and distance window; and the row states what is measured."""
    low, high = span(example.length_band)
    if not low - BELOW <= len(caption.tokens) <= high + ABOVE:
        return "length"
    low, high = span(example.distance_window)
    distance = construction.distance(caption)
    if not low <= distance <= high:
        return "distance"
    if (example.words, example.distance) != (len(caption.tokens), distance):
        return "wrong_measure"
    return None


def _conjoined(caption: Caption, example: Example, vocabulary: Vocabulary) -> str | None:
    """No modifiers joined before one noun ("blue and yellow hydrant"): the swap may be true too."""
    tokens = caption.tokens
    own = {attribute.casefold() for row in example.attributes for attribute in row}
    for (start, *_), noun in zip(caption.attributes, caption.objects, strict=True):
        if start > noun or start < 2 or tokens[start - 1] not in ("and", "or"):
            continue
        before = tokens[start - 2]
        if before in own or before in vocabulary.family_of:
            return "conjoined_modifiers"
    return None


def _query(example: Example) -> str | None:
    """The query is the pairs in the stated order, word for word."""
    if sorted(example.order) != list(range(len(example.objects))):
        return "query"
    *most, last = (
        " ".join((*example.attributes[pair], example.objects[pair])) for pair in example.order
    )
    return None if example.query == f"{', '.join(most)} and {last}" else "query"


def _negatives(example: Example, caption: Caption, construction: Construction) -> str | None:
    """Each negative is the positive's words with exactly the intended bindings broken."""
    by_attribute = _arrangement(example, caption, example.negative_attribute)
    by_object = _arrangement(example, caption, example.negative_object)
    if by_attribute is None or by_object is None:
        return "negative_words"
    if len({example.positive, example.negative_attribute, example.negative_object}) < 3:
        return "same_negative"
    for choice in range(construction.choices):
        attributes = construction.permute_attributes(example.attributes, choice)
        objects = construction.permute_objects(example.objects, choice)
        if by_attribute == (attributes, example.objects) and by_object == (
            example.attributes,
            objects,
        ):
            return None
    return "negative_bindings"


def _arrangement(
    example: Example, caption: Caption, negative: str
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]] | None:
    """(attributes, objects) in the positive's core places, where all other words are equal."""
    terms = {word.casefold(): word for row in example.attributes for word in row}
    terms |= {" ".join(words(noun)): noun for noun in example.objects}
    before, after = _units(caption.tokens, terms), _units(words(negative), terms)
    if len(before) != len(after):
        return None
    found: dict[str, str] = {}
    for old, new in zip(before, after, strict=True):
        if old in terms and new in terms:
            found[terms[old]] = terms[new]
        elif old != new and same(old) != same(new):
            return None
    return (
        tuple(tuple(found.get(word, "") for word in row) for row in example.attributes),
        tuple(found.get(noun, "") for noun in example.objects),
    )


def _units(tokens: list[str], terms: Collection[str]) -> list[str]:
    """The tokens, with each term of several words as one unit."""
    for term in terms:
        parts = term.split(" ")
        if len(parts) > 1:
            for place in reversed(positions(tokens, parts)):
                tokens = [*tokens[:place], term, *tokens[place + len(parts) :]]
    return tokens


def _surface(example: Example) -> str | None:
    """Articles as pronounced and one surface form, on positive and negatives alike."""
    for text in (example.positive, example.negative_attribute, example.negative_object):
        if repair(text) != text:
            return "article"
        if not _CANONICAL.fullmatch(text) or _UNCLEAN.search(text):
            return "surface"
        first = next((character for character in text if character.isalnum()), "")
        if first.islower():
            return "surface"
    return None


def _in_place(example: Example, caption: Caption, construction: Construction) -> str | None:
    """Nothing else moves: capitals, punctuation and blanks are the positive's, place by place."""
    attributes, objects = example.attributes, example.objects
    for choice in range(construction.choices):
        moved = construction.permute_attributes(attributes, choice)
        if replace(example.positive, caption, example, moved, objects) != (
            example.negative_attribute
        ):
            continue
        moved_objects = construction.permute_objects(objects, choice)
        if replace(example.positive, caption, example, attributes, moved_objects) == (
            example.negative_object
        ):
            return None
    return "negative_text"
