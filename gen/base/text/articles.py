"""`a` or `an`, by pronunciation, in one place for positives and negatives alike.

inflect knows most words; what it gets wrong is decided here: numerals (`an 8-foot`),
letters it reads as words (`an SUV`) and a few single words (`an usher`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from gen.base.text.words import pieces

_EXCEPTIONS = {
    "usher": "an",
    "ushers": "an",
    "us": "a",
    "unissued": "an",
    "ouija": "a",
    "onesie": "a",
    "uv": "a",
    "led": "an",
    "xbox": "an",
    "suv": "an",
    "herb": "an",
    "herbal": "an",
    "herbed": "an",
    "herbalist": "an",
    "herbarium": "an",
}
_POSSESSIVE = re.compile(r"['’]s?$")
_NUMERAL = re.compile(r"\d+")
_GAP = re.compile(r"\s+\S*")
"""What may stand between an article and its word: blanks, then an opening mark (`a "red"`)."""
_SENTENCE_END = re.compile(r"[.!?:]['\")\]]*\s*$")


@lru_cache(maxsize=65536)
def article(word: str) -> str:
    """The indefinite article that `word` takes: `a` or `an`.

    >>> article("hour"), article("unicorn"), article("8-foot"), article("one-off")
    ('an', 'a', 'an', 'a')
    """
    word = _POSSESSIVE.sub("", word)
    head = word.split("-")[0].casefold()
    known = _EXCEPTIONS.get(word.casefold()) or _EXCEPTIONS.get(head)
    if known:
        return known
    numeral = _NUMERAL.match(word)
    if numeral:
        return _numeral_article(numeral.group())
    return str(_inflect().a(word)).split(" ", 1)[0]


def _numeral_article(digits: str) -> str:
    """8, 80, 8,000, 11 and 18 start with a vowel, as do the years 11xx and 18xx."""
    lead = digits[: len(digits) % 3 or 3]
    vowel = lead[0] == "8" or lead in ("11", "18")
    vowel = vowel or (len(digits) == 4 and digits[:2] in ("11", "18"))
    return "an" if vowel else "a"


@lru_cache(maxsize=1)
def _inflect() -> Any:
    # Imported late, so that `--help` answers at once; and without the run-time type checks that
    # inflect has compiled into each of its functions on loading, which would take 1.6 s.
    import typeguard

    names = vars(typeguard)
    checked = names["typechecked"]
    names["typechecked"] = lambda function: function
    try:
        import inflect
    finally:
        names["typechecked"] = checked
    return inflect.engine()


def repair_pieces(parts: list[str]) -> None:
    """Set every indefinite article among `parts` (see `words.pieces`) right, in place.

    An upper-case `A` within a sentence is a name (`Lot A`), not an article.
    """
    last = len(parts) - 2
    for place in range(1, last, 2):
        word = parts[place]
        if word not in ("a", "an", "A", "An") or not _GAP.fullmatch(parts[place + 1]):
            continue
        if word[0] == "A" and not _starts_sentence(parts, place):
            continue
        right = article(parts[place + 2])
        parts[place] = right.capitalize() if word[0] == "A" else right


def _starts_sentence(parts: Sequence[str], place: int) -> bool:
    before = parts[place - 1]
    return place == 1 or bool(_SENTENCE_END.search(before)) or before.endswith(("'", '"', "("))


def repair(text: str) -> str:
    """`text` with every indefinite article as its next word is pronounced."""
    parts = pieces(text)
    repair_pieces(parts)
    return "".join(parts)
