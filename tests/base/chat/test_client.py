"""The client: faults are told apart, counted and outlived; servers are balanced and set aside."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import count, pairwise, takewhile
from statistics import median
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gen.base.chat.backend import Answer, Request, RequestFailedError
from gen.base.chat.client import OpenAIBackend
from gen.base.chat.endpoints import ClientPolicy, Deadline
from gen.base.draws import Draws
from tests.support import llm_runs
from tests.support import llm_script as script
from tests.support.llm_runs import QUICK, tries
from tests.support.llm_script import Action, Script, answer, drop, hang, status, trickle
from tests.support.llm_server import LlmServer
from tests.support.llm_weak import BODIES
from tests.support.runs import until

T = TypeVar("T")
REAL = ClientPolicy()
Ended = Answer | Exception


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    llm_runs.quicken(monkeypatch)


@pytest.fixture
def serve() -> Iterator[Callable[[Script], LlmServer]]:
    """Starts servers; in the end none of them was asked for anything but completions."""
    with ExitStack() as stack:
        servers: list[LlmServer] = []

        def start(script: Script) -> LlmServer:
            servers.append(stack.enter_context(LlmServer(script)))
            return servers[-1]

        yield start
        assert [server.other for server in servers] == [[] for _ in servers]


Serve = Callable[[Script], LlmServer]


def with_backend(
    servers: Sequence[LlmServer | str],
    job: Callable[[OpenAIBackend], Awaitable[T]],
    timeout: float = 30.0,
    sampling: dict[str, Any] | None = None,
    **policy: Any,
) -> T:
    """The result of a job with the client of a run, with some fields of its policy."""

    async def run() -> T:
        urls = [server if isinstance(server, str) else server.base_url for server in servers]
        backend = OpenAIBackend("m", urls, sampling or {}, timeout, replace(QUICK, **policy))
        try:
            async with asyncio.timeout(30):
                return await job(backend)
        finally:
            await backend.close()

    done = asyncio.run(run())
    known = [server for server in servers if isinstance(server, LlmServer)]
    until(lambda: not any(server.in_flight for server in known))  # it has noted them all
    return done


def request(number: int = 0) -> Request:
    return Request(
        f"pair_swap-{number:06d}.0", ({"role": "user", "content": "Go."},), {"type": "object"}
    )


async def at_once(backend: OpenAIBackend, numbers: range) -> list[Ended]:
    """How each of many requests ended."""
    asking = (backend.ask(request(number)) for number in numbers)
    ended = await asyncio.gather(*asking, return_exceptions=True)
    assert all(isinstance(one, Ended) for one in ended)
    return [one for one in ended if isinstance(one, Ended)]


def ask(
    servers: Sequence[LlmServer | str], n: int = 1, timeout: float = 30.0, **policy: Any
) -> list[Ended]:
    """How n requests at once ended."""
    return with_backend(servers, lambda backend: at_once(backend, range(n)), timeout, **policy)


def good(request: script.Request) -> Action:
    return answer(request, f"text of {request.id}")


def first(action: Action) -> Script:
    """Each request meets this the first time, and a good answer then."""
    return lambda request: good(request) if request.seen else action


def faults_of(ended: list[Ended]) -> Counter[str]:
    """All faults that requests met."""
    met = Counter[str]()
    for one in ended:
        assert isinstance(one, Answer | RequestFailedError)
        met += one.faults
    return met


# --- an answer --------------------------------------------------------------------------


def test_an_answer_comes_with_why_it_ended_and_what_it_took(serve: Serve) -> None:
    server = serve(script.delayed(lambda r: answer(r, "x" * 40, "length"), script.constant(0.1)))

    async def twice(backend: OpenAIBackend) -> tuple[Answer, Answer]:
        return await backend.ask(request()), await backend.ask(request())

    cold, warm = with_backend([server], twice)
    assert (cold.text, cold.finish, cold.completion_tokens) == ("x" * 40, "length", 10)
    assert 20 < cold.prompt_tokens == warm.prompt_tokens
    assert cold.cached_tokens == 0 < warm.cached_tokens <= warm.prompt_tokens
    assert 0.1 <= cold.seconds < 2
    assert not cold.faults


def test_a_request_is_sent_as_it_is_with_the_schema_and_the_sampling(serve: Serve) -> None:
    met: list[script.Request] = []

    def note(request: script.Request) -> Action:
        met.append(request)
        return good(request)

    server = serve(note)
    sampling = {"temperature": 0.5, "max_tokens": 77, "chat_template_kwargs": {"x": [1]}}
    with_backend([server], lambda backend: backend.ask(request(7)), sampling=sampling)
    assert [one.id for one in met] == ["pair_swap-000007.0"]
    assert met[0].body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Go."}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "draft", "strict": True, "schema": {"type": "object"}},
        },
        **sampling,
    }


def test_a_thousand_at_once_are_a_thousand_at_once_and_none_fails(serve: Serve) -> None:
    server = serve(script.delayed(good, script.constant(2.5)))
    ended = ask([server], 1000, timeout=60)
    assert {one.text for one in ended if isinstance(one, Answer)} == {
        f"text of pair_swap-{number:06d}.0" for number in range(1000)
    }
    assert faults_of(ended) == {}
    assert server.peak == 1000
    assert server.seen.total() == 1000


# --- faults of one request --------------------------------------------------------------

MENDED: dict[str, tuple[Action, str]] = {
    "429": (status(429), "request_throttled"),
    "500": (status(500), "request_server_error"),
    "408": (status(408), "request_server_error"),
    "409": (status(409), "request_server_error"),
    "502": (status(502), "request_unavailable"),
    "503": (status(503), "request_unavailable"),
    "504": (status(504), "request_unavailable"),
    **{f"body {name}": (action, "request_garbled") for name, action in BODIES.items()},
    "body html_502": (BODIES["html_502"], "request_unavailable"),
    "body no_byte": (BODIES["no_byte"], "request_dropped"),
    "body half_a_body": (BODIES["half_a_body"], "request_dropped"),
    "body of nothing but a head": (drop(Action(b"x" * 900), 0.1), "request_dropped"),
    "closed after a while": (hang(0.1), "request_dropped"),
}


@pytest.mark.parametrize("fault", MENDED)
def test_what_goes_wrong_once_is_tried_again_and_counted(serve: Serve, fault: str) -> None:
    action, reason = MENDED[fault]
    server = serve(first(action))
    [ended] = ask([server])
    assert isinstance(ended, Answer)
    assert ended.text == "text of pair_swap-000000.0"
    assert ended.faults == {reason: 1}
    assert server.seen == {"pair_swap-000000.0": 2}


@pytest.mark.parametrize(
    ("code", "reason"), [(500, "request_server_error"), (200, "request_garbled")]
)
def test_what_goes_wrong_each_time_is_given_up(serve: Serve, code: int, reason: str) -> None:
    server = serve(lambda r: status(code, "out of luck"))
    [ended] = ask([server])
    assert isinstance(ended, RequestFailedError)
    assert (ended.reason, ended.faults) == (reason, {reason: QUICK.retry.tries})
    assert code == 200 or "HTTP 500: " in ended.said
    assert code == 200 or "out of luck" in ended.said
    assert server.seen.total() == QUICK.retry.tries


@pytest.mark.parametrize("code", [400, 413, 422])
def test_what_a_server_refuses_is_not_sent_again(serve: Serve, code: int) -> None:
    server = serve(lambda r: status(code, "too long\nby far") if r.id.endswith("3.0") else good(r))
    ended = ask([server], 5)
    [failed] = [one for one in ended if not isinstance(one, Answer)]
    assert isinstance(failed, RequestFailedError)
    assert failed.reason == "request_refused"
    assert failed.said.startswith(f"HTTP {code}: ")
    assert "too long by far" in failed.said, "in one line"
    assert server.seen.total() == 5


def test_faults_before_a_refusal_are_counted_too(serve: Serve) -> None:
    server = serve(lambda r: status(400 if r.seen else 500))
    [failed] = ask([server])
    assert isinstance(failed, RequestFailedError)
    assert failed.faults == {"request_server_error": 1, "request_refused": 1}


def test_every_fault_is_counted_by_its_reason(serve: Serve) -> None:
    """Whatever is sent is an answer or a fault, and the server's count is the client's."""
    kinds = [
        (status(429, retry_after="0"), "request_throttled"),
        (status(500), "request_server_error"),
        (drop(Action(b"")), "request_dropped"),
        (BODIES["truncated"], "request_garbled"),
        (hang(60), "request_timeout"),
    ]
    sent = Counter[str]()

    def one_in_five(request: script.Request) -> Action:
        draw = Draws("faults", request.id, request.seen).below(25)
        if draw >= len(kinds) or request.slot is None or request.slot.index < 40:
            return good(request)
        action, reason = kinds[draw]
        sent[reason] += 1
        return action

    server = serve(one_in_five)

    async def learn_then_meet(backend: OpenAIBackend) -> list[Ended]:
        return [*await at_once(backend, range(40)), *await at_once(backend, range(40, 200))]

    ended = with_backend([server], learn_then_meet)
    assert faults_of(ended) == sent
    assert set(sent) == {reason for _, reason in kinds}
    answered = sum(isinstance(one, Answer) for one in ended)
    assert server.seen.total() == answered + sent.total()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=4,
)
COUNTS = st.integers(0, 99) | st.none() | JSON
MESSAGES = st.fixed_dictionaries(
    {"content": st.text(max_size=4) | st.none() | JSON}, optional={"refusal": st.none() | JSON}
)
USAGES = st.fixed_dictionaries({"prompt_tokens": COUNTS, "completion_tokens": COUNTS})
CHOICES = st.fixed_dictionaries({"message": MESSAGES, "finish_reason": st.text(max_size=4) | JSON})
COMPLETIONS = st.fixed_dictionaries(
    {"choices": st.lists(CHOICES, min_size=1, max_size=1)}, optional={"usage": USAGES | JSON}
)


@settings(max_examples=8)
@given(st.lists(COMPLETIONS | JSON, min_size=10, max_size=40))
def test_any_body_is_an_answer_in_words_or_garbled(bodies: list[Any]) -> None:
    """Also what JSON itself does not allow (NaN), and texts of a list of parts."""

    def body(request: script.Request) -> Action:
        assert request.slot is not None
        return Action(json.dumps(bodies[request.slot.index]).encode())

    with LlmServer(body) as server:
        for one in ask([server], len(bodies), retry=tries(1)):
            if isinstance(one, Answer):
                assert isinstance(one.text, str)
                assert isinstance(one.finish, str)
                assert isinstance(one.prompt_tokens, int)
                assert isinstance(one.completion_tokens, int)
            else:
                assert isinstance(one, RequestFailedError)
                assert one.reason == "request_garbled"


# --- waiting ----------------------------------------------------------------------------


def gap(server: LlmServer) -> float:
    """Seconds between the end of a request and the next one."""
    one, other = sorted(server.entries, key=lambda entry: entry.arrival)
    return other.arrival - one.arrival - one.seconds


@pytest.mark.parametrize("code", [429, 503])
def test_retry_after_in_seconds_is_kept(serve: Serve, code: int) -> None:
    server = serve(first(status(code, retry_after="0.4")))
    ask([server])
    assert 0.4 <= gap(server) < 1.5


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "soon",
        "-5",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Mon, 99 Foo 2026",
        "nan",
        "inf",
        "-",
    ],
)
@pytest.mark.parametrize("code", [429, 503])
def test_without_a_time_to_wait_for_there_is_a_short_pause(
    serve: Serve, code: int, value: str | None
) -> None:
    headers = {} if value is None else {"retry_after": value}
    server = serve(first(status(code, **headers)))
    [ended] = ask([server])
    assert isinstance(ended, Answer)
    assert gap(server) < 1


@pytest.mark.parametrize("code", [429, 500])
def test_the_pause_doubles_from_try_to_try_and_is_never_the_same(serve: Serve, code: int) -> None:
    server = serve(lambda r: status(code) if r.seen < 5 else good(r))
    ask([server], 30, retry=replace(QUICK.retry, backoff=0.05))
    arrivals: dict[str, list[float]] = {}
    for entry in sorted(server.entries, key=lambda entry: entry.arrival):
        arrivals.setdefault(entry.id, []).append(entry.arrival)
    pauses = [[b - a for a, b in pairwise(times)] for times in arrivals.values()]
    means = [sum(column) / len(column) for column in zip(*pauses, strict=True)]
    assert all(later > earlier for earlier, later in pairwise(means))
    spread = [last for *_, last in pauses]
    assert max(spread) > 1.5 * min(spread), "or all would come back at the same moment"


def test_a_server_that_only_says_wait_ends_the_run(serve: Serve) -> None:
    server = serve(lambda r: status(429, "slow down", retry_after="0.1"))
    [ended] = ask([server], retry=replace(QUICK.retry, throttled=0.35))
    assert isinstance(ended, ConnectionError)
    assert f"{server.base_url}/: HTTP 429: " in str(ended)
    assert "slow down" in str(ended)
    assert server.seen.total() == 4


def test_a_server_that_is_away_for_a_day_does_not_keep_a_request_for_a_day(serve: Serve) -> None:
    away, other = serve(lambda r: status(503, retry_after="86400")), serve(good)
    ended = ask([away, other], 20, retry=replace(QUICK.retry, longest_backoff=0.1))
    assert all(isinstance(one, Answer) for one in ended)


# --- deadlines --------------------------------------------------------------------------

SLOW: dict[str, Script] = {
    "hang": first(hang(60)),
    "hang after the head": first(Action(b"x" * 4000, over=60)),
    "trickle": lambda r: good(r) if r.seen else trickle(good(r), 60),
}


@pytest.mark.parametrize(("kind", "sweep"), [*((kind, 0.02) for kind in SLOW), ("hang", 0.0)])
def test_what_takes_much_longer_than_the_latest_answers_is_asked_again(
    serve: Serve, kind: str, sweep: float
) -> None:
    """Twice, many at once: whoever watches the time outlives what it ends.

    Also where it looks again before a request that it has ended is gone.
    """
    server = serve(lambda r: good(r) if r.slot and r.slot.index < 40 else SLOW[kind](r))

    async def learn_then_wait(backend: OpenAIBackend) -> list[Ended]:
        await at_once(backend, range(40))
        started = time.monotonic()
        waves = [await at_once(backend, range(n, n + 30)) for n in (40, 70)]
        assert time.monotonic() - started < 8
        return [*waves[0], *waves[1]]

    ended = with_backend([server], learn_then_wait, timeout=600, sweep=sweep, floor=0.25)
    assert faults_of(ended) == {"request_timeout": 60}
    assert all(isinstance(one, Answer) for one in ended)
    assert server.ends["aborted"] == 60


def test_before_there_are_answers_to_judge_by_the_setting_holds(serve: Serve) -> None:
    server = serve(first(hang(60)))
    [ended] = ask([server], timeout=0.4)
    assert isinstance(ended, Answer)
    assert ended.faults == {"request_timeout": 1}
    assert server.entries[0].seconds > 0.35


def test_a_slow_server_is_not_taken_for_a_hanging_one(serve: Serve) -> None:
    server = serve(script.delayed(good, script.constant(0.5)))

    async def waves(backend: OpenAIBackend) -> list[Ended]:
        return [one for n in (0, 30) for one in await at_once(backend, range(n, n + 30))]

    assert faults_of(with_backend([server], waves, floor=0.1)) == {}


def test_a_long_answer_gets_more_time_with_each_try(serve: Serve) -> None:
    """One that takes 1 s where the others take none is had in the end."""
    late = script.delayed(good, script.constant(1.0))
    server = serve(lambda r: late(r) if r.slot and r.slot.index == 40 else good(r))

    async def learn_then_wait(backend: OpenAIBackend) -> Answer:
        await at_once(backend, range(40))
        return await backend.ask(request(40))

    ended = with_backend([server], learn_then_wait, floor=0.3)
    assert 0 < ended.faults["request_timeout"] < QUICK.retry.tries
    assert ended.seconds >= 1.0, "the try that was answered"


def given_up_after(deadline: Deadline, sent: float, late: int = 0, beside: int = 0) -> float:
    """Seconds after which a request that was sent then is given up, to a millisecond.

    So many others wait `beside` it, sent at the same time.
    """
    low, high = 0.0, 1e5
    while high - low > 1e-3:
        middle = (low + high) / 2
        overdue, *_ = deadline.overdue(sent + middle, [(sent, late)] * (1 + beside))
        low, high = (low, middle) if overdue else (middle, high)
    return high


def deadline_after(seconds: Sequence[float], most: float) -> Deadline:
    """One that has seen these answers, to requests sent a second apart."""
    deadline = Deadline(most, REAL)
    for place, one in enumerate(seconds):
        deadline.answered(float(place), one)
    return deadline


@given(
    st.lists(st.floats(0, 100), min_size=10, max_size=60),
    st.integers(0, REAL.retry.tries - 1),
    st.floats(0.1, 1000),
    st.integers(0, 80),
)
def test_a_deadline_is_between_its_bounds(
    seconds: list[float], late: int, most: float, sent: int
) -> None:
    """It doubles with each try; the latest requests, which nothing has overtaken, have longer."""
    deadline = deadline_after(seconds, most)
    limit = given_up_after(deadline, sent, late, beside=REAL.enough)
    if len(seconds) < REAL.enough:
        assert limit == pytest.approx(most, abs=2e-3)
        return
    overtaken = sent < len(seconds) - REAL.overtaken
    factor = 2**late * (1 if overtaken else REAL.stalled)
    least = factor * max(REAL.floor, REAL.factor * median(seconds))
    assert min(least, most) - 2e-3 <= limit <= most + 2e-3
    assert limit <= factor * max(REAL.floor, REAL.factor * max(seconds)) + 2e-3


def test_a_few_late_answers_give_the_others_no_more_time() -> None:
    seconds = [60.0 if number % 20 == 7 else 1.0 for number in range(100)]
    limit = given_up_after(deadline_after(seconds, 600.0), sent=0.0)
    assert limit == pytest.approx(REAL.factor * 1.0, abs=2e-3)


def test_a_server_that_stands_still_for_once_is_given_more_time_than_a_lost_request() -> None:
    """Told by a crowd that waits with the request, and by no later one's being answered."""
    deadline, usual = deadline_after([1.0] * 100, 600.0), REAL.factor
    crowd = REAL.enough
    stalled = REAL.stalled * usual
    assert given_up_after(deadline, 0.0, beside=crowd) == pytest.approx(usual, abs=2e-3)
    assert given_up_after(deadline, 99.0, beside=crowd) == pytest.approx(stalled, abs=2e-3)
    assert given_up_after(deadline, 99.0) == pytest.approx(usual, abs=2e-3)


