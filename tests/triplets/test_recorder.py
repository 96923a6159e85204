"""What comes of attempts: rows and rejections in the log, in the order of their coming."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import gen.base.log
from gen.base.log import Log
from gen.triplets.grammar import GrammarWriter
from gen.triplets.models.record import AnswersFile, Exchange, read
from gen.triplets.pipeline import Invalid, Pipeline, Valid
from gen.triplets.plan import Slot
from gen.triplets.recorder import Recorder
from gen.triplets.state import State, restore
from gen.vocab.triplets import load
from tests.support import runs

SLOTS = [Slot("pair_swap", index) for index in range(4)]


@pytest.fixture(scope="module")
def attempts() -> list[Valid]:
    """First attempts that pass every check, one for each of the slots."""
    vocabulary = load(runs.TINY)
    pipeline = Pipeline(GrammarWriter(vocabulary), vocabulary, 0)
    found = [pipeline.attempt(slot, 0) for slot in SLOTS]
    valid = [one for one in found if isinstance(one, Valid)]
    assert len(valid) == len(SLOTS)
    return valid


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    opened = Log(tmp_path / "log.jsonl")
    yield opened
    opened.close()


def test_an_accepted_row_is_found_where_the_state_says(log: Log, attempts: list[Valid]) -> None:
    """Rows that wait in a batch have their place already."""
    recorder = Recorder(State(), log)
    for slot, attempt in zip(SLOTS, attempts, strict=True):
        assert recorder.record(slot, 0, attempt) is None
    assert log.end == 0
    recorder.flush()
    for slot in SLOTS:
        assert log.read(recorder.state.offsets[slot])["row"]["id"] == slot.id


def test_a_rejection_is_recorded_with_its_reason_and_draft(log: Log, attempts: list[Valid]) -> None:
    recorder = Recorder(State(), log)
    assert recorder.record(SLOTS[0], 0, attempts[0]) is None
    assert recorder.record(SLOTS[1], 0, attempts[0]) == "duplicate_terms"
    assert recorder.record(SLOTS[1], 1, Invalid("no_words", None)) == "no_words"
    recorder.flush()
    _, doubled, without = (record for _, record in log.records())
    assert doubled["draft"]["positive"] == attempts[0].draft.positive
    assert (without["attempt"], without["reason"], without["draft"]) == (1, "no_words", None)
    assert restore(log).reasons == recorder.state.reasons


def test_a_cap_that_filled_after_the_question_is_a_reason_of_its_own(
    log: Log, attempts: list[Valid]
) -> None:
    """A model that kept to every ban it was told of is not at fault."""
    recorder = Recorder(State(), log)
    words = attempts[0].claim.terms
    for number in range(10):  # what is always allowed of a word
        used = attempts[0].claim._replace(term_set=number, bindings=number, caption=number)
        assert recorder.state.acceptor.offer(used) is None, words
    assert recorder.record(SLOTS[0], 0, attempts[0]) == "frequency_cap"
    assert recorder.record(SLOTS[0], 1, attempts[0], caps_known=True) == "cap_filled"


def test_answers_are_on_disk_before_what_came_of_them(
    tmp_path: Path, log: Log, attempts: list[Valid], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = AnswersFile(tmp_path / "answers")
    exchange = Exchange(
        slot=SLOTS[0].id, attempt=0, plan=0, round=0, prompt="", text="{}", finish="stop"
    )
    recorder = Recorder(State(), log, answers)
    recorder.keep(exchange)
    recorder.record(SLOTS[0], 0, attempts[0])
    seen: list[list[Exchange]] = []
    real = Log.append

    def append(self: Log, lines: list[bytes]) -> None:
        seen.append(list(read(tmp_path / "answers")))
        real(self, lines)

    monkeypatch.setattr(Log, "append", append)
    recorder.flush()
    answers.close()
    assert seen == [[exchange]]


def test_nothing_is_written_after_a_write_that_failed(
    log: Log, attempts: list[Valid], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(State(), log)
    recorder.record(SLOTS[0], 0, attempts[0])

    def full(file: int, data: memoryview) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(gen.base.log.os, "write", full)
        with pytest.raises(OSError, match="No space"):
            recorder.flush()
    recorder.record(SLOTS[1], 0, attempts[1])
    recorder.flush()
    assert list(log.records()) == []
