"""One attempt at a slot: plan, draft, checks, build, proof. Needs no state of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from gen.triplets.accept import NO_GUIDANCE, Claim, Guidance, claim
from gen.triplets.build import build
from gen.triplets.constructions import BY_NAME
from gen.triplets.plan import Plan, Slot, make_plan
from gen.triplets.records import Call, accepted_line
from gen.triplets.validate import check_example
from gen.triplets.validate_draft import check_draft
from gen.vocab.triplets import Vocabulary
from schemas.triplets import Draft, Example, Rejected, to_record


class Writer(Protocol):
    """Turns plans into drafts."""

    name: str

    def write(self, plan: Plan, guidance: Guidance) -> Draft | Rejected:
        """A draft for the plan, or the reason why there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Valid:
    """An attempt that has passed every check and may still be one too many or a duplicate."""

    claim: Claim
    line: bytes
    """Log line should the claim be accepted."""
    draft: Draft
    call: Call | None = None


@dataclass(frozen=True, slots=True)
class Invalid:
    """An attempt that gave no example."""

    reason: str
    draft: Draft | None
    """None where the writer wrote none."""
    call: Call | None = None


Outcome = Valid | Invalid
"""What became of an attempt before the acceptor sees it."""


@dataclass(frozen=True)
class Judge:
    """Every check that needs no state of the run, for the drafts of one writer."""

    vocabulary: Vocabulary
    writer: str
    """What the rows say of who wrote them."""

    def example(self, plan: Plan, draft: Draft) -> Example | Rejected:
        """The proven example that a draft makes, or the reason why it makes none."""
        construction = BY_NAME[plan.slot.construction]
        reason = check_draft(draft, construction, self.vocabulary)
        if reason:
            return Rejected(reason)
        example = build(plan, draft, self.writer, self.vocabulary)
        if isinstance(example, Rejected):
            return example
        reason = check_example(example, self.vocabulary, plan.choice)
        return Rejected(reason) if reason else example

    def outcome(
        self, plan: Plan, number: int, draft: Draft | Rejected, call: Call | None = None
    ) -> Outcome:
        """What a draft, or the reason why there is none, makes of attempt `number`."""
        if isinstance(draft, Rejected):
            return Invalid(draft.reason, None, call)
        example = self.example(plan, draft)
        if isinstance(example, Rejected):
            return Invalid(example.reason, draft, call)
        line = accepted_line(plan.slot.id, number, to_record(example), call)
        return Valid(claim(example), line, draft, call)


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
