"""The settings of `gen.triplets`. Imports nothing heavy, so that `--help` answers at once."""

from __future__ import annotations

import json
import os
from math import inf
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import (
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    field_validator,
    model_validator,
)

from schemas.config import Config
from schemas.manifest import Prices

INTERRUPTED, SHORT = 130, 3
RESERVED = {"messages", "model", "n", "stream"}
"""Fields of a request that are not for --sampling."""
MAX_TOKENS = 1024
"""Bound on an answer's length where --sampling names none; drafts take some 150 tokens."""
MODELS = ("openai", "vllm")
"""Writers that ask a language model."""
NEEDED = {"openai": "model", "vllm": "model", "replay": "answers"}
"""The flag that a writer can't do without."""
TAKEN: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("model", "in_flight", "repair", "sampling", "log_answers"), MODELS),
    **dict.fromkeys(("base_url", "timeout"), ("openai",)),
    "price": (*MODELS, "replay"),
    "engine": ("vllm",),
    "answers": ("replay",),
}
"""The writers that take a flag."""


class ServerConfig(Config):
    """How requests to a model are sent: where to, how many at a time, with what."""

    base_url: str | None = Field(
        None,
        description="addresses of servers of that model, with commas between; each ends in /v1 "
        "(default: OpenAI's own). The key is read from OPENAI_API_KEY",
    )
    in_flight: PositiveInt = Field(256, description="requests in flight, on all servers together")
    timeout: PositiveFloat = Field(
        600.0,
        description="seconds that an answer may take; one that takes several times as long as "
        "the latest others is asked for again sooner",
    )
    sampling: str = Field(
        "{}",
        description='JSON sent with each request: \'{"temperature": 0.9, "max_tokens": 1024}\'',
    )
    price: str | None = Field(
        None, description="price of a million prompt,completion tokens: 0.10,0.40"
    )

    @field_validator("base_url")
    @classmethod
    def _addresses(cls, value: str | None) -> str | None:
        for url in value.split(",") if value is not None else ():
            check_address(url.strip())
        return value

    @field_validator("sampling")
    @classmethod
    def _json(cls, value: str) -> str:
        try:
            known = isinstance(json.loads(value, parse_constant=_refuse), dict)
        except ValueError:
            known = False
        if not known:
            raise ValueError("write a JSON object, as in '{\"temperature\": 0.9}'")
        ours = sorted(RESERVED & json.loads(value).keys())
        if ours:
            raise ValueError(f"{ours[0]!r} is set by the program; leave it out")
        return value

    @field_validator("price")
    @classmethod
    def _prices(cls, value: str | None) -> str | None:
        if value is not None:
            parse_price(value)
        return value

    @property
    def urls(self) -> list[str]:
        """The addresses, one by one."""
        return [url.strip() for url in self.base_url.split(",")] if self.base_url else []

    @property
    def prices(self) -> Prices | None:
        """The prices of a million prompt and completion tokens, where they are given."""
        return parse_price(self.price) if self.price else None

    @property
    def request(self) -> dict[str, Any]:
        """What is sent with each request; a bound on its length is always there."""
        given: dict[str, Any] = json.loads(self.sampling)
        bounded = not {"max_tokens", "max_completion_tokens"}.isdisjoint(given)
        return given if bounded else {"max_tokens": MAX_TOKENS, **given}


class ModelConfig(ServerConfig):
    """For --writer openai (any compatible server), vllm (in this process) and replay.

    What `vllm serve MODEL` takes goes after `--` for the vllm writer, as it is:
    `-- --tensor-parallel-size 4 --enable-lora --lora-modules mine=FOLDER`.
    """

    model: str | None = Field(None, description="the model's name, as its server knows it")
    repair: NonNegativeInt = Field(
        1, description="times that a rejected draft goes back with what is wrong with it"
    )
    log_answers: bool = Field(
        True, description="keep every answer in OUT/.run/answers.jsonl.gz, for --writer replay"
    )
    answers: Path | None = Field(
        None, description="for --writer replay: the folder of the run whose answers to use"
    )
    engine: tuple[str, ...] = Field((), description="what stands after --")


class TripletsConfig(Config):
    """Settings of one run; all but n, out, workers, resume and preview determine the data."""

    n: PositiveInt = Field(100_000, description="examples to write; each gives two triplets")
    out: Path = Field(Path("binding-triplets"), description="output folder")
    seed: int = Field(0, description="seed of every draw")
    writer: str = Field(
        "grammar", description="who writes the captions: grammar, openai, vllm or replay"
    )
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
    language_model: ModelConfig = ModelConfig()

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

    @model_validator(mode="after")
    def _fitting_flags(self) -> Self:
        given, needed = self.language_model, NEEDED.get(self.writer)
        for name in given.model_fields_set:
            if self.writer not in TAKEN[name] and getattr(given, name) != ():
                flag = "what follows --" if name == "engine" else f"--{name.replace('_', '-')}"
                raise ValueError(f"{flag} is for --writer {' or '.join(TAKEN[name])}")
        if needed and getattr(given, needed) is None:
            raise ValueError(f"--writer {self.writer} needs --{needed}")
        return self


def _refuse(constant: str) -> None:
    """NaN and Infinity: Python reads them, but they are not JSON."""
    raise ValueError(constant)


def check_address(url: str) -> str:
    """The address of a server, as it is.

    Raises:
        ValueError: it is none.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("an address begins with http:// or https:// and a host")
    _ = parts.port  # raises where it is no port
    return url


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


def parse_price(text: str) -> Prices:
    """The prices of a million prompt and completion tokens.

    Raises:
        ValueError: for anything else than two numbers.
    """
    try:
        prompt, completion = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError("write two numbers with a comma between, as in 0.10,0.40") from None
    if not 0 <= prompt < inf or not 0 <= completion < inf:
        raise ValueError("a price is zero or more")
    return prompt, completion


def cpus() -> int:
    """CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
