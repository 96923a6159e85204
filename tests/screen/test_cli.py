"""The screening command: what it refuses, its report, its end."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import urllib.request
from pathlib import Path

import pytest

from gen.saber.config import SaberConfig
from gen.saber.images.screening import Decision, append
from gen.saber.session import identity_of
from gen.screen import __main__ as command
from gen.screen.folder import Folder
from tests.support import runs, screens
from tests.support.screens import IDENTITY


def cli(*argv: object) -> runs.Done:
    return runs.cli(command.main, *argv)


# --- folders ----------------------------------------------------------------------------


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    assert "holds no run of gen.saber" in cli(tmp_path).error
    (tmp_path / ".run").mkdir()
    stamp = tmp_path / ".run" / "identity.json"
    stamp.write_text("{")
    assert "identity.json is damaged" in cli(tmp_path).error
    for other in ({"dataset": "binding-triplets"}, {"dataset": "saber"}, []):
        stamp.write_text(json.dumps(other))
        assert "has no images; make them first" in cli(tmp_path).error


@pytest.mark.parametrize(
    ("key", "said"),
    [("version", "made by version"), ("vocabulary", "name its folder with --vocab")],
)
def test_a_folder_of_another_version_or_vocabulary_is_refused(
    tmp_path: Path, key: str, said: str
) -> None:
    screens.empty(tmp_path / "saber")
    stamp = tmp_path / "saber" / ".run" / "identity.json"
    stamp.write_text(json.dumps(IDENTITY | {key: "other"}))
    assert said in cli(tmp_path / "saber").error


def test_paid_images_are_left_to_the_command_that_pays(tmp_path: Path) -> None:
    out = tmp_path / "saber"
    screens.empty(out)
    paid = {"images": "openai", "model": "gpt-image-2", "quality": "low", "size": 1024}
    (out / ".run" / "identity.json").write_text(json.dumps(IDENTITY | paid))
    folder = Folder.of(out, None)
    with pytest.raises(ValueError, match="asked for by gen") as refused:
        folder.source()
    assert "--images openai --size 1024" in str(refused.value)
    assert "--quality low" in str(refused.value)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--reviewer", "../bob"), "--reviewer '../bob': write up to 64 letters"),
        (("--sample", "0"), "--sample '0'"),
        (("--only", "mine"), "--only 'mine'"),
        (("--port", "70000"), "--port '70000'"),
        (("--merge", "nowhere.jsonl"), "nowhere.jsonl: no decisions"),
    ],
)
def test_wrong_flags_are_named(tmp_path: Path, flags: tuple[str, str], said: str) -> None:
    screens.empty(tmp_path / "saber")
    assert said in cli(tmp_path / "saber", *flags).error


def test_a_login_name_that_can_not_be_a_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screens.empty(tmp_path / "saber")
    monkeypatch.setenv("LOGNAME", "DOMAIN\\ann")
    assert "name a --reviewer" in cli(tmp_path / "saber").error


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    board = screens.board(screens.empty(tmp_path / "saber"))
    with screens.serving(board) as client:
        port = client.screen.server_port
        done = cli(tmp_path / "saber", "--port", port, "--no-browser")
    assert f"--port {port}: Address already in use" in done.error


# --- samples ----------------------------------------------------------------------------


def test_a_sample_is_even_the_same_for_all_and_grows(tmp_path: Path) -> None:
    folder = screens.empty(tmp_path / "saber", sizes=[2, 3, 4], questions_per_size=10)
    strata = {(one.question.subset, one.question.n, one.kind) for one in folder.items()}
    chosen = folder.items(len(strata))
    assert {(one.question.subset, one.question.n, one.kind) for one in chosen} == strata
    assert folder.items(len(strata)) == chosen
    smaller, all_ids = folder.items(7), [one.id for one in folder.items()]
    assert {one.id for one in smaller} <= {one.id for one in chosen}
    assert [one.id for one in smaller] == sorted((one.id for one in smaller), key=all_ids.index)
    assert len(folder.items(10**6)) == 150


# --- the command that goes on ------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [{}, {"sizes": [2, 4, 8], "seed": 3}, {"sizes": [5]}, {"layout": "fixed", "size": 512}],
    ids=str,
)
def test_the_command_it_names_is_the_run(tmp_path: Path, changes: dict[str, object]) -> None:
    folder = screens.empty(tmp_path / "a folder", **changes)
    words = shlex.split(folder.command)
    assert words[:3] == ["python", "-m", "gen.saber"]
    config = SaberConfig.from_argv(words[3:], "", "")
    assert config.out == folder.path
    known = identity_of(config.settings, folder.vocabulary) | config.image.model_dump()
    assert {key: known[key] for key in IDENTITY.keys() - {"renderer"}} == {
        key: value for key, value in (IDENTITY | changes).items() if key != "renderer"
    }


@pytest.mark.slow
def test_images_are_drawn_again_only_where_the_others_were_made(tmp_path: Path) -> None:
    folder = screens.empty(tmp_path / "saber")
    with pytest.raises(ValueError, match="was made with renderer 'none', here it is 'mitsuba"):
        folder.source()


# --- report -----------------------------------------------------------------------------


def decided(folder: Folder, reviewer: str, answers: str) -> None:
    """Decide on the first images: a accepts, r rejects, - leaves out."""
    for item, answer in zip(folder.items(), answers, strict=False):
        if answer != "-":
            append(
                folder.path,
                [
                    Decision(
                        id=item.id,
                        sha256=screens.digest(folder, item),
                        accepted=answer == "a",
                        reason="" if answer == "a" else "bleeding",
                        reviewer=reviewer,
                        time="2026-01-01T00:00:00Z",
                    )
                ],
            )


def test_the_report_counts_and_compares(tmp_path: Path) -> None:
    folder = screens.painted(tmp_path / "saber")
    assert "nothing is decided yet" in cli(folder.path, "--report").out
    decided(folder, "ann", "aaaaaarrr-a")
    decided(folder, "bob", "aaaaarrra-r")
    decided(folder, "eve", "---------r")
    lines = [line.strip() for line in cli(folder.path, "--report").out.splitlines()]
    assert "ann: 7 accepted, 3 rejected, 10 undecided" in lines
    assert "3  attribute bleeds over" in lines
    assert "ann and bob: 10 images decided by both" in lines
    # 7 of 10 agree; 0.7*0.6 + 0.3*0.4 = 0.54 by chance: kappa (0.7-0.54)/0.46.
    apart = [line for line in lines if "ann accepted; bob rejected" in line]
    assert len(apart) == 2
    assert any(line.startswith("raw agreement  0.700 (95 % interval") for line in lines)
    assert any(line.startswith("Cohen's kappa  0.348 (95 % interval") for line in lines)
    assert "ann and eve: 0 images decided by both" in lines
    screens.paint(folder.store, folder.questions[0], 0, attempt=1)
    out = cli(folder.path, "--report").out
    assert "ann: 6 accepted, 3 rejected, 11 undecided; 1 decisions on images made anew" in out


def test_a_merge_says_what_it_added(tmp_path: Path) -> None:
    folder, other = (screens.painted(tmp_path / name) for name in ("saber", "other"))
    decided(other, "bob", "aar")
    done = cli(folder.path, "--merge", other.path)
    assert (done.status, "bob: 3 decisions added" in done.out) == (0, True)
    assert "bob: 2 accepted, 1 rejected, 17 undecided" in cli(folder.path, "--report").out


# --- the end ----------------------------------------------------------------------------


def test_ctrl_c_ends_with_a_summary_and_the_next_command(tmp_path: Path) -> None:
    folder = screens.painted(tmp_path / "saber")
    process = runs.command(
        *(folder.path, "--reviewer", "ann", "--port", 0, "--no-browser"), program="gen.screen"
    )
    assert process.stdout
    match = re.search(r"http://\S+", process.stdout.readline())
    assert match
    with urllib.request.urlopen(match[0]) as page:
        assert b"Screening" in page.read()
    os.killpg(process.pid, signal.SIGINT)
    done = runs.finish(process)
    assert (done.status, done.err) == (0, "")
    assert "ann: 0 accepted, 0 rejected, 20 undecided of 20 images" in done.out
    assert folder.command in done.out
