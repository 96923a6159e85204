"""The words that must not meet in one example, as groups of a vocabulary file tell them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

from gen.vocab.tomlfile import lines, terms

Conflicts: TypeAlias = dict[str, frozenset[str]]
"""For a word, the words it must not meet."""


def conflicts_of(path: Path, data: dict[str, Any], lists: Iterable[tuple[str, ...]]) -> Conflicts:
    """What the groups of a file keep apart: all of a `synonyms` line, a head and its words.

    Raises:
        ValueError: naming the line that is wrong.
    """
    known = {word for words in lists for word in words}
    found: dict[str, set[str]] = {}
    groups = [terms(line) for line in lines(path, data, "synonyms")]
    pairs = [("synonyms", first, second) for group in groups for first in group for second in group]
    for key in ("kind_of", "part_of"):
        for line in lines(path, data, key):
            head, colon, rest = line.partition(":")
            if not colon or not terms(rest):
                raise ValueError(f"{path}: {key} has {line!r}; write `head: word word ...`")
            pairs += [(key, head.strip(), word) for word in terms(rest)]
    for key, first, second in pairs:
        for word in (first, second):
            if word not in known:
                raise ValueError(f"{path}: {key} names {word!r}, which no list holds")
        if first != second:
            found.setdefault(first, set()).add(second)
            found.setdefault(second, set()).add(first)
    return {word: frozenset(others) for word, others in found.items()}
