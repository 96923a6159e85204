"""What the grammar writer makes of every type: one sample that several test files look at."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice

from gen.triplets.accept import NO_GUIDANCE
from gen.triplets.build import build
from gen.triplets.constructions import BY_NAME
from gen.triplets.grammar import GrammarWriter
from gen.triplets.plan import Plan, make_plan, slots
from gen.triplets.validate import check_example
from gen.triplets.validate_draft import check_draft
from gen.vocab.triplets import Vocabulary, load
from schemas.triplets import Draft, Example, Rejected
from tests.support.drafts import EVERY_TYPE

SIZE = 3_000
SEED = 2


@dataclass(frozen=True)
class Written:
    """A first draft that passed every check, with the plan it was written for."""

    plan: Plan
    draft: Draft
    example: Example


@dataclass(frozen=True)
class Sample:
    """First drafts for the first slots of the default mix."""

    vocabulary: Vocabulary
    good: tuple[Written, ...]
    reasons: Counter[str]
    """Why the other plans led to nothing."""


def plans(size: int = SIZE, seed: int = SEED) -> list[Plan]:
    """First plans of the default mix."""
    return [make_plan(seed, slot, 0) for slot in islice(slots(size, EVERY_TYPE), size)]


def write_sample() -> Sample:
    """Write and judge a draft for each plan, as the pipeline does."""
    vocabulary = load()
    writer = GrammarWriter(vocabulary)
    good, reasons = [], Counter[str]()
    for plan in plans():
        draft = writer.write(plan, NO_GUIDANCE)
        result = draft if isinstance(draft, Rejected) else judge(plan, draft, vocabulary)
        if isinstance(draft, Draft) and isinstance(result, Example):
            good.append(Written(plan, draft, result))
        else:
            assert isinstance(result, Rejected)
            reasons[f"{plan.slot.construction}: {result.reason}"] += 1
    return Sample(vocabulary, tuple(good), reasons)


def judge(plan: Plan, draft: Draft, vocabulary: Vocabulary) -> Example | Rejected:
    """The proven example of a draft, or the reason why there is none."""
    reason = check_draft(draft, BY_NAME[plan.slot.construction], vocabulary)
    if reason:
        return Rejected(reason)
    example = build(plan, draft, GrammarWriter.name, vocabulary)
    if isinstance(example, Rejected):
        return example
    reason = check_example(example, vocabulary, plan.choice)
    return Rejected(reason) if reason else example


def drafts_digest(size: int) -> str:
    """A digest of the drafts for the first plans; a fresh process must come to the same."""
    from hashlib import sha256

    writer = GrammarWriter(load())
    answers = [writer.write(plan, NO_GUIDANCE) for plan in plans(size)]
    return sha256("\n".join(map(repr, answers)).encode()).hexdigest()


if __name__ == "__main__":
    import sys

    print(drafts_digest(int(sys.argv[1])))
