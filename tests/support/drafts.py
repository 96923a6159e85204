"""Drafts for tests: plans made by hand, case files, and the pipeline's checks in one call."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from gen.triplets.build import build
from gen.triplets.constructions import BY_NAME, CONSTRUCTIONS
from gen.triplets.plan import Plan, Slot
from gen.triplets.validate import check_example
from gen.triplets.validate_draft import check_draft
from gen.vocab.triplets import Vocabulary, load
from schemas.triplets import Draft, Example, Rejected
from tests.support import ROOT, TESTS

CASES = TESTS / "cases"
VOCABULARY = TESTS / "data" / "vocab_tests"

EVERY_TYPE = {one.name: one.weight or 10 for one in CONSTRUCTIONS}
"""The default mix, with the types that it leaves out."""

WIDE_BAND, WIDE_WINDOW = (5, 60), (0, 40)
"""Bounds in words that hold any caption whose length and distance are not the point."""

RETURNED = re.compile(r'return (?:None if .* else )?(?:Rejected\()?"([a-z_]+)"')
CHECKS = ("build.py", "validate*.py", "constructions/*.py")
REASONS = frozenset(
    slug
    for pattern in CHECKS
    for path in (ROOT / "gen" / "triplets").glob(pattern)
    for slug in RETURNED.findall(path.read_text())
) | {"synonym_objects", "synonym_attributes"}  # returned through a loop variable
"""Every reason for which a draft or a row can fail before the acceptor sees it."""


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """The tests' own vocabulary; words that it lacks are unknown, not wrong."""
    return load(VOCABULARY)


def make_plan(
    construction: str,
    *,
    choice: int = 0,
    band: tuple[int, int] = WIDE_BAND,
    window: tuple[int, int] = WIDE_WINDOW,
    order: Sequence[int] | None = None,
) -> Plan:
    """A plan in which only what a test names matters; the query's order is reversed by default."""
    pairs = BY_NAME[construction].pairs
    return Plan(
        slot=Slot(construction, 0),
        attempt=0,
        seed=1,
        setting="town_hall",
        scene="in the town hall",
        time=None,
        weather=None,
        register="plain",
        opener="any",
        band=band,
        window=window,
        distractors=0,
        choice=choice,
        order=tuple(range(pairs))[::-1] if order is None else tuple(order),
    )


def make_draft(
    objects: Sequence[str],
    attributes: Sequence[Sequence[str]],
    positive: str,
    distractors: Sequence[tuple[str, str]] = (),
) -> Draft:
    """A draft, parsed as a writer's answer is."""
    return Draft.model_validate(
        {
            "objects": objects,
            "attributes": attributes,
            "positive": positive,
            "distractors": distractors,
        }
    )


@dataclass(frozen=True)
class Case:
    """One `[[good]]` or `[[bad]]` entry of a case file."""

    name: str
    draft: Draft
    plan: Plan
    reason: str | None = None
    """Why a bad case fails; None for a good one."""
    row: dict[str, Any] = field(default_factory=dict)
    """Columns overwritten after the row was built: what a faulty or edited dataset would hold."""


@cache
def cases(construction: str, kind: str) -> tuple[Case, ...]:
    """The `good` or `bad` cases of a construction, in file order."""
    tables = tomllib.loads((CASES / f"{construction}.toml").read_text())[kind]
    return tuple(
        _case(construction, f"{construction}-{kind}-{n}", dict(table))
        for n, table in enumerate(tables, 1)
    )


def _case(construction: str, name: str, table: dict[str, Any]) -> Case:
    draft = make_draft(
        table.pop("objects"),
        table.pop("attributes"),
        table.pop("positive"),
        table.pop("distractors", ()),
    )
    plan = make_plan(
        construction,
        choice=table.pop("choice", 0),
        band=tuple(table.pop("band", WIDE_BAND)),
        window=tuple(table.pop("window", WIDE_WINDOW)),
    )
    reason, row = table.pop("reason", None), table.pop("row", {})
    if table:
        raise ValueError(f"{name}: unknown keys {sorted(table)}")
    if reason:
        name += f"-{reason}"
    return Case(name, draft, plan, reason, row)


def judge(case: Case) -> str | None:
    """The reason why the case fails, or None: the pipeline's checks in the pipeline's order."""
    construction = BY_NAME[case.plan.slot.construction]
    reason = check_draft(case.draft, construction, vocabulary())
    if reason:
        return reason
    example = build(case.plan, case.draft, "tests", vocabulary())
    if isinstance(example, Rejected):
        return example.reason
    return check(example._replace(**case.row), case.plan.choice)


def built(plan: Plan, draft: Draft) -> Example:
    """The example of a draft that has to build."""
    example = build(plan, draft, "tests", vocabulary())
    assert isinstance(example, Example), example
    return example


def check(example: Example, choice: int | None = None) -> str | None:
    """`check_example` with the tests' vocabulary."""
    return check_example(example, vocabulary(), choice)
