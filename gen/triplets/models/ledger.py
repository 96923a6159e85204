"""Exchanges become rows or rejections here, in the order in which they came."""

from __future__ import annotations

from gen.triplets.models.drafts import parse
from gen.triplets.models.record import AnswersFile, Exchange
from gen.triplets.pipeline import Judge
from gen.triplets.plan import Plan, make_plan, parse_slot
from gen.triplets.recorder import Recorder
from gen.triplets.state import Run
from schemas.triplets import Draft, Rejected

TEXT_KEPT = 500
"""Characters of an answer that is no draft which the run's log keeps."""


class Ledger:
    """Judges answers and has them recorded; shared by live runs, restarts and replays."""

    def __init__(self, run: Run, answers: AnswersFile | None = None) -> None:
        """`answers` is where exchanges are kept, if they are."""
        self.state, self.seed = run.state, run.config.seed
        self.judge = Judge(run.vocabulary, run.identity["model"])
        self._recorder = Recorder(run.state, run.log, answers)
        self._first = True

    def take(
        self, exchange: Exchange, plan: Plan, banned: frozenset[str] | None
    ) -> tuple[str | None, Draft | None]:
        """Judge an exchange: (None, or why its draft is rejected; the draft, if there is one).

        `banned` is the ban list of its prompt, or None where the exchange is on record already
        and says all about that.

        Raises:
            OSError: the disk takes no more.
        """
        answer = exchange.answer
        draft = Rejected(exchange.finish) if answer is None else parse(answer)
        if banned is not None:
            if isinstance(draft, Draft):
                terms = [*draft.objects, *(word for row in draft.attributes for word in row)]
                exchange.heeded = banned.isdisjoint(term.casefold() for term in terms)
            self._recorder.keep(exchange)
        call = exchange.call
        if exchange.text is not None and isinstance(draft, Rejected):
            call["text"] = exchange.text[:TEXT_KEPT]
        outcome = self.judge.outcome(plan, exchange.attempt, draft, call)
        reason = self._recorder.record(
            plan.slot, exchange.attempt, outcome, caps_known=exchange.heeded
        )
        if self._first or self._recorder.full:  # the first one shows at once that the run works
            self.flush()
            self._first = False
        return reason, outcome.draft

    def replay(self, exchange: Exchange) -> None:
        """Judge an exchange on record, unless the run's log has already what came of it.

        Raises:
            OSError: the disk takes no more.
        """
        slot = parse_slot(exchange.slot)
        if slot not in self.state.offsets and exchange.attempt >= self.state.tried[slot]:
            self.take(exchange, make_plan(self.seed, slot, exchange.plan), None)

    def flush(self) -> None:
        """Write what was taken since the last time, as `Recorder.flush`.

        Raises:
            OSError: the disk takes no more.
        """
        self._recorder.flush()
