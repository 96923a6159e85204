"""One attempt at a slot: plan, draft, checks, build, proof. Needs no state of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from gen.accept import NO_GUIDANCE, Claim, Guidance, claim
from gen.build import build
from gen.constructions import BY_NAME
from gen.log import accepted_line, rejected_line
from gen.plan import Plan, Slot, make_plan
from gen.validate import check_draft, check_example
from gen.vocabulary import Vocabulary
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

    def rejected(self, slot: Slot, attempt: int, reason: str) -> bytes:
        """Log line should the attempt be rejected for `reason`."""
        draft = self.draft.model_dump() if self.draft else None
        return rejected_line(slot.id, attempt, reason, draft)


class Pipeline:
    """Attempts with one writer, one vocabulary and one seed."""

    def __init__(self, writer: Writer, vocabulary: Vocabulary, seed: int) -> None:
        self.writer = writer
        self.vocabulary = vocabulary
        self.seed = seed

    def attempt(self, slot: Slot, number: int, guidance: Guidance = NO_GUIDANCE) -> Outcome:
        """Try a slot once."""
        plan = make_plan(self.seed, slot, number)
        answer = self.writer.write(plan, guidance)
        if isinstance(answer, str):
            return Outcome(None, b"", answer, None)
        result = self.judge(plan, answer)
        if isinstance(result, str):
            return Outcome(None, b"", result, answer)
        line = accepted_line(slot.id, number, to_record(result))
        return Outcome(claim(result), line, "", answer)

    def judge(self, plan: Plan, draft: Draft) -> Example | str:
        """The proven example that a draft makes, or the reason why it makes none."""
        construction = BY_NAME[plan.slot.construction]
        reason = check_draft(draft, construction, self.vocabulary)
        if reason:
            return reason
        example = build(plan, draft, self.writer.name)
        if isinstance(example, str):
            return example
        return check_example(example, self.vocabulary, plan.choice) or example
