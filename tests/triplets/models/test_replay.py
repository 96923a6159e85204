"""`--writer replay` makes the dataset again from the answers on record, without a model."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gen.base.chat.breaker import Limits
from gen.base.command import SHORT
from gen.triplets.plan import DEFAULT_MIX
from tests.support import llm_runs, runs
from tests.support import llm_script as script
from tests.support.llm_script import Action, answer
from tests.support.llm_server import LlmServer

N = 120

NO_CLIENT = """\
import sys
sys.modules["aiohttp"] = None
from gen.triplets.__main__ import main
raise SystemExit(main())
"""
"""The command where no client of a model is installed."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    llm_runs.quicken(monkeypatch)


def hard(request: script.Request) -> Action:
    """Faults, broken drafts, repairs, and answers out of order."""
    return script.delayed(script.faults(llm_runs.drafts()), script.lognormal(0.03))(request)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was stopped, went on and was topped up; its server is gone. Read only."""
    out = tmp_path_factory.mktemp("recorded") / "out"
    with pytest.MonkeyPatch.context() as patch, LlmServer(hard) as server:
        llm_runs.quicken(patch, floor=0.3)
        patch.setattr("gen.triplets.models.flow.FAILING", Limits(100, 25))
        server.script = lambda r: hard(r) if server.seen.total() < 40 else answer(r, "No.")
        assert llm_runs.run(out, server, n=60, in_flight=16).status == 2
        server.script = hard
        llm_runs.made(out, server, n=60, in_flight=16)
        llm_runs.made(out, server, n=N, in_flight=32, price="1,2")
    assert len(runs.rejections(out)) > 20, "too easy"
    return out


# --- the same dataset -------------------------------------------------------------------


def test_every_file_is_the_same_byte_for_byte(tmp_path: Path, recorded: Path) -> None:
    done = llm_runs.replay(tmp_path / "out", recorded, n=N, price="1,2")
    assert (done.status, done.err) == (0, "")
    assert runs.files(tmp_path / "out") == runs.files(recorded)
    assert runs.log_of(tmp_path / "out").read_bytes() == runs.log_of(recorded).read_bytes()


def test_no_client_of_a_model_is_needed(tmp_path: Path, recorded: Path) -> None:
    given = {"writer": "replay", "answers": recorded, "n": N, "vocab": runs.TINY, "price": "1,2"}
    process = runs.command(*runs.arguments(given | {"out": tmp_path / "out"}), program=NO_CLIENT)
    done = runs.finish(process)
    assert (done.status, done.err) == (0, "")
    assert runs.files(tmp_path / "out") == runs.files(recorded)


@pytest.mark.parametrize("lines", [0, 1, 70, -1])
def test_an_interrupted_replay_goes_on(tmp_path: Path, recorded: Path, lines: int) -> None:
    out = tmp_path / "out"
    assert llm_runs.replay(out, recorded, n=N, price="1,2").status == 0
    (out / "manifest.json").unlink()
    log = runs.log_of(out).read_bytes().splitlines(keepends=True)
    runs.log_of(out).write_bytes(b"".join(log[:lines]) + b'{"slot": "pair_sw')
    assert llm_runs.replay(out, recorded, n=N, price="1,2").status == 0
    assert runs.files(out) == runs.files(recorded)


def test_a_finished_replay_is_left_alone(tmp_path: Path, recorded: Path) -> None:
    for said in ("Check it", "nothing to do"):
        done = llm_runs.replay(tmp_path / "out", recorded, n=N)
        assert done.status == 0
        assert said in done.out


def test_a_smaller_n_makes_a_smaller_dataset_of_the_same_answers(
    tmp_path: Path, recorded: Path
) -> None:
    assert llm_runs.replay(tmp_path / "out", recorded, n=60).status == 0
    assert runs.summary(tmp_path / "out").examples == 60
    assert runs.check(tmp_path / "out").status == 0
    large = {row["id"]: row for part in runs.rows(recorded).values() for row in part}
    small = [row for part in runs.rows(tmp_path / "out").values() for row in part]
    assert all(large[row["id"]] == row for row in small)


def test_a_replay_can_be_topped_up_to_what_is_on_record(tmp_path: Path, recorded: Path) -> None:
    for n in (10, 60, N):
        assert llm_runs.replay(tmp_path / "out", recorded, n=n).status == 0
    assert runs.check(tmp_path / "out").status == 0
    ours, theirs = (runs.rows(folder) for folder in (tmp_path / "out", recorded))
    assert {row["id"] for part in ours.values() for row in part} == {
        row["id"] for part in theirs.values() for row in part
    }


def test_more_than_is_on_record_falls_short(tmp_path: Path, recorded: Path) -> None:
    done = llm_runs.replay(tmp_path / "out", recorded, n=N + 20)
    assert (done.status, done.err) == (SHORT, "")
    assert f"Short of the {N + 20} asked for by 20: " in done.out
    assert runs.summary(tmp_path / "out").examples == N


def test_prices_may_be_other_ones(tmp_path: Path, recorded: Path) -> None:
    costs = []
    for name, prices in (("free", {}), ("dear", {"price": "100,100"})):
        assert llm_runs.replay(tmp_path / name, recorded, n=N, **prices).status == 0
        usage = runs.summary(tmp_path / name).usage
        assert usage is not None
        costs.append(usage.cost)
    assert costs[0] is None
    assert costs[1] is not None
    assert costs[1] > 1


# --- what can't be replayed -------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "named"),
    [({"seed": 1}, "leave --seed out"), ({"mix": "pair_swap=1"}, "leave --mix out")],
)
def test_other_settings_are_one_line(
    tmp_path: Path, recorded: Path, changed: dict[str, object], named: str
) -> None:
    error = llm_runs.replay(tmp_path / "out", recorded, n=N, **changed).error
    assert named in error
    assert str(recorded) in error
    assert not (tmp_path / "out").exists()


def test_the_same_settings_may_be_said_again(tmp_path: Path, recorded: Path) -> None:
    mix = ", ".join(f"{name}={share}" for name, share in reversed(DEFAULT_MIX.items()))
    assert llm_runs.replay(tmp_path / "out", recorded, n=5, seed=0, mix=mix).status == 0


def test_another_vocabulary_is_one_line(tmp_path: Path, recorded: Path) -> None:
    words = tmp_path / "words"
    shutil.copytree(runs.TINY, words)
    (words / "nouns.toml").write_text((words / "nouns.toml").read_text().replace("ladder", "bench"))
    error = llm_runs.replay(tmp_path / "out", recorded, n=N, vocab=words).error
    assert "another vocabulary; name its folder with --vocab" in error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["missing", "empty", "a file", "no answers", "without a model"])
def test_a_folder_without_answers_is_one_line(
    tmp_path: Path, recorded: Path, baseline: Path, kind: str
) -> None:
    folder = tmp_path / "answers"
    match kind:
        case "empty":
            folder.mkdir()
        case "a file":
            folder.write_text("")
        case "no answers":
            shutil.copytree(recorded, folder)
            llm_runs.answers_of(folder).unlink()
        case "without a model":
            shutil.copytree(baseline, folder)
    error = llm_runs.replay(tmp_path / "out", folder, n=5).error
    assert f"{folder}: no answers on record here; --answers takes the output folder" in error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "identity", ["", "[]", "{}", '{"seed": 0}', '{"seed": 0, "vocabulary": 3, "mix": 4}', "null"]
)
def test_a_damaged_identity_is_one_line(tmp_path: Path, recorded: Path, identity: str) -> None:
    shutil.copytree(recorded, tmp_path / "answers")
    (tmp_path / "answers" / ".run" / "identity.json").write_text(identity)
    error = llm_runs.replay(tmp_path / "out", tmp_path / "answers", n=5).error
    assert str(tmp_path / "answers") in error
    assert not (tmp_path / "out").exists()


def test_damaged_answers_are_one_line_and_what_came_before_is_kept(
    tmp_path: Path, recorded: Path
) -> None:
    shutil.copytree(recorded, tmp_path / "answers")
    path = llm_runs.answers_of(tmp_path / "answers")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + b"damaged" + data[len(data) // 2 + 7 :])
    assert f"{path}: damaged" in llm_runs.replay(tmp_path / "out", tmp_path / "answers", n=N).error
    path.write_bytes(data)
    assert llm_runs.replay(tmp_path / "out", tmp_path / "answers", n=N, price="1,2").status == 0
    assert runs.files(tmp_path / "out") == runs.files(recorded)


def test_a_replay_does_not_touch_the_run_that_it_uses(tmp_path: Path, recorded: Path) -> None:
    before = {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in recorded.rglob("*")}
    assert llm_runs.replay(tmp_path / "out", recorded, n=N).status == 0
    assert {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in recorded.rglob("*")} == before


@pytest.mark.parametrize("settings", [{}, {"resume": False}])
def test_a_replay_into_the_folder_of_the_run_itself_is_refused(
    tmp_path: Path, recorded: Path, settings: dict[str, object]
) -> None:
    """It would discard the answers that it is to use."""
    shutil.copytree(recorded, tmp_path / "out")
    error = llm_runs.replay(tmp_path / "out", tmp_path / "out", n=N, **settings).error
    assert "choose another --out" in error
    answers = llm_runs.answers_of(tmp_path / "out")
    assert answers.read_bytes() == llm_runs.answers_of(recorded).read_bytes()
    assert runs.files(tmp_path / "out") == runs.files(recorded)


def test_the_manifest_says_whose_answers_they_are(tmp_path: Path, recorded: Path) -> None:
    assert llm_runs.replay(tmp_path / "out", recorded, n=5).status == 0
    config = json.loads((tmp_path / "out" / "manifest.json").read_text())["config"]
    assert (config["writer"], config["model"]) == ("openai", llm_runs.MODEL)
