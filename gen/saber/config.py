"""The settings of `gen.saber`. Imports nothing heavy, so that `--help` answers at once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, PositiveInt, field_validator, model_validator

from gen.saber.settings import Settings, parse_sizes
from schemas.config import Config

_SHARD = re.compile(r"(\d+)/(\d+)")


class ImageConfig(Config):
    """Five images for each question, with masks and boxes. Needs the extra `render`.

    All but workers and shard determine the data.
    """

    images: Literal["none", "render"] = Field(
        "none", description="none: texts alone; render: drawn here, offline, right by construction"
    )
    size: int = Field(512, ge=64, le=2048, description="pixels of a side: 256, 512, 1024")
    samples: int = Field(16, ge=1, le=4096, description="light paths for a pixel")
    layout: Literal["fixed", "jitter"] = Field(
        "fixed",
        description="fixed: objects keep their places in a question's images; "
        "jitter: each image has its own, as in the paper",
    )
    variant: Literal["llvm", "scalar"] | None = Field(
        None,
        description="how the renderer runs: llvm, or scalar, several times slower, whose images "
        "are the same bytes in each run (default: llvm where its library is found)",
    )
    workers: PositiveInt | None = Field(
        None, description="worker processes (default: one for each CPU)"
    )
    shard: str | None = Field(
        None,
        description="draw one part of the images, as 2/4, and write no dataset; copy the parts' "
        "OUT/.run/images together and run without it",
    )

    @field_validator("shard")
    @classmethod
    def _one_of_many(cls, value: str | None) -> str | None:
        if value is not None:
            match = _SHARD.fullmatch(value)
            if not match or not 1 <= int(match[1]) <= int(match[2]):
                raise ValueError("write which part of how many, as in 2/4")
        return value

    @model_validator(mode="after")
    def _fitting_flags(self) -> Self:
        for name in self.model_fields_set - {"images"}:
            if self.images == "none":
                raise ValueError(f"--{name} is for --images render")
        return self

    @property
    def part(self) -> tuple[int, int]:
        """Which part of the questions to draw, counted from 1, and of how many."""
        number, count = (self.shard or "1/1").split("/")
        return int(number), int(count)


class SaberConfig(Config):
    """Settings of one run; all but out, resume, preview, workers and shard determine the data."""

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
    image: ImageConfig = ImageConfig()

    @field_validator("sizes")
    @classmethod
    def _known_sizes(cls, value: str) -> str:
        parse_sizes(value)
        return value

    @property
    def settings(self) -> Settings:
        """What determines the questions."""
        return Settings(self.seed, parse_sizes(self.sizes), self.questions_per_size)
