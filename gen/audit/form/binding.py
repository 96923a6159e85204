"""Which attribute belongs to which object, as a dependency parser reads a caption.

The parser (spaCy's small English model) knows nothing of our constructions. What it says is
turned into bindings by one rule for each way in which English binds, the last two only where a
construction is of that form:

- an attribute before a noun belongs to the noun that it modifies, through adjectives and
  compounds between ("hot-pink", "shoddy indestructible saddle"), or that it follows in
  apposition ("a cup, red as ever");
- a predicate belongs to its subject ("the cup is red"), which a coordinate verb shares and a
  relative pronoun passes on ("a cup that stood there and that was red");
- a back-reference ("the latter") stands for the object mentioned in that place, also where the
  verb is left out ("the former is red and the latter blue"): the anaphoric form;
- coordinate predicates belong to the objects in order: the respective form.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from gen.base.text.words import WORD, positions, words
from gen.triplets.constructions.base import LINKING, Form

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

MODIFIERS = frozenset("amod compound nmod nummod npadvmod advmod quantmod acl appos".split())
"""Relations of a word to the noun, or to the attribute, that it is part of the phrase of."""
COMPLEMENTS = frozenset("acomp attr oprd".split())
"""Relations of a predicate to the verb that carries it."""
SUBJECTS = frozenset("nsubj nsubjpass csubj".split())
RELATIVE = frozenset("that which who".split())
REFERENCES = {"former": 0, "first": 0, "latter": 1, "second": 1, "other": 1}
"""Back-references, and the place of the object that they stand for in order of mention."""


def bindings(
    doc: Doc, objects: Sequence[str], attributes: Sequence[str], form: Form | None = None
) -> dict[str, str | None]:
    """The object that the parse gives to each attribute, or None where it gives it to none.

    `form` is how the text binds, where it is known to be by back-reference or by order.

    Raises:
        ValueError: when a term does not stand in the text exactly once.
    """
    nouns = sorted(_spans(doc, objects), key=lambda pair: pair[1].start)
    described = sorted(_spans(doc, attributes), key=lambda pair: pair[1].start)
    owner = {token.i: noun for noun, span in nouns for token in span}
    if form == "respective":
        joint = _coordinate(*(span.root for _, span in described))
        places = zip(described, nouns, strict=True)
        return {attribute: noun if joint else None for (attribute, _), (noun, _) in places}
    found: dict[str, str | None] = {}
    for attribute, span in described:
        if form == "anaphoric":
            place = _reference(span.root)
            found[attribute] = None if place is None else nouns[place][0]
        else:
            noun = _described(span.root, owner)
            found[attribute] = owner.get(noun.i) if noun else None
    return found


def _spans(doc: Doc, terms: Sequence[str]) -> Iterator[tuple[str, Span]]:
    """Each term with the tokens that it stands in."""
    found = list(WORD.finditer(doc.text))
    tokens = [match.group().casefold() for match in found]
    for term in terms:
        own = words(term)
        places = positions(tokens, own)
        if len(places) != 1:
            raise ValueError(f"{term!r} stands {len(places)} times in {doc.text!r}")
        start, end = found[places[0]].start(), found[places[0] + len(own) - 1].end()
        span = doc.char_span(start, end, alignment_mode="expand")
        assert span is not None, "words lie within tokens"
        yield term, span


def _described(token: Token, owner: Collection[int]) -> Token | None:
    """The noun that the phrase of a token describes. `owner` holds the tokens of the objects."""
    while True:
        if any(child.dep_ in SUBJECTS for child in token.children):
            return _subject(token)  # "is chilled": the participle is the verb
        if _complement(token):
            return _subject(token.head)
        if token.dep_ == "relcl":
            return token.head
        if token.dep_ not in MODIFIERS and token.dep_ != "conj":
            return None
        modified, token = token.dep_ in MODIFIERS, token.head
        if token.i in owner:
            return token if modified else None


def _complement(token: Token) -> bool:
    """Whether a word is the predicate of its verb; the parser takes a rare one for its object."""
    linked = token.dep_ == "dobj" and token.head.lower_ in LINKING
    return linked or token.dep_ in COMPLEMENTS


def _subject(verb: Token) -> Token | None:
    """The noun that a verb says something of."""
    while True:
        own = [child for child in verb.children if child.dep_ in SUBJECTS]
        if own:
            return _antecedent(verb) if own[-1].lower_ in RELATIVE else own[-1]
        if verb.dep_ in ("relcl", "acl"):
            return verb.head
        if verb.dep_ == "ccomp":
            return _antecedent(verb)
        if verb.dep_ not in ("conj", "xcomp"):
            return None
        verb = verb.head


def _antecedent(verb: Token) -> Token | None:
    """The noun that the relative clause of a verb belongs to.

    Through coordinate verbs, and through verbs of saying: "a cup that somebody says is red".
    """
    while verb.dep_ == "ccomp" or (verb.dep_ == "conj" and verb.head.pos_ in ("VERB", "AUX")):
        verb = verb.head
    return verb.head if verb.dep_ in ("relcl", "acl") else None


def _reference(attribute: Token) -> int | None:
    """The place of the object that an attribute's subject refers back to.

    Where the verb is left out the reference is in the attribute's own phrase; else it is the
    subject, or whatever the parser takes it for, before the verb.
    """
    phrase = attribute.head if attribute.dep_ in MODIFIERS else attribute
    left = [token for token in phrase.subtree if token.i < attribute.i]
    if not any(token.lower_ in REFERENCES for token in left):
        verb = attribute.head if _complement(attribute) else attribute
        subject = _subject(verb)
        left = list(subject.subtree) if subject else []
        left += [token for child in verb.lefts for token in child.subtree]
    named = [token.lower_ for token in left if token.lower_ in REFERENCES]
    return REFERENCES[named[-1]] if named else None


def _coordinate(first: Token, second: Token) -> bool:
    """Whether two predicates are one: of one verb, or a conjunct of the other or of its verb."""
    if _complement(second) and first.head == second.head:
        return True
    if second.dep_ == "conj" and second.head in (first.head, *first.ancestors):
        return True
    return first in second.subtree or second in first.subtree
