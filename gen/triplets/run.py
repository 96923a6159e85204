"""The run loop: slots in order, first attempts in parallel, acceptance in one place.

First attempts need no state, so worker processes make them ahead of time. The acceptor
takes them in slot order, and whatever it or a check rejects is tried again here, with the
guidance of that moment. The log, and so the dataset, is the same for any number of workers
and after any restart.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from gen.base.log import Log
from gen.base.workers import pool, sigint_blocked
from gen.triplets.accept import Acceptor, claim
from gen.triplets.offsets import Offsets
from gen.triplets.pipeline import Outcome, Pipeline
from gen.triplets.plan import Slot, parse_slot
from gen.triplets.records import Call
from gen.triplets.writers import make_writer
from gen.vocab.triplets import load
from schemas.manifest import Usage
from schemas.triplets import from_record

ATTEMPTS = 200
"""Attempts at one slot before it is given up."""
ACCEPTOR = ("frequency_", "cap_", "duplicate_")
"""How the reasons of the acceptor begin."""
FAULT = 67
"""What a request that fails each time it is sent takes of them, instead of 1: three are enough."""
DRY = 5
"""Slots given up in a row after which a construction is: its caps or its words have run out."""
CHUNK = 200
"""Slots that a worker takes at a time; also how many log lines are written at once."""
INLINE = 2000
"""Below this many slots worker processes cost more than they bring."""


@dataclass
class State:
    """Where a run stands; rebuilt from the log when a run goes on."""

    acceptor: Acceptor = field(default_factory=Acceptor)
    offsets: Offsets = field(default_factory=Offsets)
    """Log offset of each accepted row."""
    tried: Counter[Slot] = field(default_factory=Counter)
    """Rejected attempts of slots that are still open or given up."""
    spent: Counter[Slot] = field(default_factory=Counter)
    """What of `ATTEMPTS` they have used up."""
    reasons: Counter[str] = field(default_factory=Counter)
    given_up: Counter[str] = field(default_factory=Counter)
    """Slots given up in a row, by construction."""
    attempts: int = 0
    usage: Usage = field(default_factory=Usage)
    model: bool = False
    """Whether a language model answers; then only full caps and repetition close a construction."""

    def accept(self, slot: Slot, offset: int, call: Call | None = None) -> None:
        """Note an accepted row."""
        self.offsets[slot] = offset
        self.tried.pop(slot, None)
        self.spent.pop(slot, None)
        self.given_up[slot.construction] = 0
        self._count(call, accepted=True)

    def reject(self, slot: Slot, reason: str, call: Call | None = None) -> None:
        """Note a rejected attempt."""
        self.tried[slot] += 1
        self.reasons[reason] += 1
        self._count(call, accepted=False)
        open_before = self.spent[slot] < ATTEMPTS
        self.spent[slot] += FAULT if reason.startswith("request_") else 1
        closing = not self.model or reason.startswith(ACCEPTOR)
        if closing and open_before and self.spent[slot] >= ATTEMPTS:
            self.given_up[slot.construction] += 1

    def open(self, slot: Slot) -> bool:
        """Whether the slot is still to be filled."""
        return (
            slot not in self.offsets
            and self.spent[slot] < ATTEMPTS
            and self.given_up[slot.construction] < DRY
        )

    def ask_model(self) -> None:
        """Open again what was given up: a model may do better next time."""
        self.model = True
        self.spent.clear()
        self.given_up.clear()

    def _count(self, call: Call | None, accepted: bool) -> None:
        self.attempts += 1
        if call is not None:
            self.usage.add(call, accepted)


def restore(log: Log) -> State:
    """The state that a log leads to.

    Raises:
        ValueError: where the log holds rows that the acceptor would not have accepted.
    """
    state = State()
    for number, (offset, record) in enumerate(log.records(), 1):
        try:
            slot = parse_slot(record["slot"])
            reason, call = record.get("reason"), record.get("call")
            claimed = claim(from_record(record["row"])) if reason is None else None
        except (AttributeError, KeyError, TypeError, ValueError):
            raise log.damaged(number, "not a record") from None
        if claimed is None:
            state.reject(slot, str(reason), call)
        elif slot in state.offsets or (reason := state.acceptor.offer(claimed)):
            raise log.damaged(number, f"row {slot.id} is not acceptable: {reason or 'twice'}")
        else:
            state.accept(slot, offset, call)
    return state


def fill(
    state: State,
    log: Log,
    pipeline: Pipeline,
    first_attempts: Iterable[tuple[Slot, Outcome]],
    tick: Callable[[State], None],
) -> None:
    """Fill slots in order from their first attempts, trying again what was rejected.

    `tick` is called after each batch of log lines, with everything in the log safe.
    """
    lines: list[bytes] = []
    size = 0
    try:
        for slot, first in first_attempts:
            outcome = first
            while state.open(slot):
                number = state.tried[slot]
                if number:
                    guidance = state.acceptor.guidance(slot.construction)
                    outcome = pipeline.attempt(slot, number, guidance)
                reason = state.acceptor.offer(outcome.claim) if outcome.claim else outcome.reason
                if reason:
                    state.reject(slot, reason)
                    line = outcome.rejected(slot, number, reason)
                else:
                    state.accept(slot, log.end + size)
                    line = outcome.accepted
                lines.append(line)
                size += len(line)
            if len(lines) >= CHUNK:
                batch, lines, size = lines, [], 0
                log.append(batch)
                tick(state)
    finally:
        log.append(lines)
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
