"""A run of `gen.triplets` with a language model, or with the recorded answers of one."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from gen import __version__
from gen.base.chat.backend import Backend
from gen.base.folder import RUN
from gen.base.log import Log
from gen.base.progress import short
from gen.triplets.config import ModelConfig, TripletsConfig, parse_mix
from gen.triplets.models.flow import Flow
from gen.triplets.models.ledger import Ledger
from gen.triplets.models.record import NAME, Answers, read
from gen.triplets.pipeline import Judge
from gen.triplets.plan import Slot, parse_slot, slots
from gen.triplets.recorder import BATCH, Recorder
from gen.triplets.state import State
from gen.vocab.triplets import Vocabulary
from schemas.manifest import Prices

FIRST = 100
"""Answers after which a run tells what is to come."""
OTHER_FILES = 100
"""Files and pipes that a run may have open beside its connections."""
LONG = 500
"""Rows still to be filled below which it doesn't."""

Tick = Callable[[State], None]


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


def fill(
    config: TripletsConfig,
    model: str,
    vocabulary: Vocabulary,
    log: Log,
    state: State,
    todo: Sequence[Slot],
    show: Callable[..., None],
) -> None:
    """Fill slots by asking a model, or from the answers of an earlier run.

    Raises:
        ValueError, ConnectionError: as `Flow.fill`; or the answers on record are damaged.
    """
    settings, judge = config.language_model, Judge(vocabulary, model)
    tick = partial(show, prices=settings.prices)
    if settings.answers is not None:
        ledger = Ledger(Recorder(state, log), judge, config.seed)
        _replay(ledger, settings.answers / RUN / NAME, set(todo), tick)
        return
    answers = Answers(log.path.with_name(NAME)) if settings.log_answers else None
    try:
        ledger = Ledger(Recorder(state, log, answers), judge, config.seed)
        if answers is not None:  # the run may have ended between an answer and its verdict
            for exchange in answers.last:
                ledger.replay(exchange)
            ledger.flush()
        todo = [slot for slot in todo if state.open(slot)]
        if todo:
            forecast = Forecast(state, len(todo), settings.prices, tick)
            asyncio.run(_ask(config, ledger, todo, forecast))
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


def _replay(ledger: Ledger, path: Path, asked: set[Slot], tick: Tick) -> None:
    for number, exchange in enumerate(read(path), 1):
        if parse_slot(exchange.slot) in asked:
            ledger.replay(exchange)
        if number % BATCH == 0:
            ledger.flush()
            tick(ledger.state)
    ledger.flush()
    tick(ledger.state)


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
        if not self._said and asked >= FIRST and rows:
            self._said = True
            left = self._todo - rows
            if left >= LONG:
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


def recorded(
    config: TripletsConfig, vocabulary: Vocabulary
) -> tuple[TripletsConfig, dict[str, Any]]:
    """The settings and the identity of a replay: those of the run whose answers it uses.

    Raises:
        ValueError: there are no answers, or they belong to other settings than are asked for.
    """
    folder = config.language_model.answers or Path()
    if folder.resolve() == config.out.resolve():
        raise ValueError(
            f"{folder}: --answers and --out name the same folder; choose another --out"
        )
    try:
        identity = json.loads((folder / RUN / "identity.json").read_text())
    except (OSError, ValueError):
        identity = None
    known = isinstance(identity, dict) and isinstance(identity.get("mix"), dict)
    known = known and identity.keys() >= {"seed", "model", "vocabulary"}
    if not known or not (folder / RUN / NAME).exists():
        raise ValueError(
            f"{folder}: no answers on record here; --answers takes the output folder of a run "
            "with a language model"
        )
    if identity["vocabulary"] != vocabulary.digest:
        raise ValueError(f"{folder} was made with another vocabulary; name its folder with --vocab")
    mix = ",".join(f"{name}={weight}" for name, weight in identity["mix"].items())
    if "seed" in config.model_fields_set and config.seed != identity["seed"]:
        raise ValueError(f"{folder} was made with --seed {identity['seed']}; leave --seed out")
    if config.mix is not None and parse_mix(config.mix) != identity["mix"]:
        raise ValueError(f"{folder} was made with --mix {mix}; leave --mix out")
    config = config.model_copy(update={"seed": identity["seed"], "mix": mix})
    return config, {**identity, "version": __version__}


def preview(config: TripletsConfig, vocabulary: Vocabulary, mix: Mapping[str, int]) -> int:
    """Print prompts, answers and verdicts for the first slots; how many were accepted."""
    return asyncio.run(_preview(config, vocabulary, mix))


async def _preview(config: TripletsConfig, vocabulary: Vocabulary, mix: Mapping[str, int]) -> int:
    from gen.triplets.models.preview import show

    settings, wanted = config.language_model, config.preview or 0
    chosen = list(slots(max(wanted, len(mix)), mix))[:wanted]
    backend = await open_backend(config.writer, settings)
    try:
        return await show(backend, Judge(vocabulary, settings.model or ""), config.seed, chosen)
    finally:
        await backend.close()
