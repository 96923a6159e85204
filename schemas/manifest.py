"""The manifest of an output folder: written last, so that its presence means complete."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

SCHEMA_VERSION = 1
NAME = "manifest.json"


class File(BaseModel):
    """One data file of the folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    bytes: int
    rows: int


Prices = tuple[float, float]
"""The prices of a million prompt and of a million completion tokens."""


class Usage(BaseModel):
    """What a model took for a dataset: failed, rejected and accepted answers alike."""

    model_config = ConfigDict(extra="forbid")

    requests: int = 0
    """Answers, and requests that found none."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Prompt tokens that the server had in its prefix cache."""
    completion_tokens: int = 0
    repaired: int = 0
    """Rows accepted after the model was shown what was wrong with its first draft."""
    faults: dict[str, int] = {}
    """Failed requests that were sent again, by reason."""
    cost: float | None = None
    """In the currency of the prices that the run was given."""

    def add(self, call: Mapping[str, Any], accepted: bool) -> None:
        """Count one exchange with the model, as the log holds it."""
        self.requests += 1
        self.repaired += accepted and call["round"] > 0
        self.prompt_tokens += call["prompt_tokens"]
        self.cached_tokens += call["cached_tokens"]
        self.completion_tokens += call["completion_tokens"]
        for reason, count in call["faults"].items():
            self.faults[reason] = self.faults.get(reason, 0) + count

    def priced(self, prices: Prices) -> float:
        """The cost."""
        return (self.prompt_tokens * prices[0] + self.completion_tokens * prices[1]) / 1e6


class Manifest(BaseModel):
    """What a folder holds and how it was made; holds no clock and no path of the machine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = SCHEMA_VERSION
    dataset: str
    generator: str
    """Version of the generator."""
    commit: str | None
    """Commit of the generator's checkout, where there is one."""
    config: dict[str, Any]
    """The resolved configuration that determines the data."""
    requested: int
    """Examples asked for; fewer means that the run fell short."""
    examples: int
    constructions: dict[str, int]
    """Examples of each construction type; of SABER, questions of each subset."""
    splits: dict[str, int]
    attempts: int
    rejections: dict[str, int]
    vocabulary: dict[str, int]
    files: dict[str, File]
    usage: Usage | None = None
    """Only where a model wrote the captions or painted the images."""

    @property
    def complete(self) -> bool:
        """Whether the run reached the number of examples asked for."""
        return self.examples == self.requested

    def rows(self, config: str) -> int:
        """Rows of one of the dataset's configs, over all its files."""
        return sum(file.rows for name, file in self.files.items() if name.startswith(f"{config}/"))


def read(folder: Path) -> Manifest | None:
    """The manifest of a folder, or None where there is none.

    Raises:
        ValueError: where the file is there and is not a manifest of this schema.
    """
    path = folder / NAME
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "file"
        raise ValueError(f"{path}: not a manifest: {place}: {first['msg']}") from None


def finished(folder: Path) -> Manifest:
    """The manifest of a folder that has to have one.

    Raises:
        ValueError: where there is none, or it is not a manifest of this schema.
    """
    found = read(folder)
    if found is None:
        raise ValueError(
            f"{folder}: no manifest.json, so this is not a finished dataset; "
            "run the command that writes it again"
        )
    return found


def write(folder: Path, manifest: Manifest) -> None:
    """Put the manifest in place in one step."""
    replace(folder / NAME, (manifest.model_dump_json(indent=2) + "\n").encode())


def replace(path: Path, data: bytes) -> None:
    """Write a file under a temporary name, make it durable and rename it into place."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def sha256(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def describe(path: Path, rows: int) -> File:
    """The manifest's entry for a file."""
    return File(sha256=sha256(path), bytes=path.stat().st_size, rows=rows)
