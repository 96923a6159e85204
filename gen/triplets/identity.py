"""What determines the data of a run."""

from __future__ import annotations

from typing import Any

from gen import __version__
from gen.triplets.config import TripletsConfig
from gen.vocab.triplets import Vocabulary


def identity_of(config: TripletsConfig, vocabulary: Vocabulary) -> dict[str, Any]:
    """What determines the data with any writer: with the same identity, the same rows."""
    return {
        "dataset": "binding-triplets",
        "version": __version__,
        "seed": config.seed,
        "writer": config.writer,
        "mix": config.weights,
        "vocabulary": vocabulary.digest,
    }
