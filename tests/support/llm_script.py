"""What the language-model server of the tests does: requests, actions, and scripts between them.

A script is a function from a request to an action. `Drafts` is the honest one; `faults`,
`delayed` or a test's own function stand around it:

    good = Drafts()
    script = lambda request: good(request) if request.seen else status(500)
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from random import Random
from typing import Any

from gen.base.draws import Draws
from gen.triplets.accept import NO_GUIDANCE
from gen.triplets.grammar import GrammarWriter
from gen.triplets.plan import DEFAULT_MIX, Slot, make_plan, slots
from gen.vocab.triplets import Vocabulary, load
from schemas.triplets import Draft, Rejected


@dataclass(frozen=True, slots=True)
class Request:
    """One chat completion that a client asks for."""

    id: str
    """The header X-Request-Id, `<slot>.<plan attempt>[.r<repair round>]`; else a body digest."""
    slot: Slot | None
    """None when the client sent no such header."""
    attempt: int
    round: int
    """Repair round; 0 asks for the first answer to a plan."""
    seen: int
    """How often this id was asked for before."""
    arrival: float
    """`time.monotonic()` when the request was complete."""
    raw: bytes
    cached: int
    """Tokens at its start that it shares with the construction's request before it."""

    @property
    def body(self) -> dict[str, Any]:
        """The JSON that the client sent."""
        found: dict[str, Any] = json.loads(self.raw)
        return found

    @property
    def prompt(self) -> str:
        """The text of its messages."""
        return "\n".join(message["content"] for message in self.body["messages"])


@dataclass(frozen=True, slots=True)
class Action:
    """One HTTP response and its timing. A client that leaves ends it at any point."""

    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    after: float = 0.0
    """Seconds until its first byte."""
    over: float = 0.0
    """Seconds over which it comes, a few bytes at a time; 0: at once."""
    cut: float | None = None
    """Share of it after which the connection is dropped; 0: before any byte."""


Script = Callable[[Request], Action]


def answer(
    request: Request,
    text: str | None,
    finish_reason: str | None = "stop",
    refusal: str | None = None,
) -> Action:
    """A chat completion with this text. A token is four characters, the request's JSON included."""
    prompt, completion = len(request.raw) // 4, len(text or "") // 4
    message = {"role": "assistant", "content": text, "refusal": refusal}
    body = {
        "id": f"chatcmpl-{request.id}",
        "object": "chat.completion",
        "created": 0,
        "model": "test",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": request.cached},
        },
    }
    return Action(json.dumps(body).encode())


def status(code: int, message: str = "as told", **headers: str) -> Action:
    """An error as OpenAI's API words it; `retry_after="1"` sets the header Retry-After."""
    error = {"message": message, "type": "error", "param": None, "code": None}
    named = tuple((name.replace("_", "-").title(), value) for name, value in headers.items())
    return Action(json.dumps({"error": error}).encode(), code, named)


def hang(seconds: float) -> Action:
    """Silence, then a closed connection."""
    return Action(b"", after=seconds, cut=0.0)


def drop(action: Action, share: float = 0.0) -> Action:
    """The connection closes after this share of the response."""
    return replace(action, cut=share)


def trickle(action: Action, seconds: float) -> Action:
    """The response comes a few bytes at a time."""
    return replace(action, over=seconds)


class Drafts:
    """The honest script: the grammar writer's draft for each plan, written once and kept."""

    def __init__(self, seed: int = 0, vocabulary: Vocabulary | None = None) -> None:
        self.seed = seed
        self._writer = GrammarWriter(vocabulary or load())
        self._texts: dict[tuple[Slot, int], str] = {}
        self._common: list[str] = []
        self._number = count()

    def __call__(self, request: Request) -> Action:
        """Answer with the plan's draft; a request that names no plan gets any, in turn."""
        if request.slot is not None:
            return answer(request, self.text(request.slot, request.attempt))
        if not self._common:
            self._common = [*self._texts.values()] or [self.text(slot, 0) for slot in FEW]
        return answer(request, self._common[next(self._number) % len(self._common)])

    def prepare(self, n: int, attempts: int = 1) -> None:
        """Write the drafts that a run of `n` asks for first, so that serving costs little CPU."""
        for slot in slots(n, DEFAULT_MIX):
            for attempt in range(attempts):
                self.text(slot, attempt)

    def text(self, slot: Slot, attempt: int) -> str:
        """The draft of a plan as JSON; where the grammar has none, one that fits no plan."""
        key = slot, attempt
        if key not in self._texts:
            draft = self._writer.write(make_plan(self.seed, slot, attempt), NO_GUIDANCE)
            self._texts[key] = (
                NO_DRAFT if isinstance(draft, Rejected) else draft
            ).model_dump_json()
        return self._texts[key]


FEW = tuple(slots(100, DEFAULT_MIX))
NO_DRAFT = Draft(objects=("banner",), attributes=(("red",),), positive="A red banner.")


def delayed(script: Script, latency: Callable[[Request], float]) -> Script:
    """The same actions, each after a latency."""

    def act(request: Request) -> Action:
        action = script(request)
        return replace(action, after=action.after + latency(request))

    return act


def constant(seconds: float) -> Callable[[Request], float]:
    """Every answer takes as long."""
    return lambda request: seconds


def lognormal(median: float, sigma: float = 0.5, seed: int = 0) -> Callable[[Request], float]:
    """Seconds with a long tail; the same request (id and count) always takes as long."""
    return lambda r: median * Random(f"{seed} {r.id} {r.seen}").lognormvariate(0, sigma)


def slow_start(cold: float, warm: float, seconds: float) -> Callable[[Request], float]:
    """`cold` for what arrives in the first `seconds` after the first request, then `warm`."""
    first: list[float] = []

    def latency(request: Request) -> float:
        first[:] = first or [request.arrival]
        return cold if request.arrival - first[0] < seconds else warm

    return latency


def faults(script: Script, seed: int = 0) -> Script:
    """One request in five goes wrong, drawn by its id and how often it was seen.

    10 % 429 with Retry-After 1, 5 % 500, 5 % a broken draft, 2 % answered 30 s later.
    """

    def act(request: Request) -> Action:
        draw = Draws("faults", seed, request.id, request.seen).below(100)
        if draw < 10:
            return status(429, "too many requests", retry_after="1")
        if draw < 15:
            return status(500, "internal error")
        good = script(request)
        if draw < 20:
            text = json.loads(good.body)["choices"][0]["message"]["content"]
            return answer(request, text[: len(text) // 2])
        return replace(good, after=good.after + 30) if draw < 22 else good

    return act
