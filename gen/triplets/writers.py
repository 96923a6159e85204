"""The writers by name. A writer turns plans into drafts (see `pipeline.Writer`)."""

from __future__ import annotations

from gen.triplets.pipeline import Writer
from gen.vocab.triplets import Vocabulary

WRITERS = ("grammar", "openai", "vllm", "replay")


def make_writer(name: str, vocabulary: Vocabulary) -> Writer:
    """The writer of that name."""
    if name == "grammar":
        from gen.triplets.grammar import GrammarWriter

        return GrammarWriter(vocabulary)
    raise ValueError(f"unknown writer {name!r}; choose from {', '.join(WRITERS)}")
