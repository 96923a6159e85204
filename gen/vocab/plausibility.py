"""The plausibility table of a vocabulary: how much likelier a noun is after an adjective.

`plausibility.txt` beside the vocabulary's files: a line of JSON (which model, which texts, the
step of a value, the nouns), then a line for each adjective: the word, a tab and one character a
noun. A character stands for a whole number of steps, `P` for 0: nothing to unpack, the same bytes
everywhere, and a changed word is a changed line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

TABLE_FILE = "plausibility.txt"
STEP = 0.25
"""Log-odds (nats) of one step: finer than two labelers agree on."""
LOWEST, ZERO, HIGHEST = ord("!"), ord("P"), ord("~")
MISSING = ord(" ")
"""In a column: no value for this adjective."""


def encode(values: Iterable[float]) -> str:
    """Log-odds as characters, to the nearest step and at most 11.5 nats from 0."""
    return "".join(chr(min(max(ZERO + round(value / STEP), LOWEST), HIGHEST)) for value in values)


@dataclass(frozen=True)
class Table:
    """Log-odds of adjectives and nouns, in steps; immutable."""

    recipe: Mapping[str, Any]
    """What the values depend on besides the words: model, texts, step."""
    nouns: tuple[str, ...]
    rows: Mapping[str, str]
    """For each adjective, one character a noun."""

    @cached_property
    def _places(self) -> dict[str, int]:
        return {noun: place for place, noun in enumerate(self.nouns)}

    def log_odds(self, attribute: str, noun: str) -> float | None:
        """The value of a pair, in nats; None where the table lacks either word."""
        row, place = self.rows.get(attribute), self._places.get(noun)
        return None if row is None or place is None else (ord(row[place]) - ZERO) * STEP

    def columns(self, adjectives: Sequence[str], nouns: Iterable[str]) -> dict[str, bytes]:
        """For each noun, its characters in the order of the adjectives; `MISSING` for none."""
        width = len(self.nouns)
        nothing = chr(MISSING)
        data = "".join(self.rows.get(word, nothing * width) for word in adjectives).encode()
        unknown = bytes([MISSING]) * len(adjectives)
        return {
            noun: unknown if (at := self._places.get(noun)) is None else data[at::width]
            for noun in nouns
        }

    def text(self) -> str:
        """The file's content."""
        head = json.dumps({**self.recipe, "nouns": self.nouns})
        return "".join([f"{head}\n", *(f"{word}\t{row}\n" for word, row in self.rows.items())])


def parse(path: Path, data: bytes) -> Table:
    """A table of the bytes of its file; a last line without its end is left out.

    Raises:
        ValueError: naming the line that is no part of a table.
    """
    first, *lines = data.decode("ascii", "replace").split("\n")[:-1] or [""]
    try:
        head = json.loads(first)
        nouns = tuple(head.pop("nouns"))
        known = head["step"] == STEP
    except (ValueError, KeyError, TypeError, AttributeError):
        known = False
    if not known:
        raise ValueError(f"{path}: line 1 is no head of a plausibility table; remove the file")
    rows: dict[str, str] = {}
    for number, line in enumerate(lines, 2):
        word, _, row = line.partition("\t")
        whole = len(row) == len(nouns) and row.isprintable() and row.isascii()
        if not whole or chr(MISSING) in row:
            raise ValueError(
                f"{path}: line {number} has no {len(nouns):,} characters for {word!r}; remove it"
            )
        rows[word] = row
    return Table(head, nouns, rows)


def read(path: Path) -> Table | None:
    """The table of a file; None where there is no file.

    Raises:
        ValueError: as `parse`.
    """
    try:
        return parse(path, path.read_bytes())
    except FileNotFoundError:
        return None
