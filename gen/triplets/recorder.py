"""Attempts become rows or rejections here, in the order in which they come."""

from __future__ import annotations

from gen.base.log import Log
from gen.triplets.models.record import AnswersFile, Exchange
from gen.triplets.pipeline import Outcome, Valid
from gen.triplets.plan import Slot
from gen.triplets.records import rejected_line
from gen.triplets.state import State

BATCH = 200
"""Log lines that are written at once."""


class Recorder:
    """Offers attempts to the acceptor, keeps the state and writes the log, batch by batch."""

    def __init__(self, state: State, log: Log, answers: AnswersFile | None = None) -> None:
        """`answers` is where a model's answers are kept, if they are."""
        self.state = state
        self._log, self._answers = log, answers
        self._lines: list[bytes] = []
        self._size = 0
        self._exchanges: list[Exchange] = []
        self._writing = False

    def record(
        self, slot: Slot, attempt: int, outcome: Outcome, *, caps_known: bool = False
    ) -> str | None:
        """Accept or reject an attempt; returns the reason why it is rejected.

        With `caps_known` its writer kept to every cap that was full when it was asked: one that
        has filled since is a reason of its own.
        """
        if isinstance(outcome, Valid):
            reason = self.state.acceptor.offer(outcome.claim)
            if reason is None:
                self.state.accept(slot, self._log.end + self._size, outcome.call)
                self._add(outcome.line)
                return None
            if caps_known and reason == "frequency_cap":
                reason = "cap_filled"
        else:
            reason = outcome.reason
        self.state.reject(slot, reason, outcome.call)
        draft = outcome.draft.model_dump() if outcome.draft else None
        self._add(rejected_line(slot.id, attempt, reason, draft, outcome.call))
        return reason

    def keep(self, exchange: Exchange) -> None:
        """Put an exchange with a model on record, with the next batch of log lines."""
        self._exchanges.append(exchange)

    @property
    def full(self) -> bool:
        """Whether a batch has come together."""
        return len(self._lines) >= BATCH

    def flush(self) -> None:
        """Write what was recorded since the last time, a model's answers first.

        Nothing is written any more once a write has failed: a full disk leaves half a line.

        Raises:
            OSError: the disk takes no more.
        """
        if self._writing:
            return
        lines, exchanges = self._lines, self._exchanges
        self._lines, self._exchanges, self._size = [], [], 0
        self._writing = True
        if self._answers is not None:
            self._answers.append(exchanges)
        self._log.append(lines)
        self._writing = False

    def _add(self, line: bytes) -> None:
        self._lines.append(line)
        self._size += len(line)
