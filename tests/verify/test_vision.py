"""`gen.verify --check-with`: what is asked, what answers mean, what is kept."""

from __future__ import annotations

import os
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.base.chat.backend import Answer
from gen.base.chat.breaker import Limits
from gen.triplets import prompts
from gen.verify import __main__ as verify
from gen.verify.vision import ask
from gen.verify.vision.answers import opened
from gen.verify.vision.question import MISSING, NONE, OTHERS, questions
from tests.support import llm_runs, runs, vision
from tests.support.llm_script import Action, Request, Script, answer, drop, hang, status
from tests.support.llm_server import LlmServer
from tests.support.vision import MANY, PAIR, QUESTIONS, Asked, Eyes, good_rows, row, write

Serve = Callable[[Script], LlmServer]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    llm_runs.quicken(monkeypatch)


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:
        yield lambda script: stack.enter_context(LlmServer(script))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset whose images show what the rows say."""
    return write(tmp_path / "saber", *good_rows())


def lines(folder: Path) -> list[dict[str, object]]:
    return runs.json_lines(folder / "vision.jsonl")


# --- what is asked ----------------------------------------------------------------------


def test_each_object_of_each_image_is_asked_about_once(folder: Path, serve: Serve) -> None:
    eyes = Eyes()
    done = vision.check(folder, serve(eyes))
    assert (done.status, done.err) == (0, "")
    asked = [(request.body["model"], Asked.of(request).object) for request in eyes.asked]
    counts = Counter(name for _, name in asked)
    assert len(asked) == QUESTIONS
    assert counts == {**dict.fromkeys(MANY, 5), **dict.fromkeys(PAIR, 10)}
    assert {model for model, _ in asked} == {"eyes"}
    assert {request.body["temperature"] for request in eyes.asked} == {0}


def test_settings_of_the_request_are_the_users_to_choose(folder: Path, serve: Serve) -> None:
    eyes = Eyes()
    sampling = '{"temperature": null, "max_completion_tokens": 9}'
    assert vision.check(folder, serve(eyes), sampling=sampling).status == 0
    for request in eyes.asked:
        assert (request.body["temperature"], request.body["max_completion_tokens"]) == (None, 9)
        assert "max_tokens" not in request.body


@st.composite
def rows(draw: st.DrawFn) -> vision.Row:
    size = draw(st.integers(2, 10))
    return {
        "_id": draw(st.text("ab", min_size=1)),
        "image": {"bytes": draw(st.binary(min_size=1, max_size=4)), "path": None},
        "objects": [f"thing {place}" for place in range(size)],
        "attributes": [f"kind{place}" for place in range(size)],
        "instantiations": [f"look {place}" for place in range(size)],
    }


@given(rows())
def test_options_are_the_look_those_of_others_otherwise_and_absent(one: vision.Row) -> None:
    found = questions(one, "m", {})
    assert [question.object for question in found] == one["objects"]
    assert [question.look for question in found] == one["instantiations"]
    for question in found:
        options = set(question.options)
        assert len(question.options) == len(options)
        assert options >= {question.look, NONE, MISSING}
        others = options - {question.look, NONE, MISSING}
        assert others <= set(one["instantiations"])
        assert len(others) == min(question.n - 1, OTHERS)
        said = question.prompt.rstrip().splitlines()[-len(options) :]
        assert said == [f"- {option}" for option in question.options]
        assert f'"{NONE}" if' in question.prompt
        assert f'"{MISSING}" if' in question.prompt
    assert found == questions(one, "m", {})


@given(rows(), rows())
def test_a_key_is_of_model_sampling_image_and_prompt(one: vision.Row, other: vision.Row) -> None:
    first = questions(one, "m", {})
    keys = {question.key for question in first}
    assert len(keys) == len(first)
    assert keys.isdisjoint(question.key for question in questions(one, "n", {}))
    assert keys.isdisjoint(question.key for question in questions(one, "m", {"top_k": 1}))
    other = {**one, "image": {"bytes": one["image"]["bytes"] + b"!", "path": None}}
    assert keys.isdisjoint(question.key for question in questions(other, "m", {}))


def test_the_right_answer_stands_in_every_place_equally_often() -> None:
    places = Counter(
        question.options.index(question.look)
        for number in range(400)
        for question in questions(row(f"{number}", MANY), "m", {})
    )
    assert sorted(places) == list(range(6))
    assert min(places.values()) > 0.8 * 400 * 5 / 6


def test_the_question_is_no_part_of_what_a_writer_of_captions_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a run of gen.triplets could not go on after the question was put better."""
    shutil.copytree(prompts.PROMPTS, tmp_path / "prompts")
    monkeypatch.setattr(prompts, "PROMPTS", tmp_path / "prompts")
    digest = prompts.digest.__wrapped__
    before = digest()
    (tmp_path / "prompts" / "saber" / "vision.j2").write_text("How does it look?")
    assert digest() == before
    (tmp_path / "prompts" / "base.j2").write_text("Write a caption.")
    assert digest() != before


