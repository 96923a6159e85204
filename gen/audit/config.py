"""The settings of `gen.audit`. Imports nothing heavy, so that `--help` answers at once."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, PositiveInt

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
        "to show the measures of variety beside",
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

    @property
    def results(self) -> Path:
        """The folder of the results."""
        if self.out is not None:
            return self.out
        if self.folder.is_dir():
            return self.folder / "audit"
        return self.folder.with_name(f"{self.folder.stem}-audit")
