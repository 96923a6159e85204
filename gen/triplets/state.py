"""A run, and where it stands: what is accepted, what was tried, which slots are open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gen.base.log import Log
from gen.triplets.accept import Acceptor, claim
from gen.triplets.config import TripletsConfig
from gen.triplets.offsets import Offsets
from gen.triplets.plan import Slot, parse_slot
from gen.triplets.records import Call
from gen.vocab.triplets import Vocabulary
from schemas.manifest import Usage
from schemas.triplets import from_record

ATTEMPTS = 200
"""Attempts at one slot before it is given up."""
ACCEPTOR_REASONS = ("frequency_", "cap_", "duplicate_")
"""How the reasons of the acceptor begin."""
FAILED_REQUEST = 67
"""Attempts that a request counts for when it fails each time it is sent: three use up a slot."""
CLOSED_AFTER = 5
"""Slots of a construction given up in a row that close it: its caps or its words have run out."""


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
        self.spent[slot] += FAILED_REQUEST if reason.startswith("request_") else 1
        closing = not self.model or reason.startswith(ACCEPTOR_REASONS)
        if closing and open_before and self.spent[slot] >= ATTEMPTS:
            self.given_up[slot.construction] += 1

    def open(self, slot: Slot) -> bool:
        """Whether the slot is still to be filled."""
        return (
            slot not in self.offsets
            and self.spent[slot] < ATTEMPTS
            and self.given_up[slot.construction] < CLOSED_AFTER
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


Tick = Callable[[State], None]
"""Called after each write to the log, with everything in it safe."""


@dataclass(frozen=True)
class Run:
    """One run against its folder."""

    config: TripletsConfig
    identity: dict[str, Any]
    """What determines the data."""
    vocabulary: Vocabulary
    log: Log
    state: State


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
