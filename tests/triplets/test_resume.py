"""Durability: kill the command at any moment, and the same command goes on to the same bytes."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
from pathlib import Path

import pytest

import gen.triplets.session
from gen.base.command import INTERRUPTED
from gen.base.folder import RUN, claimed
from gen.base.log import Log
from gen.triplets.state import State, restore
from tests.support import runs, saber

SMALL_STEPS = """\
import gen.triplets.recorder, gen.triplets.run, sys
gen.triplets.recorder.BATCH = gen.triplets.run.CHUNK = 5
gen.triplets.run.INLINE = 0 if "2" in sys.argv else 10**9
from gen.triplets.__main__ import main
if __name__ == "__main__": raise SystemExit(main())
"""
"""The command with the log written every few lines, so that a kill finds it at many lengths."""

KILLED_AT = """\
import gen.triplets.session, gen.triplets.shards, os, signal, sys
from gen.triplets.__main__ import main
step, left = sys.argv.pop(1), int(sys.argv.pop(1))
real = getattr(gen.triplets.shards, step)
def killed(*args, **named):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args, **named)
setattr(gen.triplets.shards, step, killed)
raise SystemExit(main())
"""
"""The command, killed at a call of a function of `gen.triplets.shards`."""

SETTINGS = ("--n", 180, "--vocab", runs.TINY)


def size_of(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0


def kill_at_random_moments(
    out: Path, rounds: int, workers: int, draw: random.Random, baseline: Path
) -> list[int]:
    """Start and kill the command; returns the length of the log after each kill."""
    whole = size_of(runs.log_of(baseline))
    lengths = []
    for _ in range(rounds):
        before = size_of(runs.log_of(out))
        process = runs.command(*SETTINGS, "--out", out, "--workers", workers, program=SMALL_STEPS)
        goal = before + draw.random() * (whole - before)
        while size_of(runs.log_of(out)) < goal and process.poll() is None:
            time.sleep(0.001)
        time.sleep(draw.random() * 0.02)
        os.kill(process.pid, signal.SIGKILL)  # the main process alone, as the kernel would
        assert runs.finish(process).status in (-signal.SIGKILL, 0)
        lengths.append(size_of(runs.log_of(out)))
    return lengths


def test_kill_9_at_random_moments(tmp_path: Path, baseline: Path) -> None:
    out = tmp_path / "out"
    lengths = kill_at_random_moments(out, 3, 1, random.Random(), baseline)
    assert lengths == sorted(lengths), "no accepted row is ever lost"
    assert lengths[0] > 0
    assert runs.made(out, n=180) == runs.files(baseline)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_kill_9_again_and_again(tmp_path: Path, baseline: Path, workers: int, seed: int) -> None:
    lengths = kill_at_random_moments(tmp_path / "out", 5, workers, random.Random(seed), baseline)
    assert lengths == sorted(lengths)
    assert runs.made(tmp_path / "out", n=180) == runs.files(baseline)


def group_of(process_id: int) -> list[int]:
    """The living processes of a process group."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, group = entry.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(group) == process_id and state != "Z":
            found.append(int(entry.parent.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_no_worker_outlives_a_killed_run(tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = runs.command(
        "--n", 5_000, "--out", out, "--workers", 2, "--mix", "pair_swap=1", program=SMALL_STEPS
    )
    try:
        runs.until(lambda: size_of(runs.log_of(out)) > 0)
        assert len(group_of(process.pid)) >= 2
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        runs.until(lambda: not group_of(process.pid), timeout=20)
    finally:
        if group_of(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
        runs.finish(process)


@pytest.mark.parametrize(("step", "calls"), [("_write_shard", 2), ("write_card", 0)])
def test_a_kill_while_writing_is_mended(
    tmp_path: Path, baseline: Path, step: str, calls: int
) -> None:
    """Here in a folder that was finished with fewer examples."""
    out = tmp_path / "out"
    runs.made(out, n=60)
    process = runs.command(step, calls, *SETTINGS, "--out", out, program=KILLED_AT)
    assert runs.finish(process).status == -signal.SIGKILL
    assert not (out / "manifest.json").exists(), "an unfinished folder must not look finished"
    assert runs.made(out, n=180) == runs.files(baseline)


def test_a_kill_inside_a_shard_is_mended(
    tmp_path: Path, baseline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill leaves the temporary file: it must neither be loaded nor stay."""
    shutil.copytree(baseline, tmp_path / "out")
    (tmp_path / "out" / "manifest.json").unlink()
    (tmp_path / "out" / "examples" / "train-00000-of-00001.parquet").unlink()
    for name in ("examples/train-00000-of-00001.parquet", "examples/x.parquet", "README.md"):
        (tmp_path / "out" / f"{name}.tmp").write_bytes(b"PAR1 half a file")
    (tmp_path / "out" / "triplets" / "train-00000-of-00001.parquet").write_bytes(b"PAR1")
    mended = runs.made(tmp_path / "out", n=180)
    mended.pop("README.md.tmp", None)
    assert mended == runs.files(baseline)


# --- Ctrl-C


@pytest.mark.parametrize(("workers", "moment"), [(1, "start"), (2, "start"), (2, "rows")])
def test_ctrl_c_says_one_line_and_goes_on(
    tmp_path: Path, baseline: Path, workers: int, moment: str
) -> None:
    """A terminal sends SIGINT to the whole process group, workers included."""
    out = tmp_path / "out"
    process = runs.command(*SETTINGS, "--out", out, "--workers", workers, program=SMALL_STEPS)
    seen = runs.log_of(out)
    runs.until(lambda: size_of(seen) > 0 if moment == "rows" else seen.exists())
    time.sleep(0.0 if moment == "rows" else random.uniform(0, 0.2))  # a run takes half a second
    os.killpg(process.pid, signal.SIGINT)
    done = runs.finish(process, timeout=30)
    assert done.status == INTERRUPTED
    lines = done.err.split("\n")
    assert lines == ["", "Stopped; every accepted row is safe, the same command goes on.", ""]
    assert runs.made(out, n=180) == runs.files(baseline)


def test_ctrl_c_while_writing_says_the_same(
    tmp_path: Path, baseline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(
            "gen.triplets.shards.write_card", lambda *_, **named: signal.raise_signal(signal.SIGINT)
        )
        done = runs.run(tmp_path / "out", n=180)
    assert (done.status, done.err.strip()[:8]) == (INTERRUPTED, "Stopped;")
    assert runs.made(tmp_path / "out", n=180) == runs.files(baseline)


# --- the log


@pytest.fixture
def stopped(tmp_path: Path, baseline: Path) -> Path:
    """The folder of a run of 180 that was killed after 100 log lines."""
    out = tmp_path / "out"
    (out / ".run").mkdir(parents=True)
    shutil.copy(baseline / ".run" / "identity.json", out / ".run")
    lines = runs.log_of(baseline).read_bytes().splitlines(keepends=True)
    runs.log_of(out).write_bytes(b"".join(lines[:100]))
    return out


@pytest.mark.parametrize("cut", [1, 2, 40, 300])
def test_a_partial_last_line_is_cut(stopped: Path, baseline: Path, cut: int) -> None:
    log = runs.log_of(stopped)
    data = log.read_bytes()
    log.write_bytes(data[:-cut])
    Log(log).close()
    whole = b"".join(data.splitlines(keepends=True)[:-1])
    assert log.read_bytes() == whole
    assert runs.made(stopped, n=180) == runs.files(baseline)


def test_a_log_of_one_partial_line_is_emptied(stopped: Path, baseline: Path) -> None:
    runs.log_of(stopped).write_bytes(b'{"slot":"pair_swap-000000","att' + b"x" * 3_000_000)
    Log(runs.log_of(stopped)).close()
    assert size_of(runs.log_of(stopped)) == 0
    assert runs.made(stopped, n=180) == runs.files(baseline)


@pytest.mark.parametrize(
    "damage",
    [
        b"\x00\x01\xff",
        b"",
        b'{"slot": "pair_swap-000003", "attempt": 0, "ro',
        b"null",
        b"[]",
        b"{}",
        b'{"slot": "pair_swap-000003", "attempt": 0}',
        b'{"slot": "pair_swap", "attempt": 0, "reason": "length"}',
        b'{"slot": "pair_swap-000003", "attempt": 0, "row": {"id": 3}}',
        b'{"slot": "nonsense-000003", "attempt": 0, "row": null}',
    ],
)
def test_a_damaged_line_is_one_clear_error(stopped: Path, damage: bytes) -> None:
    log = runs.log_of(stopped)
    lines = log.read_bytes().split(b"\n")
    lines[49] = damage
    log.write_bytes(b"\n".join(lines))
    before = log.read_bytes()
    error = runs.run(stopped, n=180).error
    assert f"{log}: line 50 is damaged" in error
    assert "--no-resume" in error
    assert log.read_bytes() == before, "what can be mended by hand is left alone"


def test_a_doubled_row_is_one_clear_error(stopped: Path) -> None:
    log = runs.log_of(stopped)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:50], lines[10], *lines[50:]]))
    assert "line 51 is damaged" in runs.run(stopped, n=180).error


def test_the_restored_state_is_the_live_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that falls short has everything in its state: rows, rejections, given-up slots."""
    live: list[State] = []
    real = gen.triplets.session.restore
    monkeypatch.setattr(
        gen.triplets.session, "restore", lambda log: live.append(real(log)) or live[0]
    )
    assert runs.run(tmp_path / "out", n=90, mix="triple_bind_cycle=2,predicative=1").status == 3
    log = Log(runs.log_of(tmp_path / "out"))
    restored = restore(log)
    log.close()
    assert restored.attempts == live[0].attempts > 1_000
    assert restored.offsets == live[0].offsets
    assert restored.tried == live[0].tried
    assert restored.reasons == live[0].reasons
    assert restored.given_up == live[0].given_up
    assert vars(restored.acceptor) == vars(live[0].acceptor)
    for construction in ("triple_bind_cycle", "predicative"):
        guidance = restored.acceptor.guidance(construction)
        assert guidance == live[0].acceptor.guidance(construction)
        assert guidance.avoid


# --- two runs at once


def test_a_second_run_on_the_folder_is_refused(stopped: Path, baseline: Path) -> None:
    identity = json.loads((stopped / RUN / "identity.json").read_text())
    with claimed(stopped, identity, (), resume=True):
        before = runs.log_of(stopped).read_bytes()
        for settings in ({}, {"resume": False}, {"resume": False, "seed": 3}):
            error = runs.run(stopped, n=180, **settings).error
            assert f"{stopped}: another run is writing here" in error
            assert runs.log_of(stopped).read_bytes() == before
    assert runs.made(stopped, n=180) == runs.files(baseline)


def test_two_commands_at_once(tmp_path: Path, baseline: Path) -> None:
    out = tmp_path / "out"
    first = runs.command(*SETTINGS, "--out", out)
    runs.until(runs.log_of(out).exists)
    second = runs.finish(runs.command(*SETTINGS, "--out", out))
    assert runs.finish(first).status == 0
    assert second.status == 2
    assert "another run is writing here" in second.error
    assert runs.files(out) == runs.files(baseline)


def test_discarding_leaves_another_dataset_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert saber.run(out, questions_per_size=2, sizes="3").status == 0
    before = runs.files(out)
    assert "another kind of dataset" in runs.run(out, n=3, resume=False).error
    assert runs.files(out) == before
