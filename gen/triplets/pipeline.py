"""One attempt at a slot: plan, draft, checks, build, proof. Needs no state of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from gen.triplets.accept import NO_GUIDANCE, Claim, Guidance, claim
from gen.triplets.build import build
from gen.triplets.constructions import BY_NAME
from gen.triplets.plan import Plan, Slot, make_plan
from gen.triplets.records import Call, accepted_line, rejected_line
from gen.triplets.validate import check_draft, check_example
from gen.vocab.triplets import Vocabulary
from schemas.triplets import Draft, Example, to_record


class Writer(Protocol):
    """Turns plans into drafts."""

    name: str

    def write(self, plan: Plan, guidance: Guidance) -> Draft | str:
        """A draft for the plan, or the reason why there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an attempt: a claim to offer and the log line, or a reason."""

    claim: Claim | None
    accepted: bytes
    """Log line should the claim be accepted."""
    reason: str
    draft: Draft | None
    call: Call | None = None

    def rejected(self, slot: Slot, attempt: int, reason: str) -> bytes:
        """Log line should the attempt be rejected for `reason`."""
        draft = self.draft.model_dump() if self.draft else None
        return rejected_line(slot.id, attempt, reason, draft, self.call)


@dataclass(frozen=True)
class Judge:
    """Every check that needs no state of the run, for the drafts of one writer."""

    vocabulary: Vocabulary
    writer: str
    """What the rows say of who wrote them."""

    def example(self, plan: Plan, draft: Draft) -> Example | str:
        """The proven example that a draft makes, or the reason why it makes none."""
        construction = BY_NAME[plan.slot.construction]
        reason = check_draft(draft, construction, self.vocabulary)
        if reason:
            return reason
        example = build(plan, draft, self.writer, self.vocabulary)
        if isinstance(example, str):
            return example
        return check_example(example, self.vocabulary, plan.choice) or example

    def outcome(
        self, plan: Plan, number: int, answer: Draft | str, call: Call | None = None
    ) -> Outcome:
        """What a draft, or the reason why there is none, makes of attempt `number`."""
        if isinstance(answer, str):
            return Outcome(None, b"", answer, None, call)
        result = self.example(plan, answer)
        if isinstance(result, str):
            return Outcome(None, b"", result, answer, call)
        line = accepted_line(plan.slot.id, number, to_record(result), call)
        return Outcome(claim(result), line, "", answer, call)


class Pipeline:
    """Attempts with one writer, one vocabulary and one seed."""

    def __init__(self, writer: Writer, vocabulary: Vocabulary, seed: int) -> None:
        self.writer = writer
        self.judge = Judge(vocabulary, writer.name)
        self.seed = seed

    def attempt(self, slot: Slot, number: int, guidance: Guidance = NO_GUIDANCE) -> Outcome:
        """Try a slot once."""
        plan = make_plan(self.seed, slot, number)
        return self.judge.outcome(plan, number, self.writer.write(plan, guidance))
