"""`gen.saber --images openai`: the real client against a local server that also misbehaves."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openai import BadRequestError, OpenAI
from PIL import Image

from gen.base import templates
from gen.base.files import read_manifest
from gen.saber.images import threads
from gen.saber.images.screening import Decision
from gen.saber.images.threads import POLICY, Task, prompt
from gen.saber.sampler import sample
from gen.saber.settings import Settings
from gen.triplets import prompts
from gen.vocab.saber import load
from schemas.saber import Binding, Question
from tests.support import TESTS, runs, saber
from tests.support.images_server import (
    Asked,
    ImagesServer,
    answer,
    blocked,
    error,
    faults,
    paint,
    picture,
    png,
)
from tests.support.llm_script import Action, hang, status

GOLDEN = TESTS / "golden" / "images"
TINY = {"sizes": "2", "questions_per_size": 1, "images": "openai", "size": 64}
"""One question, five images."""
MORE = {**TINY, "questions_per_size": 8}
KEY = "sk-secret-0123456789"

Script = Callable[[Asked], Action]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries without the pauses that a real server needs; a key that must not show up."""
    monkeypatch.setattr(threads, "POLICY", replace(POLICY, backoff=0.01))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run; read only."""
    out = tmp_path_factory.mktemp("painted") / "saber"
    with ImagesServer() as server:
        run(out, server, **MORE, price=0.05)
    assert server.total == 40
    return out


def run(out: Path, server: ImagesServer, **settings: object) -> runs.Done:
    return saber.run(out, **{**TINY, "base_url": server.base_url, **settings})


def log(out: Path) -> list[dict[str, Any]]:
    """All requests on record."""
    return runs.json_lines(out / ".run" / "images" / "requests.jsonl")


def kept(out: Path) -> set[str]:
    """The images that are there."""
    return {str(path) for path in (out / ".run" / "images").glob("*/*.json")}


def once(wrong: Action) -> Script:
    """Each row's first request goes wrong."""
    return lambda asked: paint(asked) if asked.seen else wrong


def always(row: str, wrong: Action) -> Script:
    """All requests for a row go wrong."""
    return lambda asked: wrong if asked.row == row else paint(asked)


# --- what is asked and what is kept -----------------------------------------------------


def test_each_image_is_the_one_that_its_prompt_gave_and_half_are_mirrored(folder: Path) -> None:
    flips = Counter[bool]()
    for config in ("queries", "corpus"):
        truth = json.loads((folder / "truth" / f"{config}.json").read_text())
        assert truth["annotations"] == []
        rows = saber.rows(folder, config)
        for row, entry in zip(rows, truth["images"], strict=True):
            assert entry["file_name"] == f"{row['_id']}.webp"
            image = Image.open(io.BytesIO(row["image"]["bytes"]))
            assert (image.format, image.size) == ("WEBP", (64, 64))
            asked = prompt_of(row)
            want = np.asarray(Image.open(io.BytesIO(picture(asked, 64))))
            shown = np.asarray(image)[:, :: -1 if entry["flip"] else 1]
            assert np.array_equal(shown, want), row["_id"]
            flips[entry["flip"]] += 1
    assert min(flips.values()) > 10


def prompt_of(row: dict[str, Any]) -> str:
    """The prompt for a row, from the row alone."""
    scene = tuple(map(Binding, row["attributes"], row["objects"]))
    looks = dict(zip(row["attributes"], row["instantiations"], strict=True))
    return prompt(scene, looks)


def test_a_dataset_of_painted_images_is_proved(folder: Path) -> None:
    done = saber.check(folder)
    assert (done.status, done.err) == (0, "")
    assert any(line.split() == ["image", "decodes", "40", "ok"] for line in done.out.splitlines())


