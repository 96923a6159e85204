"""The same settings give the same bytes, whatever the workers, chunks and restarts."""

from __future__ import annotations

from pathlib import Path

import pytest

import gen.base.command
import gen.triplets.recorder
import gen.triplets.run
import gen.triplets.session
from gen.base.progress import Display
from gen.triplets.state import State
from tests.support import runs


def test_two_runs_give_the_same_bytes(tmp_path: Path, baseline: Path) -> None:
    assert runs.made(tmp_path / "again", n=180) == runs.files(baseline)


def test_the_command_gives_the_same_bytes_as_this_process(tmp_path: Path, baseline: Path) -> None:
    out = tmp_path / "other"
    done = runs.finish(runs.command("--n", 180, "--vocab", runs.TINY, "--out", out))
    assert done.status == 0, done.err
    assert done.err == ""
    assert runs.files(out) == runs.files(baseline)


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_do_not_change_the_data(
    tmp_path: Path, baseline: Path, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gen.triplets.run, "INLINE", 0)
    monkeypatch.setattr(gen.triplets.run, "CHUNK", 11)
    monkeypatch.setattr(gen.triplets.recorder, "BATCH", 11)
    started = []
    real = gen.triplets.run.pool
    monkeypatch.setattr(
        gen.triplets.run, "pool", lambda *args: started.append(args[0]) or real(*args)
    )
    assert runs.made(tmp_path / "out", n=180, workers=workers) == runs.files(baseline)
    assert started == [workers]


@pytest.mark.parametrize("lines", [1, 37, 10_000])
def test_the_size_of_a_batch_does_not_change_the_data(
    tmp_path: Path, baseline: Path, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gen.triplets.recorder, "BATCH", lines)
    assert runs.made(tmp_path / "out", n=180) == runs.files(baseline)


@pytest.mark.parametrize("lines", [1, 23, 60])
def test_restarts_do_not_change_the_data(
    tmp_path: Path, baseline: Path, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped after each second batch of a few log lines, the run ends where one run does."""
    batches = 0

    def stop(display: Display, state: State, prices: None) -> None:
        nonlocal batches
        batches += 1
        if batches % (2 if lines > 1 else 40) == 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(gen.triplets.recorder, "BATCH", lines)
    monkeypatch.setattr(gen.triplets.session, "progress", stop)
    stops = 0
    while (done := runs.run(tmp_path / "out", n=180)).status == gen.base.command.INTERRUPTED:
        stops += 1
        assert stops < 100
    assert done.status == 0, done.err
    assert stops >= 2
    assert runs.files(tmp_path / "out") == runs.files(baseline)


def test_the_order_in_which_the_mix_is_written_does_not_matter(tmp_path: Path) -> None:
    one = runs.made(tmp_path / "one", n=21, mix="predicative=1,pair_swap=2")
    assert runs.made(tmp_path / "two", n=21, mix="pair_swap=2,predicative=1") == one


def test_another_seed_gives_other_data(tmp_path: Path, baseline: Path) -> None:
    other = runs.made(tmp_path / "other", n=180, seed=1)
    assert other.keys() == runs.files(baseline).keys()
    ours, theirs = runs.rows(baseline), runs.rows(tmp_path / "other")
    captions = [
        {row["positive"] for part in rows.values() for row in part} for rows in (ours, theirs)
    ]
    assert not captions[0] & captions[1]


def test_the_files_hold_no_clock_and_no_place(baseline: Path) -> None:
    """Nothing of the machine gets into a dataset that others are to make again."""
    for name, data in runs.files(baseline).items():
        assert str(baseline.parent).encode() not in data, name
        assert str(runs.ROOT).encode() not in data, name
        assert b"2026-" not in data, name
