"""Repairs: every reason is put in words, or is known to start afresh."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.base.chat.parse import CAUSES
from gen.triplets.accept import NO_GUIDANCE, Guidance
from gen.triplets.constructions import BY_NAME, CONSTRUCTIONS, Construction
from gen.triplets.prompts import render_repair
from tests.support.drafts import REASONS, Case, cases, judge, make_draft, make_plan
from tests.support.generated import Made, any_made

NOT_THE_WRITERS = frozenset(
    """
    article query wrong_measure negative_words same_negative negative_bindings negative_text
    same_family
    """.split()
)
"""What the program builds: none of these is a writer's fault, and none is met in a run."""

AFRESH = frozenset(
    """
    answer_refused answer_blank cap_filled duplicate_terms duplicate_bindings duplicate_caption
    request_timeout request_dropped request_throttled request_unavailable request_server_error
    request_garbled request_refused
    """.split()
)
"""Where another plan is better than a second look at the same draft."""

SPOKEN = (REASONS - NOT_THE_WRITERS) | (CAUSES.keys() - AFRESH) | {"frequency_cap"}

DRAFT = make_draft(
    ("flag", "banner"), (("torn",), ("red",)), "A torn flag hung beside a red banner all day."
)
BANNED = Guidance(banned=frozenset({"torn", "banner", "kettle"}))


def said(construction: str, reason: str, known: bool = True) -> str | None:
    """What a model is told of the draft above, or of an answer that is no draft."""
    return render_repair(make_plan(construction), reason, DRAFT if known else None, BANNED)


@pytest.mark.parametrize("construction", BY_NAME)
@pytest.mark.parametrize("reason", sorted(SPOKEN))
def test_each_reason_is_put_in_words_for_each_construction(construction: str, reason: str) -> None:
    text = said(construction, reason, known=not reason.startswith("answer_"))
    assert text is not None
    assert text.startswith("Your answer can't be used. ")
    assert text.endswith("Answer with the JSON object only.")
    assert not re.search(r"\bNone\b|[{}]|  |\n\n|_", text)


@pytest.mark.parametrize("reason", sorted(AFRESH | NOT_THE_WRITERS))
def test_other_reasons_start_afresh(reason: str) -> None:
    assert said("pair_swap", reason) is None


@pytest.mark.parametrize("kind", CONSTRUCTIONS, ids=lambda c: c.name)
def test_counts_are_those_of_the_construction(kind: Construction) -> None:
    number = {1: "one attribute.", 2: "two attributes."}[kind.attributes]
    assert f"exactly {number}" in (said(kind.name, "attribute_count") or "")
    number = {2: "two", 3: "three"}[kind.pairs]
    assert f"exactly {number} objects" in (said(kind.name, "pair_count") or "")


def test_a_length_that_is_missed_is_told_as_counted() -> None:
    plan = make_plan("pair_swap", band=(20, 26))
    text = render_repair(plan, "length", DRAFT, NO_GUIDANCE) or ""
    assert "The caption has 10 words; it has to have 20 to 26." in text


def test_a_distance_that_is_missed_is_told_as_counted() -> None:
    plan = make_plan("pair_swap", window=(5, 9))
    text = render_repair(plan, "distance", DRAFT, NO_GUIDANCE) or ""
    assert "The distance is 3 words; it has to be 5 to 9." in text


@given(any_made())
def test_what_is_told_is_what_the_check_measured(made: Made) -> None:
    """With bounds that no caption holds; articles are still to be repaired in the draft."""
    example = made.example
    tight = replace(made.plan, band=(90, 99), window=(90, 99))
    length = render_repair(tight, "length", made.draft, NO_GUIDANCE) or ""
    distance = render_repair(tight, "distance", made.draft, NO_GUIDANCE) or ""
    assert f"The caption has {example.words} words; " in length
    assert f"The distance is {example.distance} words; " in distance


@pytest.mark.parametrize("construction", BY_NAME)
def test_bad_drafts_of_the_case_files_get_words_of_their_own(construction: str) -> None:
    """No two reasons that a draft of the type can have are told alike."""
    told: dict[str, str] = {}
    for case in cases(construction, "bad"):
        reason = judge(case)
        if reason in SPOKEN and not case.row:
            text = render_repair(case.plan, reason, case.draft, BANNED)
            assert text is not None
            told[reason] = text
    assert len(told) > 5
    assert len(set(told.values())) == len(told)


TERMS = st.one_of(
    st.sampled_from(["flag", "banner", "torn", "red", "", " ", "—", "a flag", "Flag", "fl\u00e4g"]),
    st.text(max_size=6),
)


@given(st.data(), st.sampled_from(CONSTRUCTIONS))
def test_any_draft_at_all_is_judged_and_told_of(data: st.DataObject, kind: Construction) -> None:
    """Whatever a model makes up: a reason, and words for it or none; never an exception."""
    rows = st.lists(TERMS, min_size=kind.attributes, max_size=kind.attributes)
    draft = make_draft(
        data.draw(st.lists(TERMS, min_size=kind.pairs, max_size=kind.pairs)),
        data.draw(st.lists(rows, min_size=kind.pairs, max_size=kind.pairs)),
        data.draw(st.lists(TERMS, max_size=12).map(" ".join) | st.text()),
        data.draw(st.lists(st.tuples(TERMS, TERMS), max_size=2)),
    )
    plan = make_plan(kind.name)
    reason = judge(Case("made up", draft, plan))
    if reason is not None:
        told = render_repair(plan, reason, draft, BANNED)
        assert (told is not None) == (reason in SPOKEN)


def test_banned_words_are_named_as_the_draft_has_them() -> None:
    text = said("pair_swap", "frequency_cap") or ""
    assert "Banned as an object or attribute: banner, torn. Use other words." in text
    capital = make_draft(("Flag", "banner"), (("Torn",), ("red",)), DRAFT.positive)
    text = render_repair(make_plan("pair_swap"), "frequency_cap", capital, BANNED) or ""
    assert ": Torn, banner." in text
