"""The sheet that readers get, and the key that says whose each caption is, which they don't."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gen.audit.config import AuditConfig
from gen.audit.data import Data, captions
from gen.base.draws import Draws
from gen.base.files import write_atomic
from gen.triplets.build import canonical

READING = "reading"
"""Within the audit's folder; holds a folder for each seed."""
SHEET, KEY, RUBRIC = "sheet.txt", "key.jsonl", "rubric.md"
OURS, HUMAN = "ours", "human"
TEXT = """\
# How to read the sheet

`sheet.txt` holds captions of pictures, a number and a text on each line. Judge all of them, in
order, each for itself. Write a line for each into a file of your own: the number, a tab, the
verdict; after WINCE another tab and a code; after that, if you like, a tab and a note.

| verdict | |
|---|---|
| OK | a person could have written it |
| STILTED | it makes sense, but is odd or heavy |
| WINCE | it is wrong: code G grammar, N nonsense, H too heavy, O other |

Read as a strict copy editor would. Whoever reads has no part in the program, opens nothing but the
sheet and this page, and reads a sheet once.
"""
"""What readers are told."""


class Entry(NamedTuple):
    """A caption of the sheet, with what only the key says of it."""

    number: int
    source: str
    """`OURS` or `HUMAN`."""
    construction: str
    """Type of ours; empty for human captions."""
    id: str
    """The example's id; of human captions, their place in the file, counted from 1."""
    text: str


def folder(config: AuditConfig) -> Path:
    """Where the sheet of this seed lies, with its key and the rubric."""
    return config.results / READING / f"seed-{config.seed}"


def write(data: Data, config: AuditConfig) -> Path:
    """Draw the sheet of this seed and write it; returns its path.

    Raises:
        ValueError: where that sheet is there already, or the captions are too few.
        OSError: when a file can't be read or written.
    """
    assert config.reading is not None
    place = folder(config)
    if (place / SHEET).exists():
        raise ValueError(
            f"{place / SHEET} is there already, and a sheet is read once; "
            f"draw another one with --seed {config.seed + 1}"
        )
    entries = draw(data, config)
    place.mkdir(parents=True, exist_ok=True)
    hidden = (entry._asdict() for entry in entries)
    key = (json.dumps({name: row[name] for name in Entry._fields[:-1]}) for row in hidden)
    write_atomic(place / KEY, "".join(f"{line}\n" for line in key).encode())
    write_atomic(place / RUBRIC, TEXT.encode())
    lines = (f"{entry.number}\t{entry.text}\n" for entry in entries)
    write_atomic(place / SHEET, "".join(lines).encode())
    return place / SHEET


def draw(data: Data, config: AuditConfig) -> list[Entry]:
    """`config.reading` of our captions and as many human ones, shuffled, in one surface form.

    Raises:
        ValueError: where there are too few.
    """
    assert config.reading is not None
    assert config.against is not None
    seen: set[str] = set()
    entries: list[Entry] = []
    for source, rows, where in (
        (OURS, _ours(data, config.seed), data.path),
        (HUMAN, _human(config.against, config.seed), config.against),
    ):
        before = len(entries)
        for construction, name, text in rows:
            if len(entries) - before == config.reading:
                break
            if (shown := canonical(text)) not in seen:
                seen.add(shown)
                entries.append(Entry(0, source, construction, name, shown))
        if len(entries) - before < config.reading:
            found = len(entries) - before
            raise ValueError(f"--reading {config.reading}: {where} has {found} captions; ask fewer")
    order = Draws("reading", config.seed, "order").shuffled(len(entries))
    return [entries[at]._replace(number=number) for number, at in enumerate(order, 1)]


def _ours(data: Data, seed: int) -> Iterator[tuple[str, str, str]]:
    """(construction, id, caption) of each example, drawn at random, the constructions in turn."""
    groups: dict[str, dict[str, str]] = {}
    for pair in data.pairs:
        groups.setdefault(pair.construction, {})[pair.example] = pair.positive
    dealt = []
    for construction, own in groups.items():
        rows = list(own.items())
        order = Draws("reading", seed, OURS, construction).shuffled(len(rows))
        dealt.append([(construction, *rows[at]) for at in order])
    for turn in range(max(map(len, dealt))):
        yield from (rows[turn] for rows in dealt if turn < len(rows))


def _human(path: Path, seed: int) -> Iterator[tuple[str, str, str]]:
    """("", place, caption) of each caption of a file, drawn at random."""
    texts = captions(path)
    for at in Draws("reading", seed, HUMAN).shuffled(len(texts)):
        yield "", str(at + 1), texts[at]


def read(data: Data, config: AuditConfig) -> list[Entry]:
    """The sheet of this seed, with its key.

    Raises:
        ValueError: where there is none, or the data are others than those it was drawn from.
        OSError: when a file can't be read.
    """
    place = folder(config)
    if not (place / SHEET).exists():
        raise ValueError(
            f"{place / SHEET} is not there; name the --seed and --out that it was drawn with"
        )
    shown = (line.partition("\t") for line in (place / SHEET).read_text("utf-8").splitlines())
    texts = {number: text for number, _, text in shown}
    rows = [json.loads(line) for line in (place / KEY).read_text("utf-8").splitlines()]
    if sorted(texts) != sorted(str(row["number"]) for row in rows):
        raise ValueError(f"{place}: {SHEET} and {KEY} number different captions; draw a new sheet")
    entries = [Entry(**row, text=texts[str(row["number"])]) for row in rows]
    own = {pair.example: pair.positive for pair in data.pairs}
    for entry in entries:
        if entry.source == OURS and canonical(own.get(entry.id, "")) != entry.text:
            raise ValueError(
                f"{place / SHEET}: {entry.number} is not what {data.name} holds as {entry.id}; "
                "the data have changed since the sheet was drawn, draw a new one"
            )
    return entries
