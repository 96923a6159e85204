"""What is wrong with a text on its face: articles, repeated words, blanks, quotes, sentences.

The judgment is independent of the generator: it shares no code with `gen.base.text.articles`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from gen.base.text.words import WORD

SILENT_H = re.compile(r"hour|hono|hones|heir|herb(?![eio]r?)")
"""American: an herb, an herbalist, but a Herbert."""
CONSONANT = re.compile(
    r"e[uw]|u(?:[bcfhjkqrst][aeiouy]|kr|ni(?![mn]|de|ss)|ri|sa)|one(?![ir])|once|oui"
)
"""Spelled with a vowel and spoken with a consonant: ewe, unicorn, one-off, Ouija. With the other
rules this agrees with the CMU Pronouncing Dictionary on 99.8 % of its 117,000 words; the rest are
names and initials."""
LETTERS = "AEFHILMNORSX"
"""Letters whose own names start with a vowel."""
NUMERAL = re.compile(r"8|1[18](?!\d)|1[18](?:\d\d)(?!\d)|1[18],")
"""Numerals that start with a vowel: 8, 80, 11, 18, 1800, 11,000."""
INDEFINITE = re.compile(rf"\b(an?|A[Nn]?)\s+[\"'(]?({WORD.pattern})")
STARTS = re.compile(r"(?:^|[.!?:]['\")\]]*\s+|^['\"(])$")
TWICE = re.compile(r"(?<![\w'-])([^\W\d_]+)\s+\1(?![\w'-])", re.IGNORECASE)
GRAMMATICAL = frozenset({"that", "had"})
"""Words that may stand twice: what he had had, the view that that is so."""
SPACING = re.compile(r"^\s|\s$|\s\s|[^\S ]|\s[,.;:!?](?!\w)|[,;:]\s*[,;:.!?]|[,;!?][^\W\d_]")
LOWER = re.compile(r"(?:^[\"'(]*|[.!?][\"')\]]*\s+[\"'(]*)([a-z][\w-]*)")
END = re.compile(r"[.!?][\"')\]]*$")


def indefinite(word: str) -> str:
    """`a` or `an`, by how the word is pronounced in American English.

    >>> indefinite("hour"), indefinite("usher's"), indefinite("X-ray"), indefinite("one-off")
    ('an', 'an', 'an', 'a')
    """
    head = word.split("-")[0]
    if head[0].isdigit():
        return "an" if NUMERAL.match(head) else "a"
    spelled = head.isupper() and (len(head) <= 3 or not re.search("[AEIOU]", head))
    if spelled or len(head) == 1:
        return "an" if head[0].upper() in LETTERS else "a"
    folded = head.casefold()
    if SILENT_H.match(folded):
        return "an"
    return "an" if folded[0] in "aeiou" and not CONSONANT.match(folded) else "a"


def articles(text: str) -> Iterator[str]:
    """Articles that the next word does not take.

    A capital `A` within a sentence is a name.
    """
    for match in INDEFINITE.finditer(text):
        article, word = match.groups()
        named = article[0] == "A" and not STARTS.search(text[: match.start()])
        if not named and article.casefold() != indefinite(word):
            yield f"{article} {word}"


def repeated_words(text: str) -> Iterator[str]:
    """Words that stand twice in a row."""
    for match in TWICE.finditer(text):
        if match[1].casefold() not in GRAMMATICAL:
            yield match[0]


def spacing(text: str) -> Iterator[str]:
    """Blanks doubled, at an end or before a mark; marks doubled or run into a word."""
    for match in SPACING.finditer(text):
        yield repr(text[max(match.start() - 8, 0) : match.end() + 8])


def quotes(text: str) -> Iterator[str]:
    """Quotation marks and brackets that are opened and not closed, or the other way round."""
    if text.count('"') % 2:
        yield 'an odd number of "'
    for opening, closing in ("()", "[]", "“”"):
        if text.count(opening) != text.count(closing):
            yield f"{opening} without {closing}"


def sentences(text: str) -> Iterator[str]:
    """Sentences that start in lower case, and a text that does not end like one."""
    for match in LOWER.finditer(text):
        yield f"starts with {match[1]!r}"
    if not END.search(text):
        yield "no mark at the end"


Rule = Callable[[str], Iterator[str]]
RULES: Mapping[str, Rule] = {
    "articles": articles,
    "repeated_words": repeated_words,
    "spacing": spacing,
    "quotes": quotes,
    "sentences": sentences,
}
"""The rules by name; each says what it finds in a text."""
