"""The run loop of a language model: many slots at once, answers judged in the order they come.

Each worker takes the next slot and stays with it until it is filled or given up, so a slot
that fails forever holds one of them and nothing else. All state is in one thread: an answer
is judged, offered and put on record without a pause, however many are in flight.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import Any

from pydantic_core import to_json

from gen.base.chat.backend import Backend, Message, Request, RequestFailedError
from gen.base.chat.breaker import Breaker, Limits
from gen.base.chat.parse import CAUSES
from gen.triplets.constructions import BY_NAME
from gen.triplets.models.drafts import schema
from gen.triplets.models.ledger import Ledger
from gen.triplets.models.record import Exchange
from gen.triplets.plan import Plan, Slot, make_plan
from gen.triplets.prompts import render, render_repair
from gen.triplets.state import ACCEPTOR_REASONS, State

EVERY = 0.2
"""Seconds between writes to disk (and looks at the display)."""
SHOWN = 4000
"""Characters of a rejected answer that the model is shown again."""
FAILING = Limits(first=100, later=1000)
"""Answers in a row that fail every check after which a run stops: before its first row, and
after. What the acceptor rejects does not count: full caps are no fault of the model."""


class Flow:
    """One run with one backend."""

    def __init__(self, ledger: Ledger, backend: Backend, repair: int) -> None:
        """`repair` is how often a rejected draft is sent back before its slot is tried afresh."""
        self._ledger, self._backend, self._repair = ledger, backend, repair
        self._breaker = Breaker(FAILING)
        self._said = ""
        """What was said the last time that there was no answer."""

    async def fill(
        self, slots: Iterable[Slot], in_flight: int, tick: Callable[[State], None]
    ) -> None:
        """Fill slots; `tick` is called after each write to disk.

        Raises:
            ValueError, ConnectionError: as `Backend.ask`, or when nearly everything fails.
        """
        source = iter(slots)
        writer = asyncio.create_task(self._write(tick))
        workers = [asyncio.create_task(self._work(source)) for _ in range(in_flight)]
        work = asyncio.gather(*workers)
        try:
            # The writer ends before the work only where the disk fails it.
            ends: set[asyncio.Future[Any]] = {writer, work}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            (work if work.done() else writer).result()
        finally:
            for task in (writer, *workers):  # once one has failed, `work` no longer cancels them
                task.cancel()
            await asyncio.gather(writer, *workers, work, return_exceptions=True)
            self._ledger.flush()
        tick(self._ledger.state)

    async def _write(self, tick: Callable[[State], None]) -> None:
        while True:
            await asyncio.sleep(EVERY)
            self._ledger.flush()
            tick(self._ledger.state)

    async def _work(self, source: Iterator[Slot]) -> None:
        for slot in source:
            while self._ledger.state.open(slot):
                await self._attempt(slot)

    async def _attempt(self, slot: Slot) -> None:
        """Ask for a draft, and for its repair as often as the run allows."""
        ledger = self._ledger
        guidance = ledger.state.acceptor.guidance(slot.construction)
        plan = make_plan(ledger.seed, slot, ledger.state.tried[slot])
        messages: tuple[Message, ...] = (
            {"role": "user", "content": render(plan, guidance, ledger.judge.vocabulary)},
        )
        for round_ in range(self._repair + 1):
            exchange, said = await self._ask(plan, round_, messages)
            reason, draft = ledger.take(exchange, plan, guidance.banned)
            self._watch(reason, said)
            if reason is None or round_ == self._repair or not ledger.state.open(slot):
                return
            wrong = render_repair(plan, reason, draft, guidance)
            if wrong is None or exchange.text is None:
                return
            messages += (
                {"role": "assistant", "content": exchange.text[:SHOWN]},
                {"role": "user", "content": wrong},
            )

    async def _ask(
        self, plan: Plan, round_: int, messages: tuple[Message, ...]
    ) -> tuple[Exchange, str]:
        """One exchange with the model, and what was said where there was no answer."""
        slot = plan.slot
        name = f"{slot.id}.{plan.attempt}" + (f".r{round_}" if round_ else "")
        exchange = Exchange(
            slot=slot.id,
            attempt=self._ledger.state.tried[slot],
            plan=plan.attempt,
            round=round_,
            prompt=blake2b(to_json(messages), digest_size=8).hexdigest(),
            text=None,
            finish="",
        )
        try:
            answer = await self._backend.ask(
                Request(name, messages, schema(BY_NAME[slot.construction]))
            )
        except RequestFailedError as failed:
            exchange.finish, exchange.faults = failed.reason, dict(failed.faults)
            return exchange, failed.said
        exchange.text, exchange.finish = answer.text, answer.finish
        exchange.prompt_tokens = answer.prompt_tokens
        exchange.cached_tokens = answer.cached_tokens
        exchange.completion_tokens = answer.completion_tokens
        exchange.seconds = round(answer.seconds, 3)
        exchange.faults = dict(answer.faults)
        return exchange, ""

    def _watch(self, reason: str | None, said: str) -> None:
        """Stop a run in which nearly everything fails.

        Raises:
            ValueError: naming the likely cause.
        """
        breaker = self._breaker
        self._said = said or self._said
        if reason is None:
            breaker.succeeded()
        elif reason.startswith(ACCEPTOR_REASONS):
            breaker.reset()
        elif breaker.failed(reason):
            cause = CAUSES.get(breaker.worst, "the model does not do the task; see --preview 5")
            if breaker.worst.startswith("request_"):
                cause = self._said
            raise ValueError(
                f"{breaker.count:,} answers in a row failed ({breaker.counts}); accepted rows are "
                f"safe. Likely cause: {cause}"
            )
