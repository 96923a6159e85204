"""The proof of a finished row (B.4), each rule with its reason slug; needs no state of the run.

`gen.verify` runs it again on the published files. What can be said of a writer's words before
anything is built of them is in `validate_draft`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from gen.base.text.articles import repair
from gen.base.text.captions import Caption, locate
from gen.base.text.words import normalized, plurals, positions, words
from gen.triplets.build import exchanged, replace
from gen.triplets.constructions import BY_NAME, Construction
from gen.triplets.constructions.base import ABOVE, BELOW, Span
from gen.vocab.triplets import Vocabulary
from schemas.triplets import Example

_CANONICAL = re.compile(r"[^\s].*[.!?][\"')]?", re.DOTALL)
_UNCLEAN = re.compile(r"\s\s|[^\S ]|\s[,.;:!?]|[,;:.!?]{2}|[“”‘’]|,[^\s\"']")


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
        or _negatives(example, caption, construction, vocabulary)
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


def _negatives(
    example: Example, caption: Caption, construction: Construction, vocabulary: Vocabulary
) -> str | None:
    """Each negative is the positive's words with exactly the intended bindings broken.

    And the row states whether the exchanged attributes are of one family.
    """
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
            alike = vocabulary.one_family(exchanged(example.attributes, attributes))
            return None if example.same_family == alike else "same_family"
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
        elif old != new and normalized(old) != normalized(new):
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