@pytest.mark.parametrize(
    ("text", "finish", "found"),
    [
        ('{"look": "red"}', "stop", ("red", "")),
        ('{"look": "not there"}', "stop", ("not there", "")),
        ('{"look": "blue"}', "stop", (None, "answer_shape")),
        ('{"look": "Red"}', "stop", (None, "answer_shape")),
        ('{"look": null}', "stop", (None, "answer_shape")),
        ('{"look": "red", "why": "it is"}', "stop", (None, "answer_shape")),
        ("red", "stop", (None, "answer_not_json")),
        ('```json\n{"look": "red"}\n```', "stop", (None, "answer_fenced")),
        ('{"look": "re', "length", (None, "answer_cut_off")),
        ("", "stop", (None, "answer_empty")),
        ("I can't help with that.", "refusal", (None, "answer_refused")),
        ('{"look": "red"}', "content_filter", (None, "answer_refused")),
    ],
)
def test_an_answer_is_one_of_the_options_or_none_with_a_reason(
    text: str, finish: str, found: tuple[str | None, str]
) -> None:
    [question, _] = questions(row("q", PAIR), "m", {})
    assert question.choice(Answer(text, finish)) == found


# --- what answers mean ------------------------------------------------------------------


def counts_of(done: runs.Done) -> dict[str, int]:
    """The verdicts that a report counts."""
    shown = [line.rsplit(maxsplit=2) for line in done.out.splitlines() if line.endswith("%")]
    names = ("agrees", "another object's look", NONE, MISSING, "no answer")
    return {part[0].strip(): int(part[1]) for part in shown if part[0].strip() in names}


def test_a_model_that_sees_what_was_made_agrees(folder: Path, serve: Serve) -> None:
    done = vision.check(folder, serve(Eyes()))
    assert counts_of(done)["agrees"] == QUESTIONS
    assert f"eyes: {QUESTIONS} questions about 10 images" in done.out
    assert "worst first" not in done.out
    assert done.out.endswith(f"{folder}: 100.0% agree\n")


def test_a_wrong_image_is_told_by_what_is_wrong_with_it(tmp_path: Path, serve: Serve) -> None:
    swapped = {"cube": "icy", "kite": "red"}
    queries = [row("swapped", PAIR, swapped), row("absent", PAIR, {"cube": "red"})]
    corpus = [row("strange", PAIR, {"cube": "plaid", "kite": "icy"}), row("good", PAIR)]
    folder = write(tmp_path / "saber", queries, corpus)
    done = vision.check(folder, serve(Eyes()))
    assert done.status == 0
    verdicts = {"agrees": 4, "another object's look": 2, NONE: 1, MISSING: 1, "no answer": 0}
    assert counts_of(done) == verdicts
    listed = done.out.partition("answered\n")[2].partition("\n\n")[0]
    assert [line.split(maxsplit=3) for line in listed.splitlines()] == [
        ["absent", "kite", "icy", "not there"],
        ["swapped", "kite", "icy", "red"],
        ["strange", "cube", "red", "none of these"],
        ["swapped", "cube", "red", "icy"],
    ]


