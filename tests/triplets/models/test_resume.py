"""Kill a run with a language model at any moment: no answer on record is asked for again."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gen.triplets.models.session
from gen.triplets.models.record import AnswersFile
from gen.triplets.plan import DEFAULT_MIX, slots
from gen.verify import __main__ as verify
from gen.vocab.triplets import BUILTIN, load
from tests.support import llm_runs, runs
from tests.support import llm_script as script
from tests.support.llm_server import LlmServer

KILLED = """\
import gen.triplets.models.flow, gen.base.log, os, signal
from gen.triplets.__main__ import main
left = 30
real = gen.base.log.Log.append
def append(log, lines):
    global left
    left -= len(lines)
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    real(log, lines)
gen.base.log.Log.append, gen.triplets.models.flow.EVERY = append, 0.02
raise SystemExit(main())
"""
"""The command, killed when answers are on record and what became of them is not in the log."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    llm_runs.quicken(monkeypatch)


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with LlmServer(llm_runs.drafts()) as server:
        yield server


def settled(server: LlmServer) -> None:
    """Wait until the server has noticed that its client is gone."""
    runs.until(lambda: server.in_flight == 0)


def whole(out: Path) -> None:
    """What is on record and what is in the log are the same exchanges, each of them once."""
    on_record = Counter((one.slot, one.attempt) for one in llm_runs.exchanges(out))
    in_log = Counter((line["slot"], line["attempt"]) for line in llm_runs.records(out))
    assert on_record == in_log
    assert set(on_record.values()) == {1}
    usage = runs.summary(out).usage
    assert usage is not None
    assert usage.requests == on_record.total()
    assert usage.prompt_tokens == sum(one.prompt_tokens for one in llm_runs.exchanges(out))
    assert usage.completion_tokens == sum(one.completion_tokens for one in llm_runs.exchanges(out))
    for words in (runs.TINY, BUILTIN):
        if load(words).digest == runs.summary(out).config["vocabulary"]:
            assert runs.cli(verify.main, out, "--vocab", words).status == 0


# --- kill -9 ----------------------------------------------------------------------------


def kill_at_random_moments(
    out: Path, server: LlmServer, kills: int, step: int, draw: random.Random, **settings: Any
) -> None:
    """Start and kill the command; then finish it and look at what was asked for."""
    in_flight, met = 8, 0
    log, known = runs.log_of(out), Counter[str]()
    for _ in range(kills):
        before = lines_of(log)
        process = llm_runs.command(out, server, in_flight=in_flight, **settings)
        goal = before + draw.randrange(step)
        while process.poll() is None and lines_of(log) <= goal:
            time.sleep(0.002)
        time.sleep(draw.random() * 0.02)
        process.kill()
        met += runs.finish(process).status == -signal.SIGKILL
        settled(server)
        assert not asked_again(server, known)
        on_record = llm_runs.exchanges(out) if llm_runs.answers_of(out).exists() else []
        known = Counter({name: server.seen[name] for name in map(llm_runs.asked_as, on_record)})
    assert known
    assert met > 0.8 * kills, "the others came too late"
    llm_runs.made(out, server, in_flight=in_flight, **settings)
    assert not asked_again(server, known)
    on_record = llm_runs.exchanges(out)
    assert server.seen.keys() >= {llm_runs.asked_as(one) for one in on_record}
    assert server.seen.total() - len(on_record) <= kills * 2 * in_flight, "only what was in flight"
    whole(out)


def lines_of(log: Path) -> int:
    return log.read_bytes().count(b"\n") if log.exists() else 0


def asked_again(server: LlmServer, known: Counter[str]) -> set[str]:
    """Requests that the server saw more often than when it was known that they are on record."""
    return {name for name, count in known.items() if server.seen[name] > count}


def test_kill_9_at_random_moments(tmp_path: Path, server: LlmServer) -> None:
    server.script = script.delayed(server.script, script.lognormal(0.03))
    kill_at_random_moments(tmp_path / "out", server, 2, 80, random.Random(), n=180)


@pytest.mark.slow
def test_50_kills_at_random_moments(tmp_path: Path, server: LlmServer) -> None:
    server.script = script.delayed(script.Drafts(), script.lognormal(0.05))
    draw, words = random.Random(1), {"vocab": BUILTIN}
    kill_at_random_moments(tmp_path / "out", server, 50, 24, draw, n=1_500, **words)


def test_a_kill_between_the_answers_and_the_log_asks_for_none_of_them_again(
    tmp_path: Path, server: LlmServer
) -> None:
    out = tmp_path / "out"
    process = llm_runs.command(out, server, program=KILLED, n=90, in_flight=16)
    assert runs.finish(process).status == -signal.SIGKILL
    settled(server)
    on_record = {llm_runs.asked_as(one) for one in llm_runs.exchanges(out)}
    assert len(on_record) > len(llm_runs.records(out)) > 0
    before = server.seen.copy()
    llm_runs.made(out, server, n=90, in_flight=16)
    assert not on_record & (server.seen - before).keys()
    whole(out)


# --- answers that were not judged yet ---------------------------------------------------


