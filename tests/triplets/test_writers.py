"""The table of writers: every flag has a writer that takes it, every writer has its module."""

from __future__ import annotations

from pathlib import Path

import pytest

import gen.triplets.grammar.session
import gen.triplets.models.replay
import gen.triplets.models.session
from gen.triplets import __main__ as triplets
from gen.triplets.config import ModelConfig
from gen.triplets.session import Filler, filler_of
from gen.triplets.writers import WRITERS, takers
from tests.support import runs

FILLERS: dict[str, Filler] = {
    "grammar": gen.triplets.grammar.session,
    "openai": gen.triplets.models.session,
    "vllm": gen.triplets.models.session,
    "replay": gen.triplets.models.replay,
}
"""Type-checked as what a session calls."""


@pytest.mark.parametrize("writer", WRITERS)
def test_every_writer_has_a_module_that_fills_slots(writer: str) -> None:
    assert filler_of(writer) is FILLERS[writer]


def test_flags_of_a_model_are_those_that_writers_take() -> None:
    taken = {flag for kind in WRITERS.values() for flag in kind.takes}
    assert taken == ModelConfig.model_fields.keys()


def test_a_writer_takes_what_it_needs() -> None:
    for name, kind in WRITERS.items():
        assert kind.needs is None or name in takers(kind.needs)


def test_a_replay_has_no_preview(tmp_path: Path) -> None:
    flags = ("--writer", "replay", "--answers", tmp_path, "--preview", 3)
    done = runs.cli(triplets.main, *flags)
    assert done.status == 2
    assert "--preview is not for --writer replay" in done.error
