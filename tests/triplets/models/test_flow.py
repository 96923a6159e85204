"""A run with a language model: exact n, whatever the order, the faults and the model's manners."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gen.triplets.models.session
import gen.triplets.state
from gen.base.chat.breaker import Limits
from gen.base.chat.parse import CAUSES
from gen.base.command import INTERRUPTED, SHORT
from gen.base.draws import Draws
from gen.triplets.models import flow
from gen.triplets.plan import DEFAULT_MIX, Slot, slots
from tests.support import llm_runs, runs
from tests.support import llm_script as script
from tests.support.llm_script import NO_DRAFT, Action, Drafts, Script, answer, drop, hang, status
from tests.support.llm_server import LlmServer
from tests.support.llm_weak import BODIES, WEAK
from tests.triplets.models.test_drafts import KINDS

BAD = Slot("pair_swap", 2)
"""The slot that meets the fault where one does."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    llm_runs.quicken(monkeypatch)


def good(request: script.Request) -> Action:
    return llm_runs.drafts()(request)


def text(request: script.Request) -> str:
    """The honest draft of the plan that is asked for."""
    assert request.slot is not None
    return llm_runs.drafts().text(request.slot, request.attempt)


def accepted(folder: Path) -> list[str]:
    """Ids of the rows in a run's log, in its order."""
    return [line["slot"] for line in llm_runs.records(folder) if "row" in line]


def ids(folder: Path) -> set[str]:
    """Ids of the rows of a dataset."""
    return {row["id"] for part in runs.rows(folder).values() for row in part}


def first_ids(n: int) -> set[str]:
    return {slot.id for slot in slots(n, DEFAULT_MIX)}


# --- exactly n --------------------------------------------------------------------------


def test_a_run_has_exactly_n_rows_in_whatever_order_answers_come(tmp_path: Path) -> None:
    with LlmServer(script.delayed(good, script.lognormal(0.05, 1.0))) as server:
        done = llm_runs.run(tmp_path / "out", server, n=100, in_flight=32)
        assert (done.status, done.err) == (0, "")
        assert 100 <= server.seen.total() <= 130, "few drafts of so few words are tried anew"
        assert 24 < server.peak <= 32
        assert server.other == []
    summary = runs.summary(tmp_path / "out")
    assert (summary.examples, summary.complete) == (100, True)
    order = accepted(tmp_path / "out")
    assert sorted(order) == sorted(first_ids(100))
    assert order != [slot.id for slot in slots(100, DEFAULT_MIX)], "not in the order of slots"
    assert runs.check(tmp_path / "out").status == 0


def test_the_rows_are_the_models_and_say_so(tmp_path: Path) -> None:
    with LlmServer(good) as server:
        llm_runs.made(tmp_path / "out", server, n=20)
    found = [row for part in runs.rows(tmp_path / "out").values() for row in part]
    assert {row["writer"] for row in found} == {llm_runs.MODEL}
    for row in found:
        construction, _, index = row["id"].rpartition("-")
        draft = json.loads(llm_runs.drafts().text(Slot(construction, int(index)), 0))
        assert list(draft["objects"]) == list(row["objects"])


def test_several_servers_share_a_run(tmp_path: Path) -> None:
    slow = script.delayed(good, script.constant(0.02))
    with LlmServer(slow) as one, LlmServer(slow) as other:
        llm_runs.made(tmp_path / "out", one, other, n=60, in_flight=8)
        assert one.seen.total() + other.seen.total() == 60
        assert min(one.seen.total(), other.seen.total()) > 15


@pytest.mark.parametrize("in_flight", [1, 180])
def test_caps_hold_exactly_however_many_answers_are_in_flight(
    tmp_path: Path, in_flight: int
) -> None:
    """What was asked for below a cap and comes when it has filled is told from what ignores it."""
    with LlmServer(good) as server:
        done = llm_runs.run(tmp_path / "out", server, n=180, in_flight=in_flight)
    assert done.status == 0
    assert runs.check(tmp_path / "out").status == 0
    rejections = runs.summary(tmp_path / "out").rejections
    assert rejections["frequency_cap"] > 0, "the server's drafts heed no ban"
    assert (rejections.get("cap_filled", 0) > 0) == (in_flight > 1)


