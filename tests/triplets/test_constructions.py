"""Every construction, through its case file: good drafts pass, bad ones fail for their reason."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from gen.triplets import constructions as package
from gen.triplets.constructions import BY_NAME, CONSTRUCTIONS, Construction
from schemas.triplets import Example
from tests.support import ROOT
from tests.support.drafts import (
    CASES,
    REASONS,
    Case,
    built,
    cases,
    check,
    judge,
    make_draft,
    make_plan,
)

NAMES = tuple(BY_NAME)
MODULES = Path(package.__file__).parent


def every(kind: str) -> list[object]:
    """All cases of a kind, over all constructions, as pytest parameters."""
    return [pytest.param(case, id=case.name) for name in NAMES for case in cases(name, kind)]


def docstring(name: str) -> str:
    """The docstring of a construction's module."""
    return str(getattr(package, name).__doc__)


def worked_example(name: str) -> dict[str, str]:
    """The query and the three captions that a construction's docstring shows."""
    return dict(re.findall(r"^    (query|positive|attribute|object) +(.+)$", docstring(name), re.M))


def test_the_seven_of_the_paper_in_their_order() -> None:
    assert [item.name for item in CONSTRUCTIONS][:7] == [
        "pair_swap",
        "triple_bind_cycle",
        "triple_bind_swap",
        "attr_bundle",
        "predicative",
        "deferred_bind_anaphoric",
        "deferred_bind_respective",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_construction_is_a_module_a_template_and_a_case_file(name: str) -> None:
    assert (MODULES / f"{name}.py").is_file()
    assert (ROOT / "prompts" / "constructions" / f"{name}.j2").is_file()
    assert (CASES / f"{name}.toml").is_file()


def test_nothing_lies_beside_the_listed_constructions() -> None:
    extra = {"__init__", "base"}
    assert {path.stem for path in MODULES.glob("*.py")} == {*NAMES, *extra}
    assert {path.stem for path in CASES.glob("*.toml")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_case_file_is_large_enough_to_mean_something(name: str) -> None:
    assert len(cases(name, "good")) >= 8
    assert len(cases(name, "bad")) >= 14
    assert all(case.reason in REASONS for case in cases(name, "bad"))
    assert all(case.reason is None and not case.row for case in cases(name, "good"))


@pytest.mark.parametrize("name", NAMES)
def test_good_cases_cover_every_choice(name: str) -> None:
    assert {case.plan.choice for case in cases(name, "good")} == set(range(BY_NAME[name].choices))


@pytest.mark.parametrize("case", every("good"))
def test_a_good_case_passes(case: Case) -> None:
    assert judge(case) is None


@pytest.mark.parametrize("case", every("bad"))
def test_a_bad_case_fails_for_exactly_its_reason(case: Case) -> None:
    assert judge(case) == case.reason


DAMAGED = [
    pytest.param(case, id=case.name) for name in NAMES for case in cases(name, "bad") if case.row
]


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_row_was_good_before_the_damage(case: Case) -> None:
    """So that the damage is what the check finds."""
    assert check(built(case.plan, case.draft), case.plan.choice) is None


def test_every_reason_has_a_case() -> None:
    """A new rule without a case fails here."""
    seen = Counter(case.reason for name in NAMES for case in cases(name, "bad"))
    assert set(seen) >= REASONS


FAMILIES = {
    "two colors": ("pair_swap", "red blue", 0, True),
    "a color and a state": ("pair_swap", "red torn", 0, False),
    "words that the vocabulary lacks": ("pair_swap", "mauve beige", 0, False),
    "a color and a word that it lacks": ("pair_swap", "red beige", 0, False),
    "three colors": ("triple_bind_cycle", "red blue green", 0, True),
    "two colors of three move on": ("triple_bind_cycle", "red blue torn", 0, False),
    "two colors, and a state that stays": ("triple_bind_swap", "torn red blue", 0, True),
    "a color that stays": ("triple_bind_swap", "torn red blue", 1, False),
    "two states, and what stays beside them": ("attr_bundle", "torn+red dusty+silk", 0, True),
    "what stays are the two states": ("attr_bundle", "torn+red dusty+silk", 1, False),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_same_family_is_about_the_attributes_that_are_exchanged(name: str) -> None:
    construction, attributes, choice, same = FAMILIES[name]
    rows = [row.split("+") for row in attributes.split()]
    objects = ["banner", "flag", "drum"][: len(rows)]
    parts = [f"a {' '.join(row)} {noun}" for row, noun in zip(rows, objects, strict=True)]
    draft = make_draft(objects, rows, f"There hung {', '.join(parts[:-1])} and {parts[-1]}.")
    assert built(make_plan(construction, choice=choice), draft).same_family is same


@pytest.mark.parametrize("construction", CONSTRUCTIONS, ids=lambda item: item.name)
def test_the_worked_example_in_the_docstring_is_what_the_program_builds(
    construction: Construction,
) -> None:
    shown = worked_example(construction.name)
    assert set(shown) == {"query", "positive", "attribute", "object"}
    phrases = [phrase.split() for phrase in re.split(r", | and ", shown["query"])]
    phrases.sort(key=lambda phrase: shown["positive"].index(phrase[-1]))
    draft = make_draft(
        [phrase[-1] for phrase in phrases],
        [phrase[:-1] for phrase in phrases],
        shown["positive"],
    )
    pairs = [[*row, noun] for noun, row in zip(draft.objects, draft.attributes, strict=True)]
    order = [pairs.index(phrase.split()) for phrase in re.split(r", | and ", shown["query"])]
    found: list[Example] = []
    for choice in range(construction.choices):
        plan = make_plan(construction.name, choice=choice, order=order)
        example = built(plan, draft)
        assert example.query == shown["query"]
        if (example.negative_attribute, example.negative_object) == (
            shown["attribute"],
            shown["object"],
        ) and check(example, choice) is None:
            found.append(example)
    assert found


@pytest.mark.parametrize("construction", CONSTRUCTIONS, ids=lambda item: item.name)
def test_the_docstring_says_why_the_type_is_hard(construction: Construction) -> None:
    text = docstring(construction.name)
    assert text.startswith(f"{construction.name}: ")
    prose = [line for line in text.splitlines()[1:] if line and not line.startswith("    ")]
    assert prose
