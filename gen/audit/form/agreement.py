"""Do subjects and verbs agree in number, as a dependency parser reads a text?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

SINGULAR, PLURAL = "Sing", "Plur"
VERBS = {"VBZ": SINGULAR, "VBP": PLURAL}
"""The number that a present verb's tag says; a past one says none, save for *was* and *were*."""
PAST = {"was": SINGULAR, "were": PLURAL, "wasn't": SINGULAR, "weren't": PLURAL}
PRONOUNS = {
    **dict.fromkeys("he she it this that each everyone everybody everything".split(), SINGULAR),
    **dict.fromkeys("someone somebody something nobody nothing one another".split(), SINGULAR),
    **dict.fromkeys("you we they these those both several few many two three".split(), PLURAL),
}
"""The number of verb that a pronoun takes."""
EITHER = frozenset(
    "all any some none half most more rest plenty lot number variety what who "
    "pair couple group herd bunch team crew staff family".split()
)
"""Subjects that take both numbers, by what they are of, or by how one looks at them."""
STOPS = frozenset(":;.!?")


def agreement(doc: Doc) -> Iterator[str]:
    """Subjects that do not agree with their verbs, as `subject ... verb`.

    Only what the parse is sure of: the subject nearest to its verb, in the same clause.
    """
    for verb in doc:
        subjects = [child for child in verb.lefts if child.dep_ in ("nsubj", "nsubjpass")]
        finite = _finite(verb)
        if not subjects or finite is None:
            continue
        between = doc[subjects[-1].i : verb.i]
        wanted, subject = _wanted(subjects[-1])
        found = _verb_number(finite)
        if wanted and found and wanted != found and not any(t.text in STOPS for t in between):
            yield f"{subject.text} ... {finite.text}"


def _wanted(subject: Token) -> tuple[str | None, Token]:
    """The number that a subject asks for, where it is sure, and the noun that it stands for."""
    if subject.tag_ not in ("WDT", "WP"):
        return _number(subject), subject
    verb = subject.head
    while verb.dep_ == "conj" and verb.head.pos_ in ("VERB", "AUX"):
        verb = verb.head
    noun = verb.head
    # "A cup and a saucer that were red": the clause may belong to one or to both.
    coordinate = noun.dep_ == "conj" or any(child.dep_ in ("cc", "conj") for child in noun.children)
    return (None if coordinate or verb.dep_ != "relcl" else _number(noun)), noun


def _finite(verb: Token) -> Token | None:
    """The finite verb of a clause: its first auxiliary, or the verb itself."""
    helpers = [child for child in verb.children if child.dep_ in ("aux", "auxpass")]
    first = min([*helpers, verb], key=lambda token: token.i)
    return first if first.pos_ in ("VERB", "AUX") else None


def _verb_number(verb: Token) -> str | None:
    return PAST.get(verb.lower_) or VERBS.get(verb.tag_)


def _number(noun: Token) -> str | None:
    """The number of a noun phrase, or None where it can have both."""
    if noun.lower_ in ("i", *EITHER) or any(child.dep_ == "preconj" for child in noun.children):
        return None
    joined = [child.lower_ for child in noun.children if child.dep_ == "cc"]
    if joined:
        return PLURAL if joined == ["and"] else None
    if noun.lower_ in PRONOUNS:
        return PRONOUNS[noun.lower_]
    if noun.tag_ in ("NNS", "NNPS"):
        return PLURAL
    return SINGULAR if noun.tag_ in ("NN", "NNP") else None
