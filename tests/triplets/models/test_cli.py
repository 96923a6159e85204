"""The flags of the language-model writers, and a look at a model before a long run."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from gen.triplets import __main__ as triplets
from gen.triplets.config import ModelConfig
from gen.triplets.plan import DEFAULT_MIX, slots
from tests.support import llm_runs, runs
from tests.support import llm_script as script
from tests.support.llm_script import NO_DRAFT, Action, answer, status
from tests.support.llm_server import LlmServer
from tests.support.llm_weak import WEAK

OPENAI = ["--writer", "openai", "--model", "m"]
HERE = [*OPENAI, "--base-url", "http://127.0.0.1:9/v1"]
REPLAY = ["--writer", "replay", "--answers", "somewhere"]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    llm_runs.quicken(monkeypatch)


# --- bad flags --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--writer", "openai"], "--writer openai needs --model"),
        (["--writer", "vllm"], "--writer vllm needs --model"),
        (["--writer", "replay"], "--writer replay needs --answers"),
        ([*OPENAI, "--base-url", "127.0.0.1:8000/v1"], "--base-url '127.0.0.1:8000/v1': an addr"),
        ([*OPENAI, "--base-url", "http://one/v1,two/v1"], "begins with http:// or https://"),
        ([*OPENAI, "--base-url", "http://one/v1,"], "begins with http:// or https://"),
        ([*OPENAI, "--base-url", "http://"], "--base-url 'http://'"),
        ([*OPENAI, "--base-url", "http:///v1"], "--base-url 'http:///v1'"),
        ([*OPENAI, "--base-url", "http://127.0.0.1:80O0/v1"], "--base-url 'http://127.0.0.1:80O0"),
        ([*OPENAI, "--base-url", "http://127.0.0.1:99999/v1"], "--base-url 'http://127.0.0.1:9"),
        ([*HERE, "--in-flight", "0"], "--in-flight '0'"),
        ([*HERE, "--in-flight", "many"], "--in-flight 'many'"),
        ([*HERE, "--repair", "-1"], "--repair '-1'"),
        ([*HERE, "--timeout", "0"], "--timeout '0'"),
        ([*HERE, "--timeout", "nan"], "--timeout 'nan'"),
        ([*HERE, "--sampling", "temperature=1"], "--sampling 'temperature=1': write a JSON object"),
        ([*HERE, "--sampling", "[]"], "write a JSON object"),
        ([*HERE, "--sampling", "0.9"], "write a JSON object"),
        ([*HERE, "--sampling", ""], "write a JSON object"),
        ([*HERE, "--sampling", '{"temperature": NaN}'], "write a JSON object"),
        ([*HERE, "--sampling", '{"n": 2}'], "'n' is set by the program; leave it out"),
        ([*HERE, "--price", "1"], "--price '1': write two numbers"),
        ([*HERE, "--price", "1,2,3"], "write two numbers"),
        ([*HERE, "--price", "cheap,dear"], "write two numbers"),
        ([*HERE, "--price", "1,-2"], "a price is zero or more"),
        ([*HERE, "--price", "nan,1"], "a price is zero or more"),
        ([*HERE, "--price", "1,inf"], "a price is zero or more"),
        ([*HERE, "--engine", "x"], "--engine"),
    ],
)
def test_a_bad_flag_is_one_line(tmp_path: Path, flags: list[str], said: str) -> None:
    done = runs.cli(triplets.main, "--out", tmp_path / "out", *flags)
    assert done.status == 2
    assert done.error.startswith("python -m gen.triplets: error: ")
    assert said in done.error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--model", "m"], "--model is for --writer openai or vllm"),
        (["--in-flight", "2"], "--in-flight is for --writer openai or vllm"),
        (["--repair", "1"], "--repair is for --writer openai or vllm"),
        (["--sampling", "{}"], "--sampling is for --writer openai or vllm"),
        (["--no-log-answers"], "--log-answers is for --writer openai or vllm"),
        (["--base-url", "http://x/v1"], "--base-url is for --writer openai"),
        (["--timeout", "5"], "--timeout is for --writer openai"),
        (["--price", "1,2"], "--price is for --writer openai or vllm or replay"),
        (["--answers", "x"], "--answers is for --writer replay"),
        (["--", "--dtype", "half"], "what follows -- is for --writer vllm"),
        ([*HERE, "--answers", "x"], "--answers is for --writer replay"),
        ([*HERE, "--", "--dtype", "half"], "what follows -- is for --writer vllm"),
        ([*REPLAY, "--model", "m"], "--model is for --writer openai or vllm"),
        ([*REPLAY, "--base-url", "http://x/v1"], "--base-url is for --writer openai"),
        (["--writer", "vllm", "--model", "m", "--base-url", "http://x"], "is for --writer openai"),
    ],
)
def test_a_flag_of_another_writer_is_one_line(tmp_path: Path, flags: list[str], said: str) -> None:
    done = runs.cli(triplets.main, "--out", tmp_path / "out", *flags)
    assert done.status == 2
    assert done.error.endswith(said)
    assert not (tmp_path / "out").exists()


def test_an_empty_rest_and_no_flags_of_a_model_suit_any_writer(tmp_path: Path) -> None:
    done = runs.cli(
        triplets.main, "--out", tmp_path, "--vocab", runs.TINY, "--n", 3, "--workers", 1, "--"
    )
    assert (done.status, done.err) == (0, "")


# --- what is missing --------------------------------------------------------------------


def test_without_its_package_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    done = runs.cli(triplets.main, "--out", tmp_path / "out", *HERE)
    assert done.status == 2
    assert done.error.endswith("pip install 'saber-toolkit[llm]'")


def test_without_a_key_and_an_address_it_asks_for_one_of_them(tmp_path: Path) -> None:
    done = runs.cli(triplets.main, "--out", tmp_path / "out", *OPENAI)
    assert done.status == 2
    assert done.error.endswith("no --base-url and no OPENAI_API_KEY; set one of them")


# --- help -------------------------------------------------------------------------------


def test_help_lists_the_flags_of_a_model_as_a_group() -> None:
    done = runs.cli(triplets.main, "--help")
    assert (done.status, done.err) == (0, "")
    group = done.out.partition("language model:")[2]
    assert group
    for name in ModelConfig.model_fields.keys() - {"engine"}:
        assert f"--{name.replace('_', '-')}" in group
    assert "-- --tensor-parallel-size 4" in group, "what goes after --"


def test_neither_help_nor_the_grammar_writer_load_a_client(tmp_path: Path) -> None:
    code = (
        "import sys; from gen.triplets.__main__ import main\n"
        "for given in (['--help'], sys.argv[1:]):\n"
        "    try: main(given)\n"
        "    except SystemExit: pass\n"
        "    print('LOADED', sorted({'openai', 'aiohttp', 'vllm'} & set(sys.modules)))"
    )
    flags = runs.arguments({"out": tmp_path / "out", "vocab": runs.TINY, "n": 3, "workers": 1})
    done = runs.finish(runs.command(*flags, program=code))
    assert re.findall("LOADED .*", done.out) == ["LOADED []"] * 2
    assert (tmp_path / "out" / "manifest.json").exists()


# --- preview ----------------------------------------------------------------------------


def preview(server: LlmServer, number: int, folder: Path) -> runs.Done:
    """What a preview shows; it writes nothing."""
    done = llm_runs.run(folder / "out", server, preview=number)
    assert list(folder.iterdir()) == []
    assert server.other == []
    return done


def test_a_preview_shows_prompts_answers_and_verdicts(tmp_path: Path) -> None:
    met: list[script.Request] = []

    def note(request: script.Request) -> Action:
        met.append(request)
        return llm_runs.drafts()(request)

    with LlmServer(note) as server:
        done = preview(server, 3, tmp_path)
    assert (done.status, done.err) == (0, "")
    assert [request.id for request in met] == [f"{slot.id}.0" for slot in slots(3, DEFAULT_MIX)]
    places = []
    for request in met:
        assert request.slot is not None
        text = llm_runs.drafts().text(request.slot, 0)
        places += [done.out.index(part) for part in (request.slot.id, request.prompt, text)]
    assert places == sorted(places), "one exchange after the other"
    assert done.out.count("Accepted:") == 3
    assert done.out.count("  positive ") == 3
    assert len(re.findall(r"[\d,]+ \+ [\d,]+ tokens", done.out)) == 3


def test_a_preview_says_what_is_wrong_and_what_the_model_would_be_told(tmp_path: Path) -> None:
    ids = [slot.id for slot in slots(3, DEFAULT_MIX)]
    kinds: dict[str, script.Script] = {
        ids[0]: lambda r: answer(r, NO_DRAFT.model_dump_json()),
        ids[1]: lambda r: WEAK["refusal"](r, ""),
        ids[2]: lambda r: status(400, "[bold]no schema[/bold] here"),
    }
    with LlmServer(lambda r: kinds[r.id.partition(".")[0]](r)) as server:
        done = preview(server, 3, tmp_path)
    assert done.status == 3
    assert done.error == "0 of 3 examples could be had; see above"
    assert (
        "Rejected: pair_count\nYour answer can't be used. There have to be exactly two" in done.out
    )
    assert "Rejected: answer_refused\nA new draft would be asked for." in done.out
    assert "No answer: request_refused: HTTP 400: " in done.out
    assert "[bold]no schema[/bold] here" in done.out, "as it is"


def test_a_preview_of_more_types_than_asked_for_shows_as_many_as_asked_for(tmp_path: Path) -> None:
    with LlmServer(llm_runs.drafts()) as server:
        done = preview(server, 1, tmp_path)
        assert server.seen.total() == 1
    assert done.out.count("Accepted:") == 1


def test_a_preview_without_a_server_is_one_line(tmp_path: Path) -> None:
    with LlmServer(llm_runs.drafts()) as server:
        server.stop()
        done = preview(server, 2, tmp_path)
    assert done.status == 1
    assert server.base_url in done.error