def test_a_request_that_is_left_leaves_no_trace(serve: Serve) -> None:
    server = serve(lambda r: hang(60))

    async def leave(backend: OpenAIBackend) -> None:
        asking = asyncio.create_task(backend.ask(request()))
        await asyncio.to_thread(until, lambda: server.in_flight == 1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    with_backend([server], leave)
    assert server.ends == {"aborted": 1}


# --- faults of all requests -------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "named"),
    [
        (401, "OPENAI_API_KEY"),
        (403, "OPENAI_API_KEY"),
        (404, "check --base-url (it ends in /v1) and the model's name"),
    ],
)
def test_what_no_request_can_pass_ends_the_run_in_one_line(
    serve: Serve, code: int, named: str
) -> None:
    server = serve(lambda r: status(code, "no such\nthing"))
    [ended] = ask([server])
    assert isinstance(ended, ValueError)
    assert str(ended).startswith(f"{server.base_url}/: HTTP {code}: ")
    assert "no such thing" in str(ended)
    assert named in str(ended)
    assert server.seen.total() == 1


def test_used_up_credit_ends_the_run_at_once(serve: Serve) -> None:
    error = {"message": "You exceeded your quota.", "code": "insufficient_quota", "type": "x"}
    server = serve(lambda r: Action(json.dumps({"error": error}).encode(), 429))
    [ended] = ask([server])
    assert isinstance(ended, ConnectionError)
    assert "You exceeded your quota." in str(ended)
    assert server.seen.total() == 1


