"""The misbehaving server does what it is told; seen through the client that the writer uses."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import pytest
from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    DefaultAioHttpClient,
    InternalServerError,
    NotFoundError,
    RateLimitError,
)
from openai.types.chat import ChatCompletion
from openai.types.chat.chat_completion import Choice
from pydantic import ValidationError

from gen.triplets.plan import DEFAULT_MIX, Slot, make_plan, slots
from gen.vocab.triplets import load
from schemas.triplets import Draft, Example
from tests.support.llm_script import (
    NO_DRAFT,
    Action,
    Drafts,
    Request,
    answer,
    constant,
    drop,
    faults,
    hang,
    lognormal,
    slow_start,
    status,
    trickle,
)
from tests.support.llm_server import LlmServer
from tests.support.llm_weak import BODIES, WEAK
from tests.support.runs import TINY, until
from tests.support.written import judge

T = TypeVar("T")
SLOT = Slot("pair_swap", 12)
ID = f"{SLOT.id}.3"
NO_PLAN = "no plan in this name"
REQUEST = Request(ID, SLOT, 3, round=0, seen=0, arrival=0.0, raw=b"{}", cached=0)

good = Drafts()


def with_client(
    server: LlmServer, job: Callable[[AsyncOpenAI], Awaitable[T]], timeout: float = 10.0
) -> T:
    """The result of a job with a client that tries once."""

    async def run() -> T:
        async with AsyncOpenAI(
            base_url=server.base_url,
            api_key="none",
            max_retries=0,
            timeout=timeout,
            http_client=DefaultAioHttpClient(),
        ) as client:
            return await job(client)

    return asyncio.run(run())


async def ask(client: AsyncOpenAI, name: str = ID, text: str = "Go.") -> ChatCompletion:
    return await client.chat.completions.create(
        model="m",
        messages=[{"role": "user", "content": text}],
        extra_headers={"X-Request-Id": name},
    )


def asked(server: LlmServer, name: str = ID, timeout: float = 10.0) -> Choice:
    """The choice in the answer to one request."""
    return with_client(server, lambda client: ask(client, name), timeout).choices[0]


# --- the honest script ------------------------------------------------------------------


def test_it_answers_with_the_draft_of_the_plan_that_the_id_names() -> None:
    vocabulary = load()
    with LlmServer(good) as server:
        for slot in slots(7, DEFAULT_MIX):
            text = asked(server, f"{slot.id}.0").message.content
            draft = Draft.model_validate_json(text or "")
            assert isinstance(judge(make_plan(0, slot, 0), draft, vocabulary), Example)


def test_attempts_differ_and_a_repair_round_gets_the_draft_of_its_plan() -> None:
    with LlmServer(good) as server:
        first, other, repaired = (asked(server, name) for name in (ID, f"{SLOT.id}.4", f"{ID}.r1"))
    assert first == repaired != other


def test_where_the_grammar_has_no_draft_the_answer_is_one_that_fits_no_plan(
    tmp_path: Path,
) -> None:
    """`attr_bundle` needs words of two semantic slots; these are all of one."""
    shutil.copytree(TINY, tmp_path / "words")
    path = tmp_path / "words" / "adjectives.toml"
    path.write_text(path.read_text().replace("order =", 'slot = "all"\norder ='))
    few_words = Drafts(vocabulary=load(tmp_path / "words"))
    assert few_words.text(Slot("attr_bundle", 0), 0) == NO_DRAFT.model_dump_json()


def test_requests_without_a_plan_get_any_draft_in_turn() -> None:
    with LlmServer(good) as server:
        texts = {asked(server, NO_PLAN).message.content or "" for _ in range(5)}
    assert len({Draft.model_validate_json(text) for text in texts}) == 5


def test_usage_tells_tokens_and_how_many_of_them_the_prefix_cache_had() -> None:
    async def twice(client: AsyncOpenAI) -> list[dict[str, Any]]:
        texts = ["the same start " * 100 + tail for tail in ("one", "two")]
        return [(await ask(client, ID, text)).model_dump()["usage"] for text in texts]

    with LlmServer(good) as server:
        cold, warm = with_client(server, twice)
    assert 375 < cold["prompt_tokens"] == warm["prompt_tokens"] < 450
    assert cold["completion_tokens"] == len(good.text(SLOT, 3)) // 4
    assert cold["prompt_tokens_details"]["cached_tokens"] == 0
    assert 375 <= warm["prompt_tokens_details"]["cached_tokens"] < warm["prompt_tokens"]


# --- what goes wrong --------------------------------------------------------------------


@pytest.mark.parametrize("name", WEAK)
def test_what_weak_models_answer_is_a_completion_but_no_clean_draft(name: str) -> None:
    with LlmServer(lambda r: WEAK[name](r, good.text(SLOT, 3))) as server:
        choice = asked(server)
    whole = choice.finish_reason == "stop" and not choice.message.refusal
    if whole and choice.message.content is not None:
        with pytest.raises(ValidationError):
            Draft.model_validate_json(choice.message.content.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("name", BODIES)
def test_strange_bodies_are_no_completion(name: str) -> None:
    with LlmServer(lambda r: BODIES[name]) as server:
        with pytest.raises((AttributeError, IndexError, TypeError, ValueError, APIError)):
            assert asked(server).message.content
        assert server.entries[0].end == ("dropped" if BODIES[name].cut is not None else "answered")


@pytest.mark.parametrize(("code", "error"), [(429, RateLimitError), (500, InternalServerError)])
def test_an_error_status_comes_with_its_headers(code: int, error: type[APIStatusError]) -> None:
    busy = status(code, "busy", retry_after="7")
    with LlmServer(lambda r: busy) as server, pytest.raises(error, match="busy") as caught:
        asked(server)
    assert caught.value.response.headers["retry-after"] == "7"


def test_other_paths_are_not_found_and_are_noted() -> None:
    async def look_around(client: AsyncOpenAI) -> list[str]:
        with pytest.raises(NotFoundError):
            await client.models.retrieve("test")
        return [model.id async for model in client.models.list()]

    with LlmServer(good) as server:
        assert with_client(server, look_around) == ["test"]
        assert server.other == ["GET /v1/models/test", "GET /v1/models"]


@pytest.mark.parametrize("share", [0.0, 0.9])
def test_a_connection_drops_before_any_byte_or_within_the_body(share: float) -> None:
    with LlmServer(lambda r: drop(good(r), share)) as server:
        with pytest.raises(APIConnectionError):
            asked(server)
        assert server.ends == {"dropped": 1}


def test_a_hang_ends_when_the_client_leaves() -> None:
    with LlmServer(lambda r: hang(60)) as server:
        with pytest.raises(APITimeoutError):
            asked(server, timeout=0.1)
        until(lambda: server.ends == {"aborted": 1})
        assert server.in_flight == 0
        assert server.entries[0].seconds < 30


def test_a_trickle_is_whole_in_the_end_and_no_pause_in_it_is_long() -> None:
    with LlmServer(lambda r: trickle(good(r), 1.0)) as server:
        assert asked(server, timeout=0.6).message.content == good.text(SLOT, 3)
        assert server.entries[0].seconds > 0.8


def test_a_dead_server_refuses_and_comes_back_at_the_same_address() -> None:
    with LlmServer(good) as server:
        address = server.base_url
        server.stop()
        with pytest.raises(APIConnectionError):
            asked(server)
        server.start()
        assert asked(server).message.content
    assert server.base_url == address
    assert server.ends == {"answered": 1}


def test_it_holds_hundreds_at_once_and_drops_them_when_it_stops() -> None:
    async def crowd(client: AsyncOpenAI) -> list[ChatCompletion | BaseException]:
        asking = asyncio.gather(*(ask(client) for _ in range(300)), return_exceptions=True)
        while server.in_flight < 300:
            await asyncio.sleep(0.01)
        await asyncio.to_thread(server.stop)
        return await asking

    with LlmServer(lambda r: hang(60)) as server:
        errors = with_client(server, crowd, timeout=60)
    assert all(isinstance(error, APIConnectionError) for error in errors)
    assert server.peak == 300
    assert server.ends == {"dropped": 300}
    assert server.in_flight == 0


def test_an_error_in_a_script_is_raised_when_the_server_is_left() -> None:
    broken = LlmServer(lambda r: status(1 // r.seen))
    with pytest.raises(ZeroDivisionError), broken, pytest.raises(APIConnectionError):
        asked(broken)


# --- what it counts ---------------------------------------------------------------------


def test_a_script_sees_how_often_an_id_was_asked_for_and_the_whole_request() -> None:
    met: list[Request] = []

    def second_time(request: Request) -> Action:
        met.append(request)
        return good(request) if request.seen else status(500)

    with LlmServer(second_time) as server:
        with pytest.raises(InternalServerError):
            asked(server)
        asked(server)
        assert server.seen == {ID: 2}
    assert [(r.slot, r.attempt, r.round, r.seen) for r in met] == [(SLOT, 3, 0, 0), (SLOT, 3, 0, 1)]
    assert met[0].prompt == "Go."
    assert met[0].body["model"] == "m"
    assert met[0].arrival < met[1].arrival


# --- latencies and the mix of faults ----------------------------------------------------


def test_latencies_are_what_they_are_called() -> None:
    many = [replace(REQUEST, id=str(number), arrival=float(number)) for number in range(1000)]
    assert {constant(0.2)(request) for request in many} == {0.2}
    assert median(map(lognormal(0.2), many)) == pytest.approx(0.2, rel=0.1)
    assert max(map(lognormal(0.2), many)) > 0.6
    assert [*map(lognormal(0.2), many)] == [*map(lognormal(0.2), many)]
    assert [*map(slow_start(2.0, 0.2, 10), many)] == [2.0] * 10 + [0.2] * 990


def test_one_request_in_five_meets_a_fault_and_which_one_is_drawn_by_id_and_count() -> None:
    def kind(request: Request, seed: int = 0) -> str:
        action = faults(lambda r: answer(r, "a whole draft"), seed)(request)
        if action.status != 200:
            return str(action.status)
        return "late" if action.after else "whole" if b"a whole draft" in action.body else "broken"

    many = [replace(REQUEST, id=str(number)) for number in range(5_000)]
    counts = Counter(map(kind, many))
    expected = {"429": 500, "500": 250, "broken": 250, "late": 100, "whole": 3900}
    assert counts.keys() == expected.keys()
    for name, number in expected.items():
        assert counts[name] == pytest.approx(number, rel=0.2), name
    assert [*map(kind, many)] == [*map(kind, many)]
    again = [replace(request, seen=1) for request in many]
    assert [*map(kind, many)] != [*map(kind, again)]
    assert [*map(kind, many)] != [kind(request, 1) for request in many]
