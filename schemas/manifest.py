"""The manifest of an output folder: written last, so that its presence means complete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION = 1
MANIFEST = "manifest.json"


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