def test_the_worst_attributes_and_objects_come_first(tmp_path: Path, serve: Serve) -> None:
    shown = {**MANY, "teapot": "plaid"}
    queries = [row("a", MANY, shown), row("b", MANY, {**shown, "cube": "plaid"})]
    folder = write(tmp_path / "saber", queries, [row("c", PAIR)])
    out = vision.check(folder, serve(Eyes())).out
    assert table(out, "attribute") == [("wooden", "2", "0.0%"), ("red", "3", "66.7%")]
    assert table(out, "object") == [("teapot", "2", "0.0%"), ("cube", "3", "66.7%")]
    assert table(out, "pairs") == [("5", "10", "70.0%"), ("2", "2", "100.0%")]
    listed = out.partition("answered\n")[2].partition("\n\n")[0]
    assert [line.split()[:2] for line in listed.splitlines()] == [
        ["a", "teapot"],
        ["b", "teapot"],
        ["b", "cube"],
    ]


def table(out: str, label: str) -> list[tuple[str, ...]]:
    """The lines of a table of the report."""
    blocks = [block.splitlines() for block in out.split("\n\n")]
    [block] = [block for block in blocks if block[0].split()[0].rstrip(",") == label]
    return [tuple(line.split()) for line in block[1:]]


def test_a_list_of_many_ends_with_how_many_more(tmp_path: Path, serve: Serve) -> None:
    queries = [row(f"q{number:03}", PAIR, {}) for number in range(60)]
    folder = write(tmp_path / "saber", queries, [row("c", PAIR)])
    out = vision.check(folder, serve(Eyes())).out
    listed = out.partition("answered\n")[2].partition("\n\n")[0].splitlines()
    assert (len(listed), listed[-1].split()[:3]) == (101, ["and", "20", "more:"])
    assert len(lines(folder)) == 122


def test_the_least_share_decides_the_exit_status(tmp_path: Path, serve: Serve) -> None:
    folder = write(tmp_path / "saber", [row("q", PAIR, {"cube": "red"})], [row("c", PAIR)])
    server = serve(Eyes())
    assert vision.check(folder, server).status == 0
    assert vision.check(folder, server, check_least=0.75).status == 0
    done = vision.check(folder, server, check_least=0.76)
    assert (done.status, done.err) == (1, "")
    assert done.out.endswith("75.0% agree, less than --check-least 76.0%\n")


def test_a_sample_is_spread_over_both_configs(folder: Path, serve: Serve) -> None:
    eyes = Eyes()
    done = vision.check(folder, serve(eyes), check_sample=1)
    assert "about 2 images" in done.out
    assert {line["row"] for line in lines(folder)} == {
        "independent-n05-00000",
        "independent-n05-00000-c0",
    }
    assert "about 4 images" in vision.check(folder, serve(eyes), check_sample=2).out
    assert "about 10 images" in vision.check(folder, serve(eyes), check_sample=99).out
    assert len(eyes.asked) == QUESTIONS


# --- servers that misbehave -------------------------------------------------------------


def test_failed_requests_are_sent_again(folder: Path, serve: Serve) -> None:
    eyes = Eyes()
    faults = [status(429, retry_after="0"), status(500), drop(Action(b"")), hang(30)]
    number = count()

    def script(request: Request) -> Action:
        place = next(number)
        return faults[place % 5] if place % 5 < 4 and request.seen < 3 else eyes(request)

    done = vision.check(folder, serve(script), timeout=0.5)
    assert counts_of(done)["agrees"] == QUESTIONS
    assert "requests sent again" in done.out
    assert len(eyes.asked) == QUESTIONS


