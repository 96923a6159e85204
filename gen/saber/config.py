"""The settings of `gen.saber`. Imports nothing heavy, so that `--help` answers at once."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, PositiveInt, field_validator

from gen.saber.settings import Settings, parse_sizes
from schemas.config import Config


class SaberConfig(Config):
    """Settings of one run; all but out, resume and preview determine the data."""

    out: Path = Field(Path("saber"), description="output folder")
    seed: int = Field(0, description="seed of every draw")
    sizes: str = Field("2-10", description="attribute-object pairs of a question, as 2-10 or 2,4,8")
    questions_per_size: PositiveInt = Field(
        200, description="questions of each size; half of them are independent, half in chains"
    )
    vocab: Path | None = Field(
        None, description="folder with a saber.toml of your own (default: the built-in one)"
    )
    resume: bool = Field(
        True, description="leave a finished folder alone; --no-resume discards it first"
    )
    preview: PositiveInt | None = Field(None, description="show this many questions, write nothing")

    @field_validator("sizes")
    @classmethod
    def _known_sizes(cls, value: str) -> str:
        parse_sizes(value)
        return value

    @property
    def settings(self) -> Settings:
        """What determines the questions."""
        return Settings(self.seed, parse_sizes(self.sizes), self.questions_per_size)
