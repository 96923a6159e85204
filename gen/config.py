"""The settings of `gen.triplets`. Imports nothing heavy, so that `--help` answers at once."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field, PositiveInt, field_validator

from schemas.config import Config

INTERRUPTED, SHORT = 130, 3


class TripletsConfig(Config):
    """Settings of one run; all but n, out, workers, resume and preview determine the data."""

    n: PositiveInt = Field(100_000, description="examples to write; each gives two triplets")
    out: Path = Field(Path("binding-triplets"), description="output folder")
    seed: int = Field(0, description="seed of every draw")
    writer: str = Field("grammar", description="who writes the captions: grammar")
    mix: str | None = Field(
        None,
        description="share of each construction, as pair_swap=2,predicative=1 "
        "(default: 16 for each type, 10 for the deferred ones)",
    )
    vocab: Path | None = Field(
        None, description="folder with a vocabulary of your own (default: the built-in one)"
    )
    workers: PositiveInt | None = Field(
        None, description="worker processes (default: one for each CPU); the data is the same"
    )
    resume: bool = Field(
        True, description="go on from what the folder holds; --no-resume discards it first"
    )
    preview: PositiveInt | None = Field(
        None, description="show this many examples with their bindings marked, write nothing"
    )

    @field_validator("writer")
    @classmethod
    def _known_writer(cls, value: str) -> str:
        from gen.writers import WRITERS

        if value not in WRITERS:
            raise ValueError(f"choose from {', '.join(WRITERS)}")
        return value

    @field_validator("mix")
    @classmethod
    def _known_mix(cls, value: str | None) -> str | None:
        if value is not None:
            parse_mix(value)
        return value


def parse_mix(text: str) -> dict[str, int]:
    """The weights that a --mix names, in the order of the list of constructions.

    Raises:
        ValueError: naming the part that is wrong.
    """
    from gen.constructions import BY_NAME

    weights: dict[str, int] = {}
    for part in text.split(","):
        name, _, share = part.strip().partition("=")
        if name not in BY_NAME:
            raise ValueError(f"{name!r} is not a construction; choose from {', '.join(BY_NAME)}")
        if not share.isdecimal() or int(share) < 1 or name in weights:
            raise ValueError(
                f"{part.strip()!r}: write each construction once, as NAME=WHOLE_NUMBER"
            )
        weights[name] = int(share)
    return {name: weights[name] for name in BY_NAME if name in weights}


def cpus() -> int:
    """CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