def test_every_request_is_on_record_and_in_the_manifest(folder: Path) -> None:
    calls = log(folder)
    rows = {row["_id"] for config in ("queries", "corpus") for row in saber.rows(folder, config)}
    assert {call["id"] for call in calls} == rows
    assert len(calls) == 40
    for call in calls:
        assert (call["status"], call["reason"], call["request_id"]) == (200, "", "req_test")
        assert (call["prompt_tokens"], call["completion_tokens"]) == (600, 1767)
        assert call["bytes"] > 100
        assert call["seconds"] > 0
    found = read_manifest(folder)
    assert found is not None
    assert found.usage is not None
    assert (found.usage.requests, found.usage.faults, found.usage.cost) == (40, {}, 2.0)
    assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (24_000, 70_680)


def test_paid_images_are_not_discarded(folder: Path) -> None:
    before = runs.files(folder)
    for source in ({}, {"images": "openai"}):
        done = saber.run(folder, resume=False, **source)
        assert "holds images that were paid for" in done.error
    assert runs.files(folder) == before


def test_pixels_need_masks(folder: Path) -> None:
    assert "--pixels is for rendered images" in saber.check(folder, "--pixels", 3).error


def test_the_identity_is_what_determines_the_images(folder: Path) -> None:
    found = read_manifest(folder)
    assert found is not None
    own = {key: found.config[key] for key in ("images", "model", "size", "quality")}
    assert own == {"images": "openai", "model": "gpt-image-2", "size": 64, "quality": "medium"}
    assert "prompt" in found.config
    with ImagesServer() as server:
        same = run(folder, server, **MORE, in_flight=3, timeout=9, price=1)
        assert (same.status, "nothing to do" in same.out) == (0, True)
        for other in ({"quality": "high"}, {"model": "gpt-image-3"}, {"size": 128}):
            assert "choose another --out" in run(folder, server, **{**MORE, **other}).error
        assert server.total == 0


def test_the_card_says_how_the_images_were_made(folder: Path) -> None:
    card = (folder / "README.md").read_text()
    assert "Painted by `gpt-image-2` in medium quality" in card
    assert "nobody has looked through these images yet" in card
    assert "took 40 requests" in card


@pytest.mark.parametrize("own", [True, False])
def test_the_request_has_what_the_model_takes(tmp_path: Path, own: bool) -> None:
    """Models other than OpenAI's take another flag for base64, and refuse what they don't know."""
    model = "gpt-image-2" if own else "flux"
    with ImagesServer() as server:
        assert run(tmp_path / "out", server, model=model, quality="low").status == 0
    bodies = [asked.body for many in server.asked.values() for asked in many]
    assert len({body.pop("prompt") for body in bodies}) == 5
    wanted: dict[str, Any] = {"model": model, "n": 1, "size": "64x64", "quality": "low"}
    if own:
        wanted |= {"output_format": "png", "background": "opaque", "moderation": "low"}
    else:
        wanted |= {"response_format": "b64_json"}
    assert bodies == [wanted] * 5


# --- what goes wrong --------------------------------------------------------------------

WRONG = {
    "request_throttled": status(429, "too many", retry_after="0.01"),
    "request_server_error": status(500),
    "request_dropped": replace(answer("QUJD" * 99), cut=0.5),
    "request_timeout": hang(9),
    "image_missing": answer("no base64 at all!"),
    "image_broken": answer(b"no image at all"),
    "image_size": answer(picture("1. small", 32)),
    "image_blank": answer(png(Image.new("RGB", (64, 64), "gray"))),
    "moderation_blocked": blocked(),
    "content_policy_violation": blocked("content_policy_violation"),
}


@pytest.mark.parametrize("reason", WRONG)
def test_what_goes_wrong_once_is_asked_again(tmp_path: Path, reason: str) -> None:
    with ImagesServer(once(WRONG[reason])) as server:
        done = run(tmp_path / "out", server, timeout=0.5, price=0.05)
    assert (done.status, done.err) == (0, "")
    assert server.total == 10
    found = read_manifest(tmp_path / "out")
    assert found is not None
    assert found.usage is not None
    assert (found.usage.requests, found.usage.faults) == (10, {reason: 5})
    paid = 10 if reason.startswith("image_") else 5  # an image that won't do has its price too
    assert found.usage.cost == paid * 0.05
    assert Counter(call["reason"] for call in log(tmp_path / "out")) == {"": 5, reason: 5}
    assert "5 requests sent again" in done.out


