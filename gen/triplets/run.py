"""The run loop: slots in order, first attempts in parallel, acceptance in one place.

First attempts need no state, so worker processes make them ahead of time. The acceptor
takes them in slot order, and whatever it or a check rejects is tried again here, with the
guidance of that moment. The log, and so the dataset, is the same for any number of workers
and after any restart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from pathlib import Path

from gen.base.workers import cpus, pool, sigint_blocked
from gen.triplets.pipeline import Outcome, Pipeline, Writer
from gen.triplets.plan import Slot
from gen.triplets.recorder import Recorder
from gen.triplets.state import Run, Tick
from gen.vocab.triplets import BUILTIN, Vocabulary, load

CHUNK = 200
"""Slots that a worker takes at a time."""
INLINE = 2000
"""Below this many slots worker processes cost more than they bring."""


MakeWriter = Callable[[Vocabulary], Writer]
"""A writer's class: worker processes make one for themselves."""


def fill_locally(run: Run, make_writer: MakeWriter, todo: Sequence[Slot], tick: Tick) -> None:
    """Fill slots with a writer that needs nothing outside, in worker processes where it pays.

    Raises:
        ValueError: a worker process died.
    """
    config, state = run.config, run.state
    pipeline = Pipeline(make_writer(run.vocabulary), run.vocabulary, config.seed)
    workers = config.workers or cpus()
    still_open = (slot for slot in todo if state.open(slot))
    if workers == 1 or len(todo) < INLINE:
        first = attempts_inline(still_open, pipeline)
    else:
        folder = config.vocab or BUILTIN
        first = attempts_in_workers(still_open, workers, make_writer, folder, config.seed)
    try:
        fill(Recorder(state, run.log), pipeline, first, tick)
    except BrokenProcessPool:
        raise ValueError(
            "a worker process died (out of memory?); accepted rows are safe, "
            "run again with fewer --workers"
        ) from None
    finally:
        first.close()


def fill(
    recorder: Recorder,
    pipeline: Pipeline,
    first_attempts: Iterable[tuple[Slot, Outcome]],
    tick: Tick,
) -> None:
    """Fill slots in order from their first attempts, trying again what was rejected.

    Raises:
        BrokenProcessPool: a worker process died.
        OSError: the disk takes no more.
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
    slots: Iterable[Slot], workers: int, make_writer: MakeWriter, vocabulary: Path, seed: int
) -> Generator[tuple[Slot, Outcome], None, None]:
    """First attempts, made by worker processes and given in slot order; a bounded number ahead.

    Raises:
        BrokenProcessPool: a worker process died.
    """
    source = iter(slots)
    ahead: deque[tuple[list[Slot], Future[list[Outcome]]]] = deque()
    with pool(workers, _start, make_writer, vocabulary, seed) as executor:
        while True:
            while len(ahead) < 3 * workers and (chunk := list(islice(source, CHUNK))):
                with sigint_blocked():
                    ahead.append((chunk, executor.submit(_first_attempts, chunk)))
            if not ahead:
                return
            chunk, future = ahead.popleft()
            yield from zip(chunk, future.result(), strict=True)


_pipeline: Pipeline | None = None


def _start(make_writer: MakeWriter, vocabulary: Path, seed: int) -> None:
    """Set a worker process up."""
    global _pipeline
    words = load(vocabulary)
    _pipeline = Pipeline(make_writer(words), words, seed)


def _first_attempts(slots: list[Slot]) -> list[Outcome]:
    assert _pipeline is not None
    return [_pipeline.attempt(slot, 0) for slot in slots]
