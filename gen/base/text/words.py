"""What a word is, and how terms are found in a caption.

A word is a maximal run of letters and digits with inner apostrophes and hyphens
(`tie-dyed`, `o'clock`). Words are compared casefolded, and `a` and `an` are the same word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_PIECES = re.compile(rf"({WORD.pattern})")

NEGATIONS = frozenset(
    "no not never neither nor none nobody no-one nothing nowhere without cannot".split()
)


def words(text: str) -> list[str]:
    """The casefolded words of `text`, in order."""
    return list(_words(text))


@lru_cache(maxsize=1024)
def _words(text: str) -> tuple[str, ...]:
    # Folded word by word: folding a whole text may split a word (the Turkish dotted I).
    return tuple(word.casefold() for word in WORD.findall(text))


def pieces(text: str) -> list[str]:
    """`text` cut so that odd places hold words and even places what stands between them."""
    return list(_pieces(text))


@lru_cache(maxsize=64)
def _pieces(text: str) -> tuple[str, ...]:
    # The checks of one example cut the same few texts again and again.
    return tuple(_PIECES.split(text))


def normalized(word: str) -> str:
    """The comparison form of a casefolded word: `an` is `a`."""
    return "a" if word == "an" else word


def capitalize(text: str) -> str:
    """`text` with its first character in upper case and the rest untouched."""
    return text[:1].upper() + text[1:]


def negates(tokens: Iterable[str]) -> bool:
    """Whether a caption's words contain a negation (paper section 6: no, without, neither, ...)."""
    return any(word in NEGATIONS or word.endswith("n't") for word in tokens)


def positions(tokens: Sequence[str], term: Sequence[str]) -> list[int]:
    """Every place in `tokens` where the words of `term` start."""
    first, size = term[0], len(term)
    if size == 1:
        return [place for place, word in enumerate(tokens) if word == first]
    wanted = list(term)
    return [
        place
        for place in range(len(tokens) - size + 1)
        if tokens[place] == first and list(tokens[place : place + size]) == wanted
    ]


_IRREGULAR = {
    "man": "men",
    "woman": "women",
    "child": "children",
    "foot": "feet",
    "tooth": "teeth",
    "goose": "geese",
    "mouse": "mice",
    "louse": "lice",
    "ox": "oxen",
    "die": "dice",
    "person": "people",
    "us": "i",
    "eau": "eaux",
}


@lru_cache(maxsize=65536)
def plurals(noun: str) -> frozenset[str]:
    """Plausible plural spellings of a noun's last word (`boxes`, `knives`, `geese`).

    Deliberately generous: a spelling that no dictionary has costs nothing, a missed
    plural would let an object occur twice.
    """
    stem, _, last = noun.casefold().rpartition(" ")
    last = last or stem
    forms = {last + "s", last + "es"}
    if last.endswith("y"):
        forms.add(last[:-1] + "ies")
    if last.endswith("fe"):
        forms.add(last[:-2] + "ves")
    elif last.endswith("f"):
        forms.add(last[:-1] + "ves")
    if last.endswith("z"):
        forms.add(last + "zes")
    for singular, plural in _IRREGULAR.items():
        if last.endswith(singular):
            forms.add(last[: -len(singular)] + plural)
    return frozenset(forms)