@pytest.mark.slow
def test_a_thousand_in_flight(tmp_path: Path) -> None:
    drafts = Drafts()
    drafts.prepare(3_000)
    with LlmServer(script.delayed(drafts, script.constant(0.5))) as server:
        done = runs.cli(
            gen.triplets.__main__.main,
            *runs.arguments(llm_runs.flags(server, out=tmp_path, n=3_000, in_flight=1_000)),
        )
        assert (done.status, done.err) == (0, "")
        assert server.peak == 1_000
    usage = runs.summary(tmp_path).usage
    assert usage is not None
    assert usage.faults == {}


@pytest.mark.parametrize("most", [4096, 80])
def test_more_connections_than_a_shell_allows_are_had_if_the_system_allows_them(
    tmp_path: Path, most: int
) -> None:
    with LlmServer(script.delayed(good, script.constant(1.0))) as server:
        given = llm_runs.flags(server, n=120, in_flight=120)
        given |= {"out": tmp_path / "out", "vocab": runs.TINY}
        ended = subprocess.run(
            [sys.executable, "-m", "gen.triplets", *runs.arguments(given)],
            cwd=runs.ROOT,
            env={**os.environ, "PYTHONPATH": str(runs.ROOT)},
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, most)),
        )
        done = runs.Done(ended.returncode, ended.stdout, ended.stderr)
        if most == 80:
            assert done.status == 2
            assert "--in-flight 120" in done.error
            assert server.seen == {}
        else:
            assert (done.status, done.err) == (0, "")
            assert server.peak == 120


# --- one slot that fails forever --------------------------------------------------------

FOREVER: dict[str, tuple[Script, str]] = {
    "500": (lambda r: status(500), "request_server_error"),
    "400": (lambda r: status(400), "request_refused"),
    "dropped": (lambda r: drop(good(r)), "request_dropped"),
    "hanging": (lambda r: hang(60), "request_timeout"),
    "no completion": (lambda r: BODIES["no_choices"], "request_garbled"),
    "fenced": (lambda r: WEAK["fenced"](r, text(r)), "answer_fenced"),
    "refused": (lambda r: WEAK["refusal"](r, text(r)), "answer_refused"),
    "off the task": (lambda r: answer(r, NO_DRAFT.model_dump_json()), "pair_count"),
}