JUNK = (
    b"", b"[]", b"null", b"{", b"{}", b'{"data": null}', b'{"data": []}', b'{"data": [null]}',
    b'{"data": [{"url": "http://127.0.0.1/image.png"}]}', b'{"data": [{"b64_json": 7}]}',
    b'{"data": [{"b64_json": "QUJD"}], "usage": {"input_tokens": "many", "output_tokens": 1}}',
    b'{"data": [{"b64_json": ""}], "usage": []}',
)  # fmt: skip


def test_a_response_of_another_shape_is_no_image(tmp_path: Path) -> None:
    left = [*JUNK]

    def script(asked: Asked) -> Action:
        return Action(left.pop()) if left and not asked.seen else paint(asked)

    with ImagesServer(script) as server:
        done = run(tmp_path / "out", server, questions_per_size=3)
    assert (done.status, done.err) == (0, "")
    assert Counter(call["reason"] for call in log(tmp_path / "out")) == {
        "": 15,
        "image_missing": len(JUNK),
    }


def test_a_server_that_asks_to_wait_is_left_alone_as_long(tmp_path: Path) -> None:
    times: dict[str, list[float]] = {}

    def script(asked: Asked) -> Action:
        times.setdefault(asked.row, []).append(time.monotonic())
        return paint(asked) if asked.seen else status(429, "too many", retry_after="0.7")

    with ImagesServer(script) as server:
        assert run(tmp_path / "out", server).status == 0
    assert all(second - first >= 0.7 for first, second in times.values())


def test_an_image_that_is_always_refused_is_named_and_asked_for_again_later(tmp_path: Path) -> None:
    row = "independent-n02-00000-c2"
    with ImagesServer(always(row, blocked())) as server:
        done = run(tmp_path / "out", server)
        assert done.status == 3
        assert f"  {row}  moderation_blocked: HTTP 400: Your request was rejected" in done.out
        assert "1 images could not be had (moderation_blocked 1)" in done.out
        assert len(server.asked[row]) == POLICY.redraws
        assert not (tmp_path / "out" / "manifest.json").exists()
        server.painter = paint
        before = server.total
        done = run(tmp_path / "out", server)
        assert (done.status, "1 of 5 images to make" in done.out) == (0, True)
        assert server.total == before + 1


STOPPING = {
    "set the key": error(401, f"Incorrect API key provided: {KEY}.", "invalid_request_error", None),
    "must be verified": error(403, "Your organization must be verified to use it", "x", None),
    "check --model": error(404, "The model does not exist", "x", "model_not_found"),
    "add credit": error(429, "You exceeded your quota", "insufficient_quota", "insufficient_quota"),
    "Billing hard limit": error(400, "Billing hard limit", "x", "billing_hard_limit_reached"),
}


@pytest.mark.parametrize("said", STOPPING)
def test_what_no_request_can_pass_stops_at_once(tmp_path: Path, said: str) -> None:
    with ImagesServer(lambda asked: STOPPING[said]) as server:
        done = run(tmp_path / "out", server, in_flight=2)
    assert done.status == 2
    assert said in done.err.splitlines()[-1]
    assert server.total <= 2
    assert KEY not in done.out + done.err


def test_a_stop_does_not_wait_for_what_the_server_puts_off(tmp_path: Path) -> None:
    later = status(429, "too many", retry_after="60")
    last = replace(STOPPING["add credit"], after=0.5)
    with ImagesServer(lambda asked: last if asked.row.endswith("c3") else later) as server:
        started = time.monotonic()
        done = run(tmp_path / "out", server)
    assert "add credit" in done.err
    assert time.monotonic() - started < 30


