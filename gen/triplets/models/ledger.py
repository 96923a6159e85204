"""Exchanges become rows or rejections here, in the order in which they came."""

from __future__ import annotations

from gen.base.log import Log
from gen.triplets.models.drafts import parse
from gen.triplets.models.record import Answers, Exchange
from gen.triplets.pipeline import Judge
from gen.triplets.plan import Plan, make_plan, parse_slot
from gen.triplets.run import CHUNK, State
from schemas.triplets import Draft

KEPT = 500
"""Characters of an answer that is no draft which the run's log keeps."""


class Ledger:
    """Judges, offers and puts on record; shared by live runs, restarts and replays."""

    def __init__(
        self, state: State, log: Log, answers: Answers | None, judge: Judge, seed: int
    ) -> None:
        self.state, self.judge, self.seed = state, judge, seed
        self._log, self._answers = log, answers
        self._lines: list[bytes] = []
        self._size = 0
        self._batch: list[Exchange] = []
        self._room = 1  # the first answer of a run shows at once that it works
        self._torn = False

    def take(
        self, exchange: Exchange, plan: Plan, banned: frozenset[str] | None
    ) -> tuple[str | None, Draft | None]:
        """Judge an exchange: (None, or why its draft is rejected; the draft, if there is one).

        `banned` is the ban list of its prompt, or None where the record says all about that.
        A cap that has filled since the prompt was made is a reason of its own.
        """
        state, slot = self.state, plan.slot
        answer = exchange.answer
        draft = exchange.finish if answer is None else parse(answer)
        if banned is not None and isinstance(draft, Draft):
            terms = [*draft.objects, *(word for row in draft.attributes for word in row)]
            exchange.heeded = banned.isdisjoint(term.casefold() for term in terms)
        call = exchange.call
        if exchange.text is not None and not isinstance(draft, Draft):
            call["text"] = exchange.text[:KEPT]
        outcome = self.judge.outcome(plan, exchange.attempt, draft, call)
        reason = state.acceptor.offer(outcome.claim) if outcome.claim else outcome.reason
        if reason == "frequency_cap" and exchange.heeded:
            reason = "cap_filled"
        if reason:
            state.reject(slot, reason, call)
            line = outcome.rejected(slot, exchange.attempt, reason)
        else:
            state.accept(slot, self._log.end + self._size, call)
            line = outcome.accepted
        if banned is not None:  # else it is on record already
            self._batch.append(exchange)
        self._lines.append(line)
        self._size += len(line)
        if len(self._lines) >= self._room:
            self.flush()
            self._room = CHUNK
        return reason or None, outcome.draft

    def replay(self, exchange: Exchange) -> None:
        """Judge an exchange on record, unless the run's log has already what came of it."""
        slot = parse_slot(exchange.slot)
        if slot not in self.state.offsets and exchange.attempt >= self.state.tried[slot]:
            self.take(exchange, make_plan(self.seed, slot, exchange.plan), None)

    def flush(self) -> bool:
        """Write what was taken since the last time, the answers first; whether there was any.

        A batch never grows beyond `CHUNK`. Nothing is written after half a line that a full disk
        has left.
        """
        if self._torn:
            return False
        lines, batch = self._lines, self._batch
        self._lines, self._batch, self._size = [], [], 0
        self._torn = True
        if self._answers is not None:
            self._answers.append(batch)
        self._log.append(lines)
        self._torn = False
        return bool(lines)
