"""The settings of `gen.saber`. Imports nothing heavy, so that `--help` answers at once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, PositiveFloat, PositiveInt, field_validator, model_validator

from gen.base.chat.config import check_address
from gen.base.config import Config
from gen.saber.settings import Settings, parse_sizes

_SHARD = re.compile(r"(\d+)/(\d+)")


FLAGS_OF: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("size", "shard"), ("render", "openai")),
    **dict.fromkeys(("samples", "layout", "variant", "workers"), ("render",)),
    **dict.fromkeys(("model", "quality", "base_url", "key_variable"), ("openai",)),
    **dict.fromkeys(("in_flight", "timeout", "price", "budget"), ("openai",)),
}
"""The sources of images that take a flag."""
OPENAI_SIZE = 1024
"""Pixels of a side of the paper's images (A.4)."""
OPENAI_SIZES = range(816, 2049, 16)
"""What OpenAI's own API makes, since it asks for 655,360 pixels and sides in steps of 16."""


class ImageConfig(Config):
    """Five images for each question: drawn here, with masks and boxes, or painted by a model.

    render needs the extra `render`; openai, which is paid for, the extra `images`. All but workers,
    shard and what says how a server is reached and paid determine the data.
    """

    images: Literal["none", "render", "openai"] = Field(
        "none",
        description="none: texts alone; render: drawn here, offline, right by construction; "
        "openai: by a model behind OpenAI's Images API, or a compatible one, as in the paper",
    )
    size: int = Field(
        512, ge=64, le=2048, description=f"pixels of a side; openai: {OPENAI_SIZE} if not given"
    )
    samples: int = Field(8, ge=1, le=4096, description="render: light paths for a pixel")
    layout: Literal["apart", "fixed", "jitter"] = Field(
        "apart",
        description="render: where a question's objects stand. apart: the same in its candidates, "
        "elsewhere in its query; fixed: the same in all five images, so that comparing pixels "
        "finds the answer; jitter: elsewhere in each image, as in the paper",
    )
    variant: Literal["llvm", "scalar"] | None = Field(
        None,
        description="render: how the renderer runs: llvm, or scalar, several times slower, whose "
        "images are the same bytes in each run (default: llvm where its library is found)",
    )
    workers: PositiveInt | None = Field(
        None, description="render: worker processes (default: one for each CPU)"
    )
    shard: str | None = Field(
        None,
        description="make one part of the images, as 2/4, and write no dataset; copy the parts' "
        "OUT/.run/images together and run without it",
    )
    model: str = Field("gpt-image-2", description="openai: the model, as its server knows it")
    quality: str = Field("medium", description="openai: quality that is asked for")
    base_url: str | None = Field(
        None, description="openai: address of a server; it ends in /v1 (default: OpenAI's own)"
    )
    key_variable: str = Field(
        "OPENAI_API_KEY", description="openai: environment variable that the key is read from"
    )
    in_flight: PositiveInt = Field(8, le=500, description="openai: images asked for at a time")
    timeout: PositiveFloat = Field(300.0, description="openai: seconds an image may take")
    price: PositiveFloat | None = Field(
        None, description="openai: price of an image, to tell what a run costs: 0.056"
    )
    budget: PositiveFloat | None = Field(
        None, description="openai: stop before all images of the folder together cost more"
    )

    @model_validator(mode="before")
    @classmethod
    def _own_size(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("images") == "openai":
            return {"size": OPENAI_SIZE, **values}
        return values

    @field_validator("shard")
    @classmethod
    def _one_of_many(cls, value: str | None) -> str | None:
        if value is not None:
            match = _SHARD.fullmatch(value)
            if not match or not 1 <= int(match[1]) <= int(match[2]):
                raise ValueError("write which part of how many, as in 2/4")
        return value

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        return value if value is None else check_address(value)

    @model_validator(mode="after")
    def _fitting_flags(self) -> Self:
        for name in self.model_fields_set - {"images"}:
            if self.images not in FLAGS_OF[name]:
                flag = name.replace("_", "-")
                raise ValueError(f"--{flag} is for --images {' or '.join(FLAGS_OF[name])}")
        if self.budget is not None and self.price is None:
            raise ValueError("--budget needs --price")
        if self.images == "openai" and not self.base_url and self.size not in OPENAI_SIZES:
            raise ValueError(
                f"--size {self.size}: OpenAI makes {OPENAI_SIZES[0]} to {OPENAI_SIZES[-1]} in "
                f"steps of {OPENAI_SIZES.step}; name another server with --base-url"
            )
        return self

    @property
    def part(self) -> tuple[int, int]:
        """Which part of the questions to draw, counted from 1, and of how many."""
        number, count = (self.shard or "1/1").split("/")
        return int(number), int(count)


class SaberConfig(Config):
    """Settings of one run; all but out, resume and preview determine the questions."""

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
