"""Relevance by containment, against a brute-force count; and what a bag of words makes of it."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.base.text.words import normalized, words
from gen.saber.captions import text_form
from gen.saber.retrieval import Gallery, judgements
from gen.saber.sampler import sample
from gen.saber.settings import Settings
from gen.vocab.saber import load
from schemas.saber import Binding, Question, candidate_id
from tests.support.saber import Asked, asked

bindings = st.builds(Binding, st.sampled_from("abc"), st.sampled_from("xyz"))
scenes = st.lists(bindings, min_size=2, max_size=5, unique=True).map(tuple)


def brute_force(questions: list[Question]) -> set[tuple[str, str]]:
    """Every query beside every candidate."""
    return {
        (question.id, candidate_id(other.id, place))
        for question in questions
        for other in questions
        for place, candidate in enumerate(other.candidates)
        if all(binding in candidate.scene for binding in question.query)
    }


@given(st.lists(scenes), scenes)
def test_the_gallery_finds_what_contains_a_query(
    candidates: list[tuple[Binding, ...]], query: tuple[Binding, ...]
) -> None:
    gallery = Gallery()
    for scene in candidates:
        gallery.add(scene)
    assert gallery.containing(query) == [
        number for number, scene in enumerate(candidates) if set(scene) >= set(query)
    ]


@given(asked())
def test_judgements_are_those_of_a_brute_force_count(case: Asked) -> None:
    questions, _ = sample(*case)
    rows = list(judgements(questions))
    assert {(row["query-id"], row["corpus-id"]) for row in rows} == brute_force(questions)
    assert len(rows) == len({(row["query-id"], row["corpus-id"]) for row in rows})
    assert {row["score"] for row in rows} == {1}


@given(asked())
def test_an_independent_query_has_its_own_answer_and_no_other(case: Asked) -> None:
    questions, _ = sample(*case)
    relevant: dict[str, list[str]] = {}
    for query, candidate in sorted(brute_force(questions)):
        relevant.setdefault(query, []).append(candidate)
    for question in questions:
        own = candidate_id(question.id, question.answer)
        assert own in relevant[question.id]
        if question.subset == "independent":
            assert relevant[question.id] == [own]


@given(asked())
def test_a_nested_query_has_the_answers_of_all_larger_ones(case: Asked) -> None:
    questions, _ = sample(*case)
    found = brute_force(questions)
    nested = [question for question in questions if question.chain is not None]
    for question in nested:
        for other in nested:
            if other.chain == question.chain and other.n >= question.n:
                assert (question.id, candidate_id(other.id, other.answer)) in found


def test_crowded_questions_are_drawn_again() -> None:
    """Otherwise the tests above would hold by luck."""
    _, rejected = sample(load(), Settings(0, (2, 9, 10), 3000))
    assert rejected > 5


def test_a_swap_with_fixed_points_counts() -> None:
    """Larger scenes of a chain hold small queries in their wrong candidates too."""
    questions, _ = sample(load(), Settings(0, tuple(range(2, 11)), 200))
    kinds = {
        candidate_id(question.id, place): candidate.kind
        for question in questions
        for place, candidate in enumerate(question.candidates)
    }
    counts = Counter(kinds[row["corpus-id"]] for row in judgements(questions))
    assert set(counts) == {"binding_preserving", "attribute_swap", "object_swap", "joint_swap"}


# --- a bag of words


def bag(text: str) -> Counter[str]:
    return Counter(map(normalized, words(text)))


def overlap(query: str, candidate: str) -> int:
    """How many words two captions share: what a scorer blind to order goes by."""
    return (bag(query) & bag(candidate)).total()


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    return sample(load(), Settings(0, tuple(range(2, 11)), 40))[0]


def test_a_bag_of_words_ties_on_three_pairs_or_more(questions: list[Question]) -> None:
    """A tie is not a win."""
    for question in questions:
        scores = [
            overlap(text_form(question.query), text_form(candidate.scene))
            for candidate in question.candidates
        ]
        if question.n > 2:
            assert scores == [scores[0]] * 4
        else:  # it knows the replacement by its new word, and nothing else
            place = [candidate.kind for candidate in question.candidates].index("replacement")
            assert scores.pop(place) < scores[0]
            assert scores == [scores[0]] * 3