def test_a_request_that_the_server_never_takes_stops_after_a_few_images(tmp_path: Path) -> None:
    bad = error(400, "Invalid value: 'great'", "invalid_request_error", "invalid_value")
    with ImagesServer(lambda asked: bad) as server:
        done = run(tmp_path / "out", server, **MORE, quality="great", in_flight=1)
    assert done.status == 2
    assert "3 images in a row could not be had (request_refused: " in done.err
    assert "Invalid value: 'great'" in done.err
    assert 3 <= server.total < 10


def test_no_server_is_said_soon(tmp_path: Path) -> None:
    with ImagesServer() as server:
        pass
    done = run(tmp_path / "out", server)
    assert done.status == 2
    assert "request_dropped" in done.err
    assert "onnection refused" in done.err


def test_all_at_once(tmp_path: Path) -> None:
    """One request in three goes wrong, each in another way; the same command gets there."""
    out = tmp_path / "out"
    with ImagesServer(faults) as server:
        for _ in range(5):
            done = run(out, server, **MORE, timeout=0.6)
            if done.status != 3:
                break
    assert (done.status, saber.check(out).status) == (0, 0)
    calls = log(out)
    assert len(calls) == server.total
    assert len({call["reason"] for call in calls}) >= 6
    assert Counter(call["id"] for call in calls if not call["reason"]) == Counter(
        row["_id"] for config in ("queries", "corpus") for row in saber.rows(out, config)
    )


# --- stops, and what they cost ----------------------------------------------------------


def start(out: Path, server: ImagesServer, **settings: object) -> Any:
    """A run as a process of its own."""
    flags = {**MORE, "out": out, "base_url": server.base_url, "in_flight": 4, **settings}
    named = {name.replace("_", "-"): value for name, value in flags.items()}
    return runs.command(*runs.arguments(named), program="gen.saber")


def slow(asked: Asked) -> Action:
    return replace(paint(asked), after=0.1)


