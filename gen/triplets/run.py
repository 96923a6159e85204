"""The run loop: slots in order, first attempts in parallel, acceptance in one place.

First attempts need no state, so worker processes make them ahead of time. The acceptor
takes them in slot order, and whatever it or a check rejects is tried again here, with the
guidance of that moment. The log, and so the dataset, is the same for any number of workers
and after any restart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from itertools import islice
from pathlib import Path

from gen.base.workers import pool, sigint_blocked
from gen.triplets.pipeline import Outcome, Pipeline
from gen.triplets.plan import Slot
from gen.triplets.recorder import Recorder
from gen.triplets.state import State
from gen.triplets.writers import make_writer
from gen.vocab.triplets import load

CHUNK = 200
"""Slots that a worker takes at a time."""
INLINE = 2000
"""Below this many slots worker processes cost more than they bring."""


def fill(
    recorder: Recorder,
    pipeline: Pipeline,
    first_attempts: Iterable[tuple[Slot, Outcome]],
    tick: Callable[[State], None],
) -> None:
    """Fill slots in order from their first attempts, trying again what was rejected.

    `tick` is called after each batch of log lines, with everything in the log safe.
    """
    state = recorder.state
    try:
        for slot, first in first_attempts:
            outcome = first
            while state.open(slot):
                number = state.tried[slot]
                if number:
                    guidance = state.acceptor.guidance(slot.construction)
                    outcome = pipeline.attempt(slot, number, guidance)
                recorder.record(slot, number, outcome)
            if recorder.full:
                recorder.flush()
                tick(state)
    finally:
        recorder.flush()
    tick(state)


def attempts_inline(
    slots: Iterable[Slot], pipeline: Pipeline
) -> Generator[tuple[Slot, Outcome], None, None]:
    """First attempts, made in this process as they are asked for."""
    for slot in slots:
        yield slot, pipeline.attempt(slot, 0)


def attempts_in_workers(
    slots: Iterable[Slot], workers: int, writer: str, vocabulary: Path, seed: int
) -> Generator[tuple[Slot, Outcome], None, None]:
    """First attempts, made by worker processes and given in slot order; a bounded number ahead."""
    source = iter(slots)
    ahead: deque[tuple[list[Slot], Future[list[Outcome]]]] = deque()
    with pool(workers, _start, writer, vocabulary, seed) as executor:
        while True:
            while len(ahead) < 3 * workers and (chunk := list(islice(source, CHUNK))):
                with sigint_blocked():
                    ahead.append((chunk, executor.submit(_first_attempts, chunk)))
            if not ahead:
                return
            chunk, future = ahead.popleft()
            yield from zip(chunk, future.result(), strict=True)


_pipeline: Pipeline | None = None


def _start(writer: str, vocabulary: Path, seed: int) -> None:
    """Set a worker process up."""
    global _pipeline
    words = load(vocabulary)
    _pipeline = Pipeline(make_writer(writer, words), words, seed)


def _first_attempts(slots: list[Slot]) -> list[Outcome]:
    assert _pipeline is not None
    return [_pipeline.attempt(slot, 0) for slot in slots]
