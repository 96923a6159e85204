"""`pairs.txt`: for each adjective the nouns that it may be said of, listed by hand.

A line an adjective: `rusty: @tools -ruler anchor`. `@tools` is every noun of that class, `-ruler`
leaves one out, `anchor` adds one. An adjective without a line is judged by its family and the
plausibility table; a vocabulary without the file by these alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

PAIRS_FILE = "pairs.txt"


def parse(
    path: Path, data: bytes, adjectives: Mapping[str, str], classes: Mapping[str, Sequence[str]]
) -> dict[str, frozenset[str]]:
    """The nouns listed for each adjective.

    Raises:
        ValueError: naming the line, and the word that no list of the vocabulary has.
    """
    nouns = frozenset().union(*classes.values())
    found: dict[str, frozenset[str]] = {}
    for number, line in enumerate(data.decode().splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        word, colon, rest = text.partition(":")
        place = f"{path}: line {number}"
        if not colon or word not in adjectives:
            raise ValueError(f"{place}: {word!r} is no adjective of adjectives.toml")
        if word in found:
            raise ValueError(f"{place}: {word!r} has a line already; keep one")
        own: set[str] = set()
        for entry in rest.split():
            name = entry.lstrip("@-")
            known = classes if entry[0] == "@" else nouns
            if name not in known:
                raise ValueError(f"{place}: {entry!r} is in no list of nouns.toml")
            if entry[0] == "@":
                own.update(classes[name])
            elif entry[0] == "-":
                own.discard(name)
            else:
                own.add(name)
        found[word] = frozenset(own)
    return found


def text(pairs: Mapping[str, frozenset[str]], classes: Mapping[str, Sequence[str]]) -> str:
    """The file's lines for some pairs, a class by its name where most of it is meant."""
    lines = []
    for word, nouns in pairs.items():
        entries = []
        for name, members in classes.items():
            inside = [noun for noun in members if noun in nouns]
            outside = [noun for noun in members if noun not in nouns]
            if len(outside) < len(inside):
                entries += [f"@{name}", *(f"-{noun}" for noun in outside)]
            else:
                entries += inside
        lines.append(f"{word}: {' '.join(entries)}\n")
    return "".join(lines)