def test_after_a_kill_nothing_is_paid_twice_but_what_was_on_its_way(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with ImagesServer(slow) as server:
        process = start(out, server)
        runs.until(lambda: len(kept(out)) >= 10, 60)
        os.killpg(process.pid, signal.SIGKILL)
        runs.finish(process)
        before = kept(out)
        assert 10 <= len(before) < 40
        with (out / ".run" / "images" / "requests.jsonl").open("a") as file:
            file.write('{"id": "torn')
        done = run(out, server, **MORE)
        assert f"{40 - len(before)} of 40 images to make" in done.out
        assert done.status == 0
        assert server.total <= 40 + 4
        again = [row for row, asked in server.asked.items() if len(asked) > 1]
        assert len(again) <= 4
    assert saber.check(out).status == 0


def test_ctrl_c_keeps_what_is_on_its_way(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with ImagesServer(slow) as server:
        process = start(out, server)
        runs.until(lambda: len(kept(out)) >= 5, 60)
        os.killpg(process.pid, signal.SIGINT)
        done = runs.finish(process)
    assert done.status == 130
    assert done.err.splitlines()[-1] == "Stopped; the same command goes on."
    assert len(kept(out)) == server.total == len(log(out)) < 40
    assert server.ends == {"answered": server.total}


def test_a_second_ctrl_c_waits_for_nothing(tmp_path: Path) -> None:
    with ImagesServer(lambda asked: hang(60)) as server:
        process = start(tmp_path / "out", server)
        runs.until(lambda: server.in_flight == 4, 60)
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.5)
        started = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        done = runs.finish(process)
    assert time.monotonic() - started < 20
    assert done.status == 130
    assert done.err.splitlines() == [
        "Waiting for 4 images; Ctrl-C gives them up.",
        "",
        "Stopped; the same command goes on.",
    ]


def test_the_budget_is_never_passed_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with ImagesServer(faults) as server:
        done = run(out, server, **MORE, price=0.05, budget=0.5, timeout=0.6)
        assert done.status == 3
        assert "the budget has no room for the " in done.out
        assert sum(call["status"] == 200 for call in log(out)) == 10
        before = server.total
        done = run(out, server, **MORE, price=0.05, budget=0.5, timeout=0.6)
        assert (done.status, server.total) == (3, before)
        server.painter = paint
        assert run(out, server, **MORE, price=0.05, budget=99).status == 0


def test_a_budget_for_all_images_is_enough(tmp_path: Path) -> None:
    with ImagesServer() as server:
        done = run(tmp_path / "out", server, price=0.1, budget=0.5)
    assert (done.status, server.total) == (0, 5)
    assert "about 30 s, cost 0.50 (all together at most 0.50)" in done.out
    assert "5 requests; 3k+8.84k tokens, cost 0.50" in done.out


@pytest.mark.parametrize("in_flight", [1, 6])
def test_so_many_are_asked_for_at_a_time(tmp_path: Path, in_flight: int) -> None:
    with ImagesServer(slow) as server:
        run(tmp_path / "out", server, in_flight=in_flight, questions_per_size=2)
    assert server.peak == in_flight


def test_a_rejected_image_is_painted_anew_and_no_other(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    row = saber.rows(out, "corpus")[3]
    entry = json.loads((out / "truth" / "corpus.json").read_text())["images"][3]
    found = Decision(
        id=row["_id"],
        sha256=entry["sha256"],
        accepted=False,
        reviewer="a",
        time="2026-01-01T00:00:00Z",
    )
    (out / ".run" / "screening").mkdir()
    (out / ".run" / "screening" / "a.jsonl").write_text(found.model_dump_json() + "\n")
    with ImagesServer(lambda asked: answer(picture("1. another", 64))) as server:
        assert run(out, server, **MORE, price=0.05).status == 0
    assert dict(server.seen) == {f"{row['_id']}.1": 1}
    assert json.loads((out / "truth" / "corpus.json").read_text())["images"][3]["attempt"] == 1
    assert saber.check(out).status == 0
    summary = read_manifest(out)
    assert summary is not None
    assert summary.usage is not None
    assert summary.usage.cost == 2.05
    assert "people decided" in (out / "README.md").read_text()


def test_parts_keep_their_records_apart(tmp_path: Path) -> None:
    with ImagesServer() as server:
        for part in "12":
            done = run(tmp_path / part, server, shard=f"{part}/2", questions_per_size=2)
            assert (done.status, "is made: 5 images" in done.out) == (0, True)
        shutil.copytree(
            tmp_path / "2" / ".run" / "images",
            tmp_path / "1" / ".run" / "images",
            dirs_exist_ok=True,
        )
        assert run(tmp_path / "1", server, questions_per_size=2, price=0.1).status == 0
    assert server.total == 10
    found = read_manifest(tmp_path / "1")
    assert found is not None
    assert found.usage is not None
    assert (found.usage.requests, found.usage.cost) == (10, 1.0)


def test_a_damaged_record_is_named(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    (out / "manifest.json").unlink()
    path = out / ".run" / "images" / "requests.jsonl"
    path.write_text('{"id": 1}\n' + path.read_text())
    with ImagesServer() as server:
        assert f"{path}: line 1 is damaged" in run(out, server, **MORE).error


# --- keys and flags ---------------------------------------------------------------------


def test_the_key_goes_to_the_server_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_KEY", "sk-other")
    with ImagesServer() as server:
        done = run(tmp_path / "a", server)
        run(tmp_path / "b", server, key_variable="OTHER_KEY")
        run(tmp_path / "c", server, key_variable="NO_KEY")
    keys = {asked.key for many in server.asked.values() for asked in many}
    assert keys == {KEY, "sk-other", "none"}
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"sk-" not in path.read_bytes()
    assert "sk-" not in done.out + done.err


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ("NO_KEY", "no key in the environment variable NO_KEY, and no --base-url"),
        (KEY, "the one that --key-variable names"),
    ],
)
def test_without_a_key_nothing_is_begun(tmp_path: Path, variable: str, said: str) -> None:
    done = saber.run(tmp_path / "out", images="openai", key_variable=variable)
    assert said in done.error
    assert KEY not in done.err
    assert not (tmp_path / "out").exists()


def test_without_the_client_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    assert "pip install 'saber-toolkit[images]'" in saber.run(tmp_path, images="openai").error


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"images": "openai", "size": 512}, "--size 512: OpenAI makes 816 to 2048 in steps of 16"),
        ({"images": "openai", "samples": 4}, "--samples is for --images render"),
        ({"images": "render", "quality": "low"}, "--quality is for --images openai"),
        ({"model": "gpt-image-2"}, "--model is for --images openai"),
        ({"images": "openai", "budget": 3}, "--budget needs --price"),
        ({"images": "openai", "price": -1}, "--price '-1': "),
        ({"images": "openai", "in_flight": 0}, "--in-flight '0': "),
        ({"images": "openai", "base_url": "here"}, "--base-url 'here': an address"),
    ],
)
def test_flags_that_do_not_fit_are_refused(
    tmp_path: Path, flags: dict[str, object], said: str
) -> None:
    assert said in saber.run(tmp_path / "out", **flags).error


