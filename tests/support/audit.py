"""Pairs for tests of the audit: made at random, without a leak or with one that was planted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

from gen.audit.config import AuditConfig
from gen.audit.data import Data, Pair
from gen.audit.result import Result
from schemas.audit import OVERALL, Finding
from tests.support import TESTS

SUGARCREPE = TESTS / "data" / "sugarcrepe_pairs_sample.jsonl"
CONFIG = AuditConfig(folder=Path("unused"))
ATTRIBUTES = "red torn dusty blue loud tiny square dented old glossy bent striped warm wet".split()
OBJECTS = "banner flag drum kettle lamp bench crate violin tractor anvil easel otter".split()
PLACES = "in the hall, by the river, at noon, near a gate, on the ramp, after the rain".split(", ")


def pairs(count: int = 2_000, leak: Callable[[str], str] | None = None, share: float = 0.5) -> Data:
    """Captions with two or three pairs against the same with two attributes exchanged.

    `leak` is done to that share of the negatives.
    """
    draw = Random(count)
    made = []
    for number in range(count):
        a, b = draw.sample(ATTRIBUTES, 2)
        x, y = draw.sample(OBJECTS, 2)
        frame = f"The {{}} {x} stood by the {{}} {y} {draw.choice(PLACES)}."
        negative = frame.format(b, a)
        if leak and draw.random() < share:
            negative = leak(negative)
        kind = draw.choice(("attribute", "object"))
        type_ = draw.choice(("first", "second"))
        query = f"{a} {x} and {b} {y}"
        made.append(Pair(frame.format(a, b), negative, query, str(number), type_, kind))
    return data(made)


def data(made: Iterable[Pair]) -> Data:
    """Pairs as a dataset."""
    return Data("made", Path("made.jsonl"), "pairs", "0" * 64, tuple(made))


def write(path: Path, made: Data) -> Path:
    """Pairs as a file."""
    path.write_text("".join(json.dumps(pair._asdict()) + "\n" for pair in made.pairs))
    return path


def overall(result: Result, check: str) -> Finding:
    """The finding of a check about everything."""
    [found] = [f for f in result.findings if (f.check, f.group) == (check, OVERALL)]
    return found