@pytest.fixture(scope="module")
def forty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of 40; read only."""
    out = tmp_path_factory.mktemp("resume") / "out"
    with LlmServer(script.faults(llm_runs.drafts())) as server:
        llm_runs.made(out, server, n=40, in_flight=12)
    return out


@pytest.mark.parametrize("cut", [0, 1, 40])
def test_answers_that_the_log_does_not_know_yet_are_judged_and_not_asked_for(
    tmp_path: Path, forty: Path, server: LlmServer, cut: int
) -> None:
    """As a kill leaves it between two writes, or within the second; at every line of it."""
    answers = AnswersFile(llm_runs.answers_of(forty))
    answers.close()
    lines = runs.log_of(forty).read_bytes().splitlines(keepends=True)
    for missing in range(1, len(answers.last) + 1):
        out = tmp_path / str(missing)
        shutil.copytree(forty, out)
        (out / "manifest.json").unlink()
        kept, half = b"".join(lines[:-missing]), lines[-missing][:cut]
        runs.log_of(out).write_bytes(kept + half)
        assert llm_runs.made(out, server, n=40) == runs.files(forty)
    assert server.seen == {}


# --- more rows, the same rows, other rows -----------------------------------------------


def test_a_larger_n_asks_for_no_row_again(tmp_path: Path, server: LlmServer) -> None:
    out = tmp_path / "out"
    for n in (1, 30, 31, 90):
        before = server.seen.copy()
        done = {line["slot"] for line in llm_runs.records(out)} if n > 1 else set()
        llm_runs.made(out, server, n=n)
        asked = {name.partition(".")[0] for name in server.seen - before}
        assert asked == {slot.id for slot in slots(n, DEFAULT_MIX)} - done
        whole(out)


def test_a_finished_run_needs_no_server(tmp_path: Path, forty: Path, server: LlmServer) -> None:
    shutil.copytree(forty, tmp_path / "out")
    server.stop()
    done = llm_runs.run(tmp_path / "out", server, n=40)
    assert (done.status, done.err) == (0, "")
    assert "nothing to do" in done.out
    assert server.seen == {}


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"model": "other"}, "another model;"),
        ({"sampling": '{"temperature": 1}'}, "another sampling;"),
        ({"repair": 0}, "another repair;"),
        ({"seed": 1}, "another seed;"),
        ({"mix": "pair_swap=1"}, "another mix;"),
    ],
)
def test_other_settings_are_refused_and_named(
    tmp_path: Path, forty: Path, server: LlmServer, changed: dict[str, object], named: str
) -> None:
    before = runs.files(forty)
    for n in (40, 60):
        assert named in llm_runs.run(forty, server, n=n, **changed).error
    assert server.seen == {}
    assert runs.files(forty) == before


def test_other_prompts_are_refused_and_named(
    forty: Path, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gen.triplets.models.session, "digest", lambda: "of other templates")
    assert "another prompts;" in llm_runs.run(forty, server, n=60).error


def test_another_writer_is_refused_and_named(
    tmp_path: Path, forty: Path, baseline: Path, server: LlmServer
) -> None:
    assert "another writer;" in runs.run(forty, n=60).error
    shutil.copytree(baseline, tmp_path / "out")
    assert "another writer" in llm_runs.run(tmp_path / "out", server, n=200).error
    assert server.seen == {}


def test_what_does_not_determine_the_rows_may_change(
    tmp_path: Path, forty: Path, server: LlmServer
) -> None:
    """Here the address changes anyway."""
    shutil.copytree(forty, tmp_path / "out")
    changed = {"in_flight": 3, "timeout": 50, "price": "1,2"}
    llm_runs.made(tmp_path / "out", server, n=50, **changed)
    assert len(server.seen) == 10


def test_no_resume_discards_the_answers_too(tmp_path: Path, forty: Path, server: LlmServer) -> None:
    shutil.copytree(forty, tmp_path / "out")
    llm_runs.made(tmp_path / "out", server, n=20, model="other", resume=False)
    assert len(llm_runs.exchanges(tmp_path / "out")) == server.seen.total() == 20
    assert runs.summary(tmp_path / "out").config["model"] == "other"
    whole(tmp_path / "out")


def test_two_runs_on_one_folder_at_once_are_refused(
    tmp_path: Path, forty: Path, server: LlmServer
) -> None:
    """The log's lock holds for the answers as well."""
    shutil.copytree(forty, tmp_path / "out")
    server.script = lambda r: script.hang(60)
    process = llm_runs.command(tmp_path / "out", server, n=60)
    try:
        runs.until(lambda: server.in_flight > 0)
        before = llm_runs.answers_of(tmp_path / "out").read_bytes()
        error = llm_runs.run(tmp_path / "out", server, n=60).error
        assert "another run is writing here" in error
        assert llm_runs.answers_of(tmp_path / "out").read_bytes() == before
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        runs.finish(process)


def test_damaged_answers_are_one_line_and_left_alone(
    tmp_path: Path, forty: Path, server: LlmServer
) -> None:
    shutil.copytree(forty, tmp_path / "out")
    path = llm_runs.answers_of(tmp_path / "out")
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 0x55
    path.write_bytes(damaged)
    assert f"{path}: damaged" in llm_runs.run(tmp_path / "out", server, n=60).error
    assert path.read_bytes() == damaged
    assert server.seen == {}
