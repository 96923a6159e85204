"""A run of `gen.triplets` with the grammar writer (`session.Filler`)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from gen.triplets.config import TripletsConfig
from gen.triplets.grammar import GrammarWriter
from gen.triplets.identity import identity_of
from gen.triplets.pipeline import Pipeline
from gen.triplets.plan import Slot, slots
from gen.triplets.run import fill_locally
from gen.triplets.show import example_of, print_grouped
from gen.triplets.state import Run, Tick
from gen.vocab.triplets import Vocabulary


def settle(config: TripletsConfig, vocabulary: Vocabulary) -> tuple[TripletsConfig, dict[str, Any]]:
    """The settings as they are, and the identity of a run with them."""
    return config, identity_of(config, vocabulary)


def preview(config: TripletsConfig, vocabulary: Vocabulary) -> int:
    """Print the first examples that can be had; how many there were."""
    pipeline = Pipeline(GrammarWriter(vocabulary), vocabulary, config.seed)
    wanted = config.preview or 0
    todo = slots(max(wanted, len(config.weights)), config.weights)
    found = list(islice(filter(None, (example_of(pipeline, slot) for slot in todo)), wanted))
    print_grouped(found)
    return len(found)


def fill(run: Run, todo: Sequence[Slot], tick: Tick) -> None:
    """Fill slots, in worker processes where it pays.

    Raises:
        ValueError: a worker process died.
    """
    fill_locally(run, GrammarWriter, todo, tick)