@pytest.mark.parametrize("fault", FOREVER)
def test_a_slot_that_fails_forever_takes_no_other_row_with_it(
    tmp_path: Path, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, reason = FOREVER[fault]
    floor = 0.2 if fault == "hanging" else 2.0
    llm_runs.quicken(monkeypatch, retry=llm_runs.tries(2), floor=floor)
    with LlmServer(lambda r: bad(r) if r.slot == BAD else good(r)) as server:
        done = llm_runs.run(tmp_path / "out", server, n=60, in_flight=8, timeout=1)
        sent = sum(count for name, count in server.seen.items() if name.startswith(BAD.id))
        others = server.seen.total() - sent
    assert (done.status, done.err) == (SHORT, "")
    assert "Short of the 60 asked for by 1: " in done.out
    assert ids(tmp_path / "out") == first_ids(60) - {BAD.id}
    rejected = runs.rejections(tmp_path / "out")
    assert {(row["slot"], row["reason"]) for row in rejected} == {(BAD.id, reason)}
    assert others == 59 or fault == "hanging", "and costs them no request"
    assert sent <= gen.triplets.state.ATTEMPTS
    assert sent <= 6 or not reason.startswith("request_"), "a server that fails is not pestered"


def test_a_slot_that_failed_is_tried_again_by_the_same_command(tmp_path: Path) -> None:
    with LlmServer(lambda r: status(400) if r.slot == BAD else good(r)) as server:
        assert llm_runs.run(tmp_path / "out", server, n=60).status == SHORT
        before = server.seen.copy()
        server.script = good
        assert llm_runs.run(tmp_path / "out", server, n=60).status == 0
        again = server.seen - before
    assert [name.partition(".")[0] for name in again.elements()] == [BAD.id]
    assert ids(tmp_path / "out") == first_ids(60)
    assert runs.check(tmp_path / "out").status == 0


# --- nearly everything fails ------------------------------------------------------------


def weak(kind: str) -> Script:
    return lambda request: WEAK[kind](request, text(request))


HOPELESS: dict[str, tuple[Script, str]] = {
    **{kind: (weak(kind), CAUSES[reason]) for kind, reason in KINDS.items()},
    "lone_surrogate": (weak("lone_surrogate"), "a response that is no chat completion"),
    "400": (lambda r: status(400, "json_schema is not known"), "json_schema is not known"),
    "500": (lambda r: status(500, "CUDA out of memory"), "CUDA out of memory"),
    "html": (lambda r: BODIES["html"], "a response that is no chat completion"),
    "off the task": (
        lambda r: answer(r, NO_DRAFT.model_dump_json()),
        "the model does not do the task; see --preview 5",
    ),
}


@pytest.mark.parametrize("kind", HOPELESS)
def test_when_nearly_everything_fails_the_run_stops_and_names_the_likely_cause(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow, "FAILING", Limits(20, 1000))
    llm_runs.quicken(monkeypatch, retry=llm_runs.tries(2))
    hopeless, cause = HOPELESS[kind]
    with LlmServer(hopeless) as server:
        done = llm_runs.run(tmp_path / "out", server, n=60, in_flight=8)
        assert server.seen.total() <= 2 * (20 + 8)
    assert done.status == 2
    assert "20 answers in a row failed (" in done.error
    assert done.error.partition("Likely cause: ")[2].endswith(cause)
    assert not (tmp_path / "out" / "manifest.json").exists()
    if kind in KINDS:
        assert f"({KINDS[kind]} 20)" in done.error


def test_a_stopped_run_goes_on_with_a_better_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow, "FAILING", Limits(20, 1000))
    with LlmServer(lambda r: answer(r, "No.")) as server:
        assert llm_runs.run(tmp_path / "out", server, n=60, in_flight=8).status == 2
        paid = server.ends["answered"]
    with LlmServer(good) as server:
        assert llm_runs.run(tmp_path / "out", server, n=60, in_flight=8).status == 0
    assert runs.check(tmp_path / "out").status == 0
    assert 20 <= runs.summary(tmp_path / "out").rejections["answer_not_json"] <= paid


def test_failures_among_good_rows_stop_nothing_and_many_in_a_row_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine of ten answers fail at first, and all of them after 30 rows."""
    monkeypatch.setattr(flow, "FAILING", Limits(40, 80))
    good_ones = 0

    def one_in_ten(request: script.Request) -> Action:
        nonlocal good_ones
        served = sum(server.seen.values())
        if served % 10 or good_ones == 30:
            return answer(request, f"```\n{text(request)}\n```")
        good_ones += 1
        return good(request)

    with LlmServer(one_in_ten) as server:
        done = llm_runs.run(tmp_path / "out", server, n=100, in_flight=4)
        after = server.seen.total() - 300
        assert 80 <= after < 80 + 4 + 10
    assert done.status == 2
    assert "80 answers in a row failed (answer_fenced 80); accepted rows are safe" in done.error
    assert len(accepted(tmp_path / "out")) == 30
    with LlmServer(good) as server:
        known = set(accepted(tmp_path / "out"))
        llm_runs.made(tmp_path / "out", server, n=100)
        again = {name.partition(".")[0] for name in server.seen}
    assert again == first_ids(100) - known


def test_full_caps_are_no_failure_of_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too few words for n: the run ends short, after hundreds of rejections in a row."""
    monkeypatch.setattr(flow, "FAILING", Limits(100, 60))
    monkeypatch.setattr(gen.triplets.state, "ATTEMPTS", 40)
    mix = "triple_bind_cycle=1"
    with LlmServer(good) as server:
        done = llm_runs.run(tmp_path / "out", server, n=90, mix=mix, in_flight=8, repair=0)
        assert server.seen.total() < 90 + 2 * 40 * (gen.triplets.state.CLOSED_AFTER + 8)
    assert (done.status, done.err) == (SHORT, "")
    rejections = runs.summary(tmp_path / "out").rejections
    full = rejections["frequency_cap"] + rejections["cap_filled"]
    assert full > 150
    assert full > 0.9 * sum(rejections.values())