def test_without_an_address_a_key_is_needed() -> None:
    with pytest.raises(ValueError, match="no --base-url and no OPENAI_API_KEY"):
        ask([])


def test_with_a_key_the_address_may_come_from_the_environment(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(good)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-as-a-shell-may-read-it-from-a-file\n")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    [ended] = ask([])
    assert isinstance(ended, Answer)


@pytest.mark.parametrize("slash", ["", "/"])
def test_an_address_may_end_in_a_slash(serve: Serve, slash: str) -> None:
    server = serve(good)
    [ended] = ask([server.base_url + slash])
    assert isinstance(ended, Answer)


def test_what_is_somewhere_else_now_is_not_followed(serve: Serve) -> None:
    """A run talks to the servers that it was told of and to no other."""
    other = serve(good)
    place = f"{other.base_url}/chat/completions"
    server = serve(lambda r: Action(b"", 307, (("Location", place),)))
    [ended] = ask([server])
    assert isinstance(ended, RequestFailedError)
    assert ended.reason == "request_refused"
    assert other.seen.total() == 0


# --- several servers --------------------------------------------------------------------


async def steadily(
    backend: OpenAIBackend, numbers: Iterable[int], in_flight: int = 16
) -> list[Ended]:
    """How each request ended, with so many in flight as in a run."""
    source, ended = iter(numbers), list[Ended]()

    async def work() -> None:
        for number in source:
            ended.extend(await at_once(backend, range(number, number + 1)))

    await asyncio.gather(*(work() for _ in range(in_flight)))
    return ended


def test_servers_of_one_speed_share_the_work(serve: Serve) -> None:
    servers = [serve(script.delayed(good, script.constant(0.03))) for _ in range(3)]
    ended = with_backend(servers, lambda backend: steadily(backend, range(300)))
    assert all(isinstance(one, Answer) for one in ended)
    assert all(70 <= server.seen.total() <= 130 for server in servers)
    assert all(server.peak <= 7 for server in servers), "16 in flight, over three"


def test_a_faster_server_gets_more_of_it(serve: Serve) -> None:
    slow = serve(script.delayed(good, script.constant(0.3)))
    fast = serve(script.delayed(good, script.constant(0.03)))
    with_backend([slow, fast], lambda backend: steadily(backend, range(200)))
    assert slow.seen.total() * 3 < fast.seen.total()


def test_a_server_that_is_away_is_set_aside_and_probed_until_it_is_back(serve: Serve) -> None:
    met: list[tuple[float, int]] = []

    def away(request: script.Request) -> Action:
        met.append((request.arrival, gone.in_flight))
        return replace(status(503), after=0.1)

    gone = serve(away)
    other = serve(script.delayed(good, script.constant(0.03)))

    async def leave_and_return(backend: OpenAIBackend) -> list[Ended]:
        ended = await steadily(backend, range(800))
        probes = [there for arrival, there in met if arrival > met[0][0] + 0.5]
        assert 0 < len(probes) < 20
        assert set(probes) == {1}, "one at a time"
        gone.script = good
        before = gone.seen.total()
        ended += await steadily(backend, range(800, 1200))
        assert gone.seen.total() - before > 120, "and then its share"
        return ended

    ended = with_backend([gone, other], leave_and_return)
    assert all(isinstance(one, Answer) for one in ended)
    assert set(faults_of(ended)) == {"request_unavailable"}


def test_a_server_that_dies_with_requests_in_flight_takes_none_with_it(serve: Serve) -> None:
    one, other = (serve(script.delayed(good, script.constant(0.05))) for _ in range(2))

    def asked(server: LlmServer, more: int) -> Awaitable[None]:
        goal = server.seen.total() + more
        return asyncio.to_thread(until, lambda: server.seen.total() > goal)

    async def die_and_return(backend: OpenAIBackend) -> list[Ended]:
        going_on = [True]
        numbers = takewhile(lambda number: going_on, count())
        working = asyncio.create_task(steadily(backend, numbers))
        await asked(one, 40)
        await asyncio.to_thread(one.stop)
        await asked(other, 100)
        await asyncio.to_thread(one.start)
        await asked(one, 40)
        going_on.clear()
        return await working

    ended = with_backend([one, other], die_and_return)
    assert all(isinstance(one, Answer) for one in ended)
    assert set(faults_of(ended)) == {"request_dropped"}


def test_the_only_server_may_restart(serve: Serve) -> None:
    server = serve(script.delayed(good, script.constant(0.02)))

    async def restart(backend: OpenAIBackend) -> list[Ended]:
        working = asyncio.create_task(steadily(backend, range(200)))
        await asyncio.to_thread(until, lambda: server.seen.total() > 50)
        await asyncio.to_thread(server.stop)
        await asyncio.sleep(0.3)
        await asyncio.to_thread(server.start)
        return await working

    ended = with_backend([server], restart)
    assert sum(isinstance(one, Answer) for one in ended) == 200


@pytest.mark.parametrize("moment", ["before the first answer", "after it"])
def test_when_all_servers_are_gone_the_run_ends_and_names_them(serve: Serve, moment: str) -> None:
    servers = [serve(good), serve(good)]

    async def lose_all(backend: OpenAIBackend) -> tuple[list[Ended], float]:
        if moment == "after it":
            await at_once(backend, range(10))
        for server in servers:
            await asyncio.to_thread(server.stop)
        started = time.monotonic()
        asking = asyncio.create_task(at_once(backend, range(10, 40)))
        await asyncio.sleep(0.2)
        late = await at_once(backend, range(40, 41))  # finds them set aside already
        return await asking + late, time.monotonic() - started

    ended, seconds = with_backend(servers, lose_all)
    outage = QUICK.outage if moment == "after it" else QUICK.first_outage
    assert outage <= seconds < outage + 3
    for one in ended:
        assert isinstance(one, ConnectionError)
        for server in servers:
            assert server.base_url in str(one)
        assert "onnect" in str(one), "what the last failure was"
        assert "\n" not in str(one)


def test_a_name_that_leads_nowhere_is_a_server_that_is_away() -> None:
    for one in ask(["http://nowhere.invalid/v1"], 20):
        assert isinstance(one, ConnectionError)
        assert "http://nowhere.invalid/v1" in str(one)
