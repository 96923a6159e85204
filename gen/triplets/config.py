"""The settings of `gen.triplets`. Imports nothing heavy, so that `--help` answers at once."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import (
    Field,
    NonNegativeInt,
    PositiveInt,
    field_validator,
    model_validator,
)

from gen.base.chat.config import ServerConfig
from gen.base.config import Config
from gen.triplets.writers import WRITERS, takers


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
        None,
        description="show this many examples with their bindings marked, those of a construction "
        "and a register in a row, write nothing",
    )
    language_model: ModelConfig = ModelConfig()

    @field_validator("writer")
    @classmethod
    def _known_writer(cls, value: str) -> str:
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
        given, kind = self.language_model, WRITERS[self.writer]
        for name in given.model_fields_set:
            if name not in kind.takes and getattr(given, name) != ():
                flag = "what follows --" if name == "engine" else f"--{name.replace('_', '-')}"
                raise ValueError(f"{flag} is for --writer {' or '.join(takers(name))}")
        if kind.needs and getattr(given, kind.needs) is None:
            raise ValueError(f"--writer {self.writer} needs --{kind.needs}")
        return self

    @property
    def weights(self) -> dict[str, int]:
        """The share of each construction, as a whole number."""
        from gen.triplets.plan import DEFAULT_MIX

        return parse_mix(self.mix) if self.mix else DEFAULT_MIX


def parse_mix(text: str) -> dict[str, int]:
    """The weights that a --mix names, in the order of the list of constructions.

    Raises:
        ValueError: naming the part that is wrong.
    """
    from gen.triplets.constructions import BY_NAME

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
