"""A vocabulary too small for --n: the run ends, says why, and leaves a dataset that loads."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from gen.base.command import SHORT
from gen.triplets.state import ATTEMPTS, CLOSED_AFTER
from tests.support import runs

MIX = "triple_bind_cycle=1,predicative=1"
N = 160
"""80 of each; the tiny vocabulary has words for 33 and 50."""


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, runs.Done, float]:
    folder = tmp_path_factory.mktemp("short") / "out"
    start = time.monotonic()
    done = runs.run(folder, n=N, mix=MIX)
    return folder, done, time.monotonic() - start


def test_it_ends_in_bounded_time(short: tuple[Path, runs.Done, float]) -> None:
    folder, _, seconds = short
    summary = runs.summary(folder)
    retries = summary.attempts - summary.examples
    assert retries >= 2 * CLOSED_AFTER * ATTEMPTS, "it tried hard"
    assert retries < 4 * CLOSED_AFTER * ATTEMPTS, "and not forever"
    assert seconds < 60


def test_it_says_how_short_and_why(short: tuple[Path, runs.Done, float]) -> None:
    folder, done, _ = short
    summary = runs.summary(folder)
    assert done.status == SHORT == 3
    assert done.err == ""
    last = done.out.splitlines()[-1]
    assert last.startswith(f"Short of the {N} asked for by {N - summary.examples}: ")
    for reason, count in summary.rejections.items():
        assert f"{reason} {count:,}" in last
    assert "smaller --n" in last


def test_the_manifest_counts_every_reason(short: tuple[Path, runs.Done, float]) -> None:
    folder, _, _ = short
    summary = runs.summary(folder)
    assert (summary.requested, summary.complete) == (N, False)
    assert 60 < summary.examples < N
    rejected = runs.rejections(folder)
    for reason, count in summary.rejections.items():
        assert sum(row["reason"] == reason for row in rejected) == count
    assert len(rejected) == sum(summary.rejections.values())
    assert {"no_words", "frequency_cap"} <= set(summary.rejections)


def test_the_folder_holds_what_there_is(short: tuple[Path, runs.Done, float]) -> None:
    folder, _, _ = short
    summary = runs.summary(folder)
    found = runs.rows(folder)
    assert {split: len(rows) for split, rows in found.items()} == {
        split: count for split, count in summary.splits.items() if count
    }
    assert sum(map(len, found.values())) == summary.examples
    report = runs.check(folder)
    assert report.status == 1, "a short folder is not what was asked for"
    broken = [line for line in report.out.splitlines() if "BROKEN" in line]
    assert len(broken) == 1
    assert broken[0].startswith("quota of construction")


def test_the_same_command_says_the_same(short: tuple[Path, runs.Done, float]) -> None:
    folder, first, _ = short
    before = runs.files(folder)
    again = runs.run(folder, n=N, mix=MIX)
    assert again.status == SHORT
    assert again.out.splitlines()[-1] == first.out.splitlines()[-1]
    assert runs.files(folder) == before


def test_a_stopped_short_run_comes_to_the_same_end(
    short: tuple[Path, runs.Done, float], tmp_path: Path
) -> None:
    """Killed in the middle of giving a slot up, a run neither starts counting anew nor skips."""
    folder, _, _ = short
    lines = runs.log_of(folder).read_bytes().splitlines(keepends=True)
    for kept in (150, len(lines) - 777, len(lines) - 1, len(lines)):
        out = tmp_path / str(kept)
        shutil.copytree(folder / ".run", out / ".run")
        runs.log_of(out).write_bytes(b"".join(lines[:kept]))
        assert runs.run(out, n=N, mix=MIX).status == SHORT
        assert runs.files(out) == runs.files(folder)


@pytest.fixture
def one_slot(tmp_path: Path) -> Path:
    """Words of one semantic slot: `attr_bundle` needs two, so it can have no example."""
    shutil.copytree(runs.TINY, tmp_path / "words")
    path = tmp_path / "words" / "adjectives.toml"
    path.write_text(path.read_text().replace("order =", 'slot = "all"\norder ='))
    return tmp_path / "words"


def test_a_construction_without_any_example(tmp_path: Path, one_slot: Path) -> None:
    """The others are written; here none is in `train`, and the first slot is a given-up one."""
    mix = "attr_bundle=2,deferred_bind_anaphoric=1"
    done = runs.run(tmp_path / "out", n=12, mix=mix, vocab=one_slot)
    assert (done.status, done.err) == (SHORT, "")
    summary = runs.summary(tmp_path / "out")
    assert summary.constructions == {"deferred_bind_anaphoric": 4}
    assert list(runs.rows(tmp_path / "out")) == ["deferred_bind_anaphoric"]
    assert f"Short of the 12 asked for by 8: after {ATTEMPTS} attempts" in done.out


def test_no_example_at_all(tmp_path: Path, one_slot: Path) -> None:
    for _ in range(2):
        done = runs.run(tmp_path / "out", n=12, mix="attr_bundle=1", vocab=one_slot)
        assert (done.status, done.err) == (SHORT, "")
        assert f"no_words {CLOSED_AFTER * ATTEMPTS:,}" in done.out
        assert runs.summary(tmp_path / "out").examples == 0
