"""A run of `gen.triplets` with a language model (`session.Filler`)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from gen.base.chat.backend import Backend
from gen.base.progress import short
from gen.triplets.config import ModelConfig, TripletsConfig
from gen.triplets.identity import identity_of
from gen.triplets.models.flow import Flow
from gen.triplets.models.ledger import Ledger
from gen.triplets.models.record import ANSWERS, AnswersFile
from gen.triplets.pipeline import Judge
from gen.triplets.plan import Slot, slots
from gen.triplets.prompts import digest
from gen.triplets.state import Run, State, Tick
from gen.vocab.triplets import Vocabulary
from schemas.manifest import Prices

FORECAST_AFTER = 100
"""Answers after which a run tells what is to come."""
OTHER_FILES = 100
"""Files and pipes that a run may have open beside its connections."""
FORECAST_ABOVE = 500
"""Rows still to be filled from which on it does."""


async def open_backend(writer: str, config: ModelConfig) -> Backend:
    """What answers the requests of a writer.

    Raises:
        ValueError: what it needs is not installed or not set.
    """
    model = config.model or ""
    if writer == "vllm":
        from gen.base.chat.engine import Engine

        return await Engine.start(model, config.engine, config.request)
    from gen.base.chat.client import OpenAIBackend

    return OpenAIBackend(model, config.urls, config.request, config.timeout)


def settle(config: TripletsConfig, vocabulary: Vocabulary) -> tuple[TripletsConfig, dict[str, Any]]:
    """The settings as they are, and the identity of a run with them."""
    model = config.language_model
    known = identity_of(config, vocabulary)
    known |= {"model": model.model, "sampling": model.request, "repair": model.repair}
    known |= {"prompts": digest()} | ({"engine": [*model.engine]} if model.engine else {})
    return config, known


def preview(config: TripletsConfig, vocabulary: Vocabulary) -> int:
    """Print prompts, answers and verdicts for the first slots; how many were accepted.

    Raises:
        ValueError, ConnectionError: as `Backend.ask`.
    """
    return asyncio.run(_preview(config, vocabulary))


async def _preview(config: TripletsConfig, vocabulary: Vocabulary) -> int:
    from gen.triplets.models.preview import show

    model, wanted = config.language_model, config.preview or 0
    chosen = list(slots(max(wanted, len(config.weights)), config.weights))[:wanted]
    backend = await open_backend(config.writer, model)
    try:
        return await show(backend, Judge(vocabulary, model.model or ""), config.seed, chosen)
    finally:
        await backend.close()


def fill(run: Run, todo: Sequence[Slot], tick: Tick) -> None:
    """Fill slots by asking a model.

    Raises:
        ValueError, ConnectionError: as `Flow.fill`; or the answers on record are damaged.
    """
    model, state = run.config.language_model, run.state
    answers = AnswersFile(run.log.path.with_name(ANSWERS)) if model.log_answers else None
    try:
        ledger = Ledger(run, answers)
        if answers is not None:  # the run may have ended between an answer and its verdict
            for exchange in answers.last:
                ledger.replay(exchange)
            ledger.flush()
        todo = [slot for slot in todo if state.open(slot)]
        if todo:
            forecast = Forecast(state, len(todo), model.prices, tick)
            asyncio.run(_ask(run.config, ledger, todo, forecast))
    finally:
        if answers is not None:
            answers.close()


def allow_connections(in_flight: int) -> None:
    """Let this process hold a connection for each request: shells often allow 256 open files.

    Raises:
        ValueError: the system does not allow as many.
    """
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = in_flight + OTHER_FILES
    if hard != resource.RLIM_INFINITY and needed > hard:
        raise ValueError(
            f"--in-flight {in_flight}: the system allows {hard:,} open files; "
            f"use at most {hard - OTHER_FILES:,}"
        )
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


async def _ask(config: TripletsConfig, ledger: Ledger, todo: Sequence[Slot], tick: Tick) -> None:
    settings = config.language_model
    in_flight = min(settings.in_flight, len(todo))
    allow_connections(in_flight)
    backend = await open_backend(config.writer, settings)
    try:
        flow = Flow(ledger, backend, settings.repair)
        await flow.fill(todo, in_flight, tick)
    finally:
        await backend.close()


class Forecast:
    """A tick that also says, once, what the first answers tell of the whole run."""

    def __init__(self, state: State, todo: int, prices: Prices | None, tick: Tick) -> None:
        self._todo, self._prices, self._tick = todo, prices, tick
        self._start = time.monotonic()
        self._rows, self._usage = len(state.offsets), state.usage.model_copy(deep=True)
        self._said = False

    def __call__(self, state: State) -> None:
        """Pass the state on, and say what is to be expected when it can be told."""
        asked = state.usage.requests - self._usage.requests
        rows = len(state.offsets) - self._rows
        if not self._said and asked >= FORECAST_AFTER and rows:
            self._said = True
            left = self._todo - rows
            if left >= FORECAST_ABOVE:
                print(self._forecast(state, asked, rows, left), flush=True)
        self._tick(state)

    def _forecast(self, state: State, asked: int, rows: int, left: int) -> str:
        scale = left / rows
        prompt = (state.usage.prompt_tokens - self._usage.prompt_tokens) * scale
        completion = (state.usage.completion_tokens - self._usage.completion_tokens) * scale
        seconds = (time.monotonic() - self._start) * scale
        cost = ""
        if self._prices:
            total = (prompt * self._prices[0] + completion * self._prices[1]) / 1e6
            cost = f", cost {total:,.2f}"
        return (
            f"To come, judging by the first {asked:,} answers: {short(asked * scale)} requests, "
            f"{short(prompt)}+{short(completion)} tokens{cost}, at most "
            f"{timedelta(seconds=round(seconds))}. Ctrl-C stops and keeps every row."
        )