def test_what_is_no_answer_counts_as_none_and_is_asked_again(
    folder: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask, "FAILING", Limits(2, 2))  # in a row, which they are not
    eyes, number = Eyes(), count()

    def script(request: Request) -> Action:
        others = {
            0: answer(request, "A red cube."),
            10: answer(request, '{"look": "chartreuse"}'),
            20: answer(request, None, refusal="No."),
            30: status(400, "image too small"),
        }
        return others.get(next(number)) or eyes(request)

    server = serve(script)
    done = vision.check(folder, server, in_flight=1)
    assert (done.status, counts_of(done)["no answer"]) == (0, 4)
    for reason in ("answer_not_json", "answer_shape", "answer_refused", "request_refused"):
        assert f"{reason} 1" in done.out
    assert [line["text"] for line in lines(folder) if line["answered"] is None] == [
        "A red cube.",
        '{"look": "chartreuse"}',
        "No.",
        "HTTP 400: image too small",
    ]
    done = vision.check(folder, server)
    assert counts_of(done)["agrees"] == QUESTIONS
    assert (len(eyes.asked), server.seen.total()) == (QUESTIONS, QUESTIONS + 4)
    assert f"{QUESTIONS + 4} requests, 4 of them now" in done.out


@pytest.mark.parametrize(
    ("script", "cause"),
    [
        (lambda request: answer(request, "Red."), "the server ignores response_format"),
        (lambda request: status(400, "not a multimodal model"), "not a multimodal model"),
    ],
)
def test_where_nothing_is_answered_a_check_stops_with_the_likely_cause(
    folder: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch, script: Script, cause: str
) -> None:
    monkeypatch.setattr(ask, "FAILING", Limits(10, 10))
    done = vision.check(folder, serve(script), in_flight=2)
    assert done.status == 2
    assert "10 questions in a row had no answer" in done.error
    assert cause in done.error
    eyes = Eyes()
    assert counts_of(vision.check(folder, serve(eyes)))["agrees"] == QUESTIONS
    assert len(eyes.asked) == QUESTIONS


def test_a_dead_server_is_named_with_what_to_do(folder: Path) -> None:
    with LlmServer(Eyes()) as server:
        pass
    done = vision.check(folder, server)
    assert done.status == 2
    assert server.base_url in done.error
    assert "every answer is kept" in done.error
    assert "run the same command again" in done.error
    assert not (folder / "vision.jsonl").exists()


@pytest.mark.parametrize(("code", "fix"), [(401, "OPENAI_API_KEY"), (404, "--base-url")])
def test_a_server_that_refuses_all_is_named_with_what_to_do(
    folder: Path, serve: Serve, code: int, fix: str
) -> None:
    done = vision.check(folder, serve(lambda request: status(code)))
    assert (done.status, fix in done.error) == (2, True)


# --- what is kept -----------------------------------------------------------------------


def test_nothing_is_asked_twice(folder: Path, serve: Serve) -> None:
    server = serve(Eyes())
    first = vision.check(folder, server).out
    again = vision.check(folder, server).out
    assert server.seen.total() == QUESTIONS
    kept = f"{QUESTIONS} requests, 0 of them now; "
    assert kept in again
    assert report(again) == report(first).replace(f"{QUESTIONS} of them now", "0 of them now")


def report(out: str) -> str:
    """What is printed when all is answered, without the progress before it."""
    return out[out.index("eyes: ") :]


def test_cost_is_that_of_all_tries(folder: Path, serve: Serve) -> None:
    out = vision.check(folder, serve(Eyes()), price="1000000,0").out
    prompts = sum(int(str(line["prompt_tokens"])) for line in lines(folder))
    assert prompts
    assert f"cost {prompts:,.2f}" in out


