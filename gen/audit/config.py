"""The settings of `gen.audit`. Imports nothing heavy, so that `--help` answers at once."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, PositiveInt, model_validator

from gen.base.config import Config


class AuditConfig(Config):
    """Settings of one audit."""

    folder: Path = Field(
        description="a dataset's folder, or a file of pairs (.jsonl, .csv, .parquet) with columns "
        "positive and negative, and if you have them query, construction, kind, example"
    )
    out: Path | None = Field(
        None,
        description="folder of the results (default: FOLDER/audit; for a file, NAME-audit)",
    )
    language_model: str | None = Field(
        None,
        description="causal language model whose likelihood attacks the pairs: a GGUF file, or a "
        "folder or name that transformers loads (default: this attack is left out)",
    )
    sample: PositiveInt = Field(
        1_000, description="examples that the slow checks look at: language model, parser"
    )
    against: Path | None = Field(
        None,
        description="second dataset, file of pairs, or text file with a caption a line, "
        "to show figures of variety and likelihood beside",
    )
    reading: PositiveInt | None = Field(
        None,
        description="write a shuffled sheet of this many captions of the data and as many of "
        "--against, to be judged blind, and nothing else",
    )
    score_reading: str | None = Field(
        None,
        description="what readers of that sheet wrote: a file for each, with commas between; a "
        "line is number, verdict (OK, STILTED, WINCE), code (G, N, H, O) and note, tabs between",
    )
    outcome: bool = Field(
        False, description="finetune a small sentence embedder on the data and score it (minutes)"
    )
    outcome_model: str | None = Field(
        None, description="sentence-transformers model of --outcome (default: all-MiniLM-L6-v2)"
    )
    sugarcrepe_pp: Path | None = Field(
        None, description="folder with SugarCrepe++'s JSON files, which --outcome scores as well"
    )
    seed: int = Field(0, description="seed of folds, samples and intervals")
    workers: PositiveInt | None = Field(
        None, description="worker processes (default: one for each CPU); the findings are the same"
    )

    @model_validator(mode="after")
    def _fitting_flags(self) -> Self:
        if self.reading and self.against is None:
            raise ValueError("--reading needs --against FILE: captions by people, to read among")
        if self.reading and self.score_reading:
            raise ValueError("--reading writes a new sheet; leave it out to score one")
        return self

    @property
    def verdicts(self) -> list[Path]:
        """The readers' files."""
        return [Path(name.strip()) for name in (self.score_reading or "").split(",") if name]

    @property
    def results(self) -> Path:
        """The folder of the results."""
        if self.out is not None:
            return self.out
        if self.folder.is_dir():
            return self.folder / "audit"
        return self.folder.with_name(f"{self.folder.stem}-audit")