def test_a_wrong_key_ends_the_run_in_one_line(tmp_path: Path) -> None:
    with LlmServer(lambda r: status(401, "no such key") if r.slot == BAD else good(r)) as server:
        done = llm_runs.run(tmp_path / "out", server, n=60, in_flight=8)
    assert done.status == 2
    assert "set OPENAI_API_KEY" in done.error
    before = accepted(tmp_path / "out")
    with LlmServer(good) as server:
        llm_runs.made(tmp_path / "out", server, n=60)
        assert server.seen.total() == 60 - len(before)


def test_a_server_that_is_not_there_ends_the_run_in_one_line(tmp_path: Path) -> None:
    with LlmServer(good) as server:
        server.stop()
        done = llm_runs.run(tmp_path / "out", server, n=60)
        assert done.status == 1
        assert server.base_url in done.error
        assert "every accepted row is safe, the same command goes on" in done.error
        server.start()
        assert llm_runs.run(tmp_path / "out", server, n=60).status == 0


# --- faults all over --------------------------------------------------------------------


def test_one_request_in_five_fails_and_the_run_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    llm_runs.quicken(monkeypatch, floor=1.0)
    with LlmServer(script.faults(good)) as server:
        done = llm_runs.run(tmp_path / "out", server, n=150, in_flight=32)
        runs.until(lambda: server.in_flight == 0)
        sent = Counter(str(entry.status) for entry in server.entries if entry.end == "answered")
        left = server.ends["aborted"]
    assert (done.status, done.err) == (0, "")
    summary = runs.summary(tmp_path / "out")
    assert summary.usage is not None
    assert summary.usage.faults == {
        "request_throttled": sent["429"],
        "request_server_error": sent["500"],
        "request_timeout": left,
    }
    assert min(summary.usage.faults.values()) > 0
    assert summary.rejections["answer_not_json"] > 0
    assert f"{sum(summary.usage.faults.values()):,} requests sent again" in done.out
    assert runs.check(tmp_path / "out").status == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_everything_at_once(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two servers that are away in turn, faults in three of ten requests, a run in pieces."""
    llm_runs.quicken(monkeypatch, floor=0.2, outage=10.0, first_outage=10.0)
    faulty: list[Script] = [
        *(weak(kind) for kind in WEAK),
        *(lambda r, body=body: body for body in BODIES.values()),
        *(lambda r, code=code: status(code) for code in (400, 408, 429, 500, 503)),
        lambda r: answer(r, NO_DRAFT.model_dump_json()),
        lambda r: hang(60),
        lambda r: hang(0.1),
        lambda r: script.trickle(good(r), 60),
    ]

    def serve(place: int) -> Script:
        latency = script.lognormal(0.02, 1.0, seed)

        def act(request: script.Request) -> Action:
            if int(3 * request.arrival) % 4 == place:
                return (drop(Action(b"")), status(503))[int(request.arrival) % 2]
            draw = Draws("all", seed, request.id, request.seen)
            bad = draw.below(10) < 3
            action = faulty[draw.below(len(faulty))](request) if bad else good(request)
            return replace(action, after=action.after + latency(request))

        return act

    out = tmp_path / "out"
    with LlmServer(serve(0)) as one, LlmServer(serve(2)) as other:
        for n in (20, 90, 90, 120):
            done = llm_runs.run(out, one, other, n=n, in_flight=24, timeout=5)
            assert (done.status, done.err) in ((0, ""), (SHORT, "")), done
        assert one.other == other.other == []
    summary = runs.summary(out)
    assert summary.usage is not None
    on_record = llm_runs.exchanges(out)
    assert [(one.slot, one.attempt) for one in on_record] == [
        (line["slot"], line["attempt"]) for line in llm_runs.records(out)
    ]
    assert summary.usage.requests == len(on_record)
    assert summary.examples > 110
    assert llm_runs.replay(tmp_path / "again", out, n=120).status == done.status
    assert runs.files(tmp_path / "again") == runs.files(out)
    assert runs.check(out).status == (0 if summary.complete else 1)


# --- repair -----------------------------------------------------------------------------


def conversation(request: script.Request) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in request.body["messages"]]


def fenced_first(met: list[script.Request]) -> Script:
    """In code fences at first, as it should be when told so."""

    def act(request: script.Request) -> Action:
        met.append(request)
        return good(request) if request.round else WEAK["fenced"](request, text(request))

    return act


def test_a_rejected_draft_goes_back_with_its_reason_and_comes_mended(tmp_path: Path) -> None:
    met: list[script.Request] = []
    with LlmServer(fenced_first(met)) as server:
        llm_runs.made(tmp_path / "out", server, n=30, in_flight=4)
    assert len(met) == 60
    for request in met:
        if not request.round:
            assert [role for role, _ in conversation(request)] == ["user"]
            continue
        [first] = [one for one in met if one.id + ".r1" == request.id]
        (prompt,), (again, said, wrong) = conversation(first), conversation(request)
        assert again == prompt, "the plan and the prompt stay"
        assert said == ("assistant", f"```json\n{text(request)}\n```")
        assert wrong[0] == "user"
        assert "without code fences" in wrong[1]
    summary = runs.summary(tmp_path / "out")
    assert summary.usage is not None
    assert (summary.examples, summary.usage.repaired, summary.usage.requests) == (30, 30, 60)
    assert summary.rejections == {"answer_fenced": 30}
    assert runs.check(tmp_path / "out").status == 0


def test_a_draft_that_breaks_a_rule_goes_back_with_what_was_measured(tmp_path: Path) -> None:
    met: list[script.Request] = []

    def too_long_first(request: script.Request) -> Action:
        met.append(request)
        draft = json.loads(text(request))
        more = "" if request.round else " All went well" + " and on" * 60 + "."
        return answer(request, json.dumps({**draft, "positive": draft["positive"] + more}))

    with LlmServer(too_long_first) as server:
        llm_runs.made(tmp_path / "out", server, n=10)
    for request in met:
        if request.round:
            words = len(json.loads(conversation(request)[1][1])["positive"].split())
            assert words > 120
            assert f"The caption has {words} words" in conversation(request)[2][1]
    usage = runs.summary(tmp_path / "out").usage
    assert usage is not None
    assert usage.repaired == 10


def test_no_repair_is_asked_for_with_repair_0(tmp_path: Path) -> None:
    met: list[script.Request] = []

    def fenced_twice(request: script.Request) -> Action:
        met.append(request)
        return good(request) if request.attempt > 1 else WEAK["fenced"](request, text(request))

    with LlmServer(fenced_twice) as server:
        llm_runs.made(tmp_path / "out", server, n=20, repair=0)
    assert {request.round for request in met} == {0}
    attempts = Counter(request.attempt for request in met)
    assert attempts[0] == attempts[1] == attempts[2] == 20
    usage = runs.summary(tmp_path / "out").usage
    assert usage is not None
    assert usage.repaired == 0


def test_after_as_many_repairs_as_allowed_the_slot_is_tried_afresh(tmp_path: Path) -> None:
    """With another plan: its number counts what the slot has cost."""
    met: list[script.Request] = []

    def stubborn(request: script.Request) -> Action:
        met.append(request)
        return good(request) if request.attempt else WEAK["prose_around"](request, text(request))

    with LlmServer(stubborn) as server:
        llm_runs.made(tmp_path / "out", server, n=5, repair=2)
    asked = [
        request.id.partition(".")[2] for request in met if request.slot == Slot("pair_swap", 0)
    ]
    assert asked == ["0", "0.r1", "0.r2", "3"]
    assert [len(conversation(r)) for r in met if r.slot == Slot("pair_swap", 0)] == [1, 3, 5, 1]


@pytest.mark.parametrize("kind", ["refusal", "white_space"])
def test_what_telling_would_not_mend_is_tried_afresh(tmp_path: Path, kind: str) -> None:
    with LlmServer(lambda r: good(r) if r.attempt else WEAK[kind](r, text(r))) as server:
        llm_runs.made(tmp_path / "out", server, n=5)
        assert sorted(server.seen) == sorted(
            f"{slot.id}.{attempt}" for slot in slots(5, DEFAULT_MIX) for attempt in (0, 1)
        )


def test_of_an_endless_answer_only_the_start_goes_back(tmp_path: Path) -> None:
    met: list[script.Request] = []

    def endless_first(request: script.Request) -> Action:
        met.append(request)
        return good(request) if request.round else answer(request, "and so on " * 5000, "length")

    with LlmServer(endless_first) as server:
        llm_runs.made(tmp_path / "out", server, n=5)
    shown = [conversation(request)[1][1] for request in met if request.round]
    assert [len(said) for said in shown] == [flow.SHOWN] * 5


# --- a full disk ------------------------------------------------------------------------


def disk(room: int, again: bool) -> Callable[[int, Any], int]:
    """`os.write` with room for so many bytes; after the first failure there may be more."""
    real = os.write
    left: int | None = room

    def write(file: int, data: memoryview) -> int:
        nonlocal left
        if left is None:
            return real(file, data)
        if left == 0:
            left = None if again else 0
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = real(file, data[:left])
        left -= written
        return written

    return write


@pytest.mark.parametrize("again", [False, True], ids=["for good", "for a moment"])
@pytest.mark.parametrize("room", [10, 30_000, 60_000])
def test_a_disk_that_fills_up_loses_nothing(
    tmp_path: Path, room: int, again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some batches go through, then half of one, in the answers or in the log."""
    out = tmp_path / "out"
    with LlmServer(good) as server:
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", disk(room, again))
            done = llm_runs.run(out, server, n=150, in_flight=32)
        assert done.status == 1
        assert "No space left on device" in done.error
        assert "every accepted row is safe" in done.error
        on_disk = sum(p.stat().st_size for p in (runs.log_of(out), llm_runs.answers_of(out)))
        assert on_disk == room, "and nothing after what was cut off"
        lines = runs.log_of(out).read_bytes().rpartition(b"\n")[0]
        known = {llm_runs.asked_as(one) for one in llm_runs.exchanges(out)}
        before = server.seen.copy()
        llm_runs.made(out, server, n=150, in_flight=32)
        assert not known & (server.seen - before).keys(), "no answer on record is asked for again"
    assert runs.log_of(out).read_bytes().startswith(lines)
    assert runs.check(out).status == 0


# --- Ctrl-C -----------------------------------------------------------------------------

STOPPED = "\nStopped; every accepted row is safe, the same command goes on.\n"


@pytest.mark.parametrize("answers", ["coming", "hanging"])
def test_ctrl_c_ends_the_run_at_once_and_the_same_command_goes_on(
    tmp_path: Path, answers: str
) -> None:
    out = tmp_path / "out"
    latency = script.lognormal(0.1)
    with LlmServer(script.delayed(good, latency)) as server:
        process = llm_runs.command(out, server, n=150, in_flight=8)
        log = runs.log_of(out)  # while it is being written it may end with half a line
        runs.until(lambda: log.exists() and log.read_bytes().count(b'"row"') > 20)
        if answers == "hanging":
            server.script = lambda r: hang(60)
            time.sleep(1.0)
        started = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        done = runs.finish(process, timeout=30)
        assert time.monotonic() - started < 2
        assert (done.status, done.err) == (INTERRUPTED, STOPPED)
        server.script = good
        before, known = server.seen.copy(), accepted(out)
        llm_runs.made(out, server, n=150)
        again = {name.partition(".")[0] for name in server.seen - before}
    assert not again & set(known)
    assert accepted(out)[: len(known)] == known
    assert runs.check(out).status == 0


# --- what it took -----------------------------------------------------------------------


def test_tokens_and_cost_are_shown_and_in_the_manifest(tmp_path: Path) -> None:
    with LlmServer(script.faults(good, seed=1)) as server:
        done = llm_runs.run(tmp_path / "out", server, n=40, price="10,200")
        assert done.status == 0
    usage = runs.summary(tmp_path / "out").usage
    assert usage is not None
    on_record = llm_runs.exchanges(tmp_path / "out")
    assert usage.requests == len(on_record) >= 40
    assert usage.prompt_tokens == sum(one.prompt_tokens for one in on_record) > 40 * 1000
    assert usage.cached_tokens == sum(one.cached_tokens for one in on_record) > 0
    assert usage.completion_tokens == sum(one.completion_tokens for one in on_record) > 0
    cost = (10 * usage.prompt_tokens + 200 * usage.completion_tokens) / 1e6
    assert usage.cost == pytest.approx(cost)
    assert f"cost {cost:,.2f}" in done.out
    assert f"{usage.requests:,} requests, " in done.out


def test_a_long_run_says_once_what_is_to_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gen.triplets.models.session, "FORECAST_AFTER", 20)
    monkeypatch.setattr(gen.triplets.models.session, "FORECAST_ABOVE", 50)
    with LlmServer(script.delayed(good, script.constant(0.05))) as server:
        done = llm_runs.run(tmp_path / "long", server, n=120, in_flight=10, price="1,2")
        short = llm_runs.run(tmp_path / "short", server, n=40, in_flight=10)
    [said] = [line for line in done.out.splitlines() if line.startswith("To come")]
    assert "requests" in said
    assert "tokens" in said
    assert "cost " in said
    assert "To come" not in short.out


def test_the_log_says_of_each_answer_what_it_took(tmp_path: Path) -> None:
    with LlmServer(script.delayed(good, script.constant(0.1))) as server:
        llm_runs.made(tmp_path / "out", server, n=10)
    for line in llm_runs.records(tmp_path / "out"):
        call = line["call"]
        assert call["finish"] == "stop"
        assert call["seconds"] >= 0.1
        assert call["prompt_tokens"] > call["completion_tokens"] > 0
        assert len(call["prompt"]) == 16
        assert "text" not in call, "which the answers on record hold"
    assert all(one.text for one in llm_runs.exchanges(tmp_path / "out"))


def test_without_answers_on_record_the_run_is_the_same(tmp_path: Path) -> None:
    with LlmServer(good) as server:
        llm_runs.made(tmp_path / "out", server, n=20, **{"log-answers": False})
        assert not llm_runs.answers_of(tmp_path / "out").exists()
        llm_runs.made(tmp_path / "out", server, n=40, **{"log-answers": False})
        assert server.seen.total() == 40
    assert runs.check(tmp_path / "out").status == 0