def test_other_models_and_other_images_are_asked_about(folder: Path, serve: Serve) -> None:
    eyes = Eyes()
    server = serve(eyes)
    vision.check(folder, server)
    vision.check(folder, server, check_with="glasses")
    assert len(eyes.asked) == 2 * QUESTIONS
    queries, corpus = good_rows()
    queries[0] = row(queries[0]["_id"], PAIR, {"cube": "red", "kite": "lava"})
    write(folder, queries, corpus)
    done = vision.check(folder, server)
    assert len(eyes.asked) == 2 * QUESTIONS + 2
    assert counts_of(done)["agrees"] == QUESTIONS - 1
    assert {line["model"] for line in lines(folder)} == {"eyes", "glasses"}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_check_goes_on(folder: Path, serve: Serve, how: signal.Signals) -> None:
    eyes, number = Eyes(), count()
    processes = []

    def script(request: Request) -> Action:
        if next(number) == 9:  # the request that is under way is lost, and no answer
            os.killpg(processes[0].pid, how)
            return drop(Action(b""))
        return eyes(request)

    server = serve(script)
    argv = vision.flags(folder, server, in_flight=1)
    processes.append(runs.command(*argv, program="gen.verify"))
    done = runs.finish(processes[0])
    if how is signal.SIGINT:
        assert done.status == 130
        assert done.err.strip() == ("Stopped; every answer is kept, the same command goes on.")
    assert len(lines(folder)) == 9
    assert counts_of(vision.check(folder, server))["agrees"] == QUESTIONS
    assert len(eyes.asked) == QUESTIONS


def test_half_a_line_is_cut_off(folder: Path, serve: Serve) -> None:
    server = serve(Eyes())
    vision.check(folder, server)
    path = folder / "vision.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    assert "1 of them now" in vision.check(folder, server).out
    assert len(lines(folder)) == QUESTIONS


def test_answers_go_where_they_are_told_to(folder: Path, tmp_path: Path, serve: Serve) -> None:
    eyes = Eyes()
    before = runs.files(folder)
    server = serve(eyes)
    for _ in range(2):
        assert vision.check(folder, server, check_out=tmp_path / "said.jsonl").status == 0
    assert runs.files(folder) == before
    assert len((tmp_path / "said.jsonl").read_text().splitlines()) == len(eyes.asked) == QUESTIONS


def test_a_file_that_is_none_of_answers_is_left_alone(
    folder: Path, tmp_path: Path, serve: Serve
) -> None:
    server = serve(Eyes())
    (tmp_path / "notes").write_text("Buy milk, with no end of line")
    (tmp_path / "other").write_text('{"key":"1"}\n{"key":2}\n')
    for name in ("notes", "other"):
        text = (tmp_path / name).read_text()
        done = vision.check(folder, server, check_out=tmp_path / name)
        assert (done.status, "name another with --check-out" in done.error) == (2, True)
        assert (tmp_path / name).read_text() == text
    for place in (tmp_path, tmp_path / "nowhere" / "file"):
        done = vision.check(folder, server, check_out=place)
        assert (done.status, f"{place}: " in done.error) == (2, True)
        assert "--check-out" in done.error
    assert server.seen.total() == 0


def test_two_checks_do_not_write_one_file(folder: Path, serve: Serve) -> None:
    with opened(folder / "vision.jsonl"):
        done = vision.check(folder, serve(Eyes()))
    assert (done.status, "another run is writing here" in done.error) == (2, True)


# --- what can't be checked --------------------------------------------------------------


def test_a_dataset_without_images_is_refused(tmp_path: Path, serve: Serve) -> None:
    folder = write(tmp_path / "saber", *good_rows())
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"images": "render"', '"no": "images"'))
    assert "SABER with images" in vision.check(folder, serve(Eyes())).error


def test_an_image_that_is_none_is_named(tmp_path: Path, serve: Serve) -> None:
    for name, image in (("lost", None), ("torn", {"bytes": b"RIFF", "path": None})):
        queries, corpus = good_rows()
        corpus[3] |= {"_id": name, "image": image}
        folder = write(tmp_path / name, queries, corpus)
        done = vision.check(folder, serve(Eyes()))
        assert (done.status, f"row '{name}'" in done.error) == (2, True)
        assert "without --check-with" in done.error


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--check-sample", "3"], "--check-sample is for --check-with MODEL"),
        (["--check-with", "m", "--pixels", "3"], "--pixels is for the proof"),
        (["--check-with", "m", "--check-least", "98"], "--check-least '98'"),
        (["--check-with", "m", "--base-url", "localhost"], "--base-url 'localhost'"),
    ],
)
def test_flags_that_do_not_fit_are_refused(folder: Path, flags: list[str], said: str) -> None:
    done = runs.cli(verify.main, folder, *flags)
    assert (done.status, said in done.error) == (2, True)