# --- the prompt -------------------------------------------------------------------------


def question(n: int) -> Question:
    """A question of so many pairs."""
    return sample(load(), Settings(7, (n,), 1))[0][0]


@pytest.mark.parametrize("n", [2, 10])
def test_prompts_are_as_last_looked_at(n: int, update_golden: bool) -> None:
    asked = question(n)
    path = GOLDEN / f"n{n:02d}.txt"
    text = Task(asked, 0, 0).prompt
    if update_golden:
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("scene", range(5))
def test_a_prompt_names_each_object_with_its_look_once(scene: int) -> None:
    asked = question(10)
    shown = (asked.query, *(candidate.scene for candidate in asked.candidates))[scene]
    text = Task(asked, scene, 0).prompt
    assert f"exactly {len(shown)} objects" in text
    for number, (attribute, noun) in enumerate(shown, 1):
        (line,) = [line for line in text.splitlines() if line.startswith(f"{number}. ")]
        assert line.endswith(f" {asked.looks[attribute]} {noun}")


def test_the_coin_is_fair_and_another_for_each_scene_and_attempt() -> None:
    asked, _ = sample(load(), Settings(0, (3,), 100))
    first, second = (
        [Task(one, scene, attempt).flip for one in asked for scene in range(5)]
        for attempt in (0, 1)
    )
    assert 220 <= sum(first) <= 280
    assert 220 <= sum(second) <= 280
    assert 220 <= sum(map(bool.__xor__, first, second)) <= 280
    assert 220 <= sum(map(bool.__xor__, first, first[1:])) <= 280
    assert first == [Task(one, scene, 0).flip for one in asked for scene in range(5)]


def test_captions_do_not_depend_on_the_prompt_for_images(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = prompts.digest()
    shutil.copytree(prompts.PROMPTS, tmp_path / "prompts")
    (tmp_path / "prompts" / templates.IMAGE).write_text("another")
    monkeypatch.setattr(prompts, "PROMPTS", tmp_path / "prompts")
    prompts.digest.cache_clear()
    assert prompts.digest() == before
    (tmp_path / "prompts" / "base.j2").write_text("another")
    prompts.digest.cache_clear()
    assert prompts.digest() != before
    prompts.digest.cache_clear()


# --- the stand-in -----------------------------------------------------------------------


def test_the_client_understands_the_server() -> None:
    with (
        ImagesServer(lambda asked: paint(asked) if asked.body["prompt"] else blocked()) as server,
        OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client,
    ):
        found = client.images.generate(prompt="1. a cube", model="gpt-image-2", size="256x256")
        assert found.usage is not None
        assert (found.usage.output_tokens, found.output_format) == (1767, "png")
        with pytest.raises(BadRequestError) as refused:
            client.images.generate(prompt="", model="gpt-image-2")
    assert refused.value.code == "moderation_blocked"
    assert refused.value.type == "image_generation_user_error"
    assert refused.value.request_id == "req_test"
