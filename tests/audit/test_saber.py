"""The audit of SABER's texts: a sound folder keeps every bound, a planted shortcut breaks one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.audit.config import AuditConfig
from gen.audit.data import Data, load
from gen.audit.saber import check as audit
from gen.audit.saber import distances
from gen.audit.saber.questions import Asked, nearest, questions
from gen.saber.captions import text_form
from schemas.audit import OVERALL, Finding
from schemas.saber import Binding, Scene
from tests.support import saber

Findings = dict[tuple[str, str], Finding]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    out = tmp_path_factory.mktemp("audit") / "saber"
    saber.made(out, sizes="2-6", questions_per_size=24)
    return load(out)


@pytest.fixture(scope="module")
def asked(data: Data) -> list[Asked]:
    return questions(data)


def named(findings: Sequence[Finding]) -> Findings:
    found = {(finding.check, finding.group): finding for finding in findings}
    assert len(found) == len(findings), "a figure is there twice"
    return found


def failed(findings: Sequence[Finding]) -> set[str]:
    return {finding.check for finding in findings if not finding.passed}


def with_answer(question: Asked, place: int) -> Asked:
    """The same question with its answer in another place."""
    order = [other for other in range(4) if other != question.answer]
    order.insert(place, question.answer)
    texts, forms = question.texts, question.generation_texts
    return question._replace(
        answer=place,
        kinds=tuple(question.kinds[one] for one in order),
        candidates=tuple(question.candidates[one] for one in order),
        texts=(texts[0], *(texts[1 + one] for one in order)),
        generation_texts=(forms[0], *(forms[1 + one] for one in order)),
    )


# --- a sound folder ---------------------------------------------------------------------


def test_a_sound_folder_keeps_every_bound_but_that_of_its_blocks(data: Data) -> None:
    result = audit.check(data, AuditConfig(folder=data.path))
    assert failed(result.findings) <= {"answer_steps"}
    assert not result.flagged


def test_figures_are_there_for_everything_and_for_each_size(data: Data) -> None:
    found = named(audit.check(data, AuditConfig(folder=data.path)).findings)
    for check in ("bag_of_words", "text_edit_distance", "text_middle", "answer_places"):
        assert {group for name, group in found if name == check} == {
            OVERALL,
            *(f"n={n:02d}" for n in range(2, 7)),
        }


def test_a_bag_of_words_is_left_to_chance(asked: list[Asked]) -> None:
    """All four tie; of two pairs three, as a new word excludes the replacement."""
    found = named(list(audit.bag_of_words(asked)))
    for form in ("", "_generation"):
        assert found[f"bag_of_words{form}", "n=02"].value == pytest.approx(1 / 3)
        for n in range(3, 7):
            assert found[f"bag_of_words{form}", f"n={n:02d}"].value == 0.25


def test_pairs_of_neighboring_words_find_every_answer(asked: list[Asked]) -> None:
    """The limit of what text to text can show, as for pair_swap: bindings are neighbors there."""
    found = named(list(audit.order(asked)))
    assert found["text_neighbors", OVERALL].value == 1.0


def test_the_answer_is_in_the_middle_of_the_candidates(asked: list[Asked]) -> None:
    """By A.2: one swap keeps the order of its objects, another that of its attributes."""
    assert named(list(audit.order(asked)))["text_middle", OVERALL].value > 0.8


# --- planted shortcuts ------------------------------------------------------------------


def test_an_answer_that_prefers_a_place_is_found(asked: list[Asked]) -> None:
    same = [
        with_answer(question, 2 if at % 3 else question.answer) for at, question in enumerate(asked)
    ]
    assert "answer_places" in failed(list(audit.answer_places(same)))


def test_an_answer_that_goes_round_is_found(asked: list[Asked]) -> None:
    """Its places are even, and each tells the next."""
    turned = [with_answer(one, place) for one, place in zip(asked, cycle(range(4)), strict=False)]
    assert failed(list(audit.answer_places(turned))) == {"answer_steps"}


def test_an_answer_put_anywhere_at_random_is_not(asked: list[Asked]) -> None:
    draws = random.Random(3)
    assert not failed(
        list(audit.answer_places([with_answer(one, draws.randrange(4)) for one in asked]))
    )


def test_a_kind_that_prefers_a_place_is_found(asked: list[Asked]) -> None:
    sorted_kinds = [one._replace(kinds=tuple(sorted(one.kinds))) for one in asked]
    assert "kind_places" in failed(list(audit.answer_places(sorted_kinds)))


def test_a_missing_kind_is_counted(asked: list[Asked]) -> None:
    first = asked[0]._replace(kinds=("object_swap",) * 4)
    finding = audit.kinds_of([first, *asked[1:]])
    assert (finding.value, finding.passed) == (1, False)


def test_a_word_that_comes_everywhere_is_found(asked: list[Asked]) -> None:
    def red(scene: Scene) -> Scene:
        return (Binding("red", scene[0].object), *scene[1:])

    findings = list(audit.evenness([one._replace(query=red(one.query)) for one in asked]))
    assert failed(findings) == {"most_used_attributes"}


@pytest.mark.parametrize("form", ["texts", "generation_texts"])
def test_a_swap_with_a_word_of_its_own_is_found(asked: list[Asked], form: str) -> None:
    def marked(question: Asked) -> Asked:
        texts = list(getattr(question, form))
        texts[1 + (question.answer + 1) % 4] += " Really."
        return question._replace(**{form: tuple(texts)})

    suffix = "_generation" if form == "generation_texts" else ""
    findings = list(audit.bag_of_words([marked(one) if one.n > 2 else one for one in asked]))
    assert failed(findings) == {f"bag_of_words{suffix}", f"bag_of_words_ties{suffix}"}


def test_a_candidate_that_contains_a_foreign_query_is_found(data: Data, asked: list[Asked]) -> None:
    victim = next(one for one in asked if one.subset == "independent" and one.n == 2)
    at, holder = next(pair for pair in enumerate(asked) if pair[1].n == 6)
    phrase = victim.texts[0].removesuffix(".").lower()
    wrong = f"{holder.texts[4].removesuffix('.')} and {phrase}."
    changed = [*asked]
    changed[at] = holder._replace(texts=(*holder.texts[:4], wrong))
    result = audit.containment(data, changed)
    assert failed(result.findings) == {"judgements", "accidental_containment"}
    assert [(row.id, row.text) for row in result.flagged] == [(victim.id, victim.texts[0])]


# --- the measures -----------------------------------------------------------------------

SCENES = st.lists(
    st.builds(
        Binding, st.sampled_from("red icy tie-dye".split()), st.sampled_from("kite ape".split())
    ),
    min_size=2,
    max_size=6,
).map(tuple)


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_the_nearest_candidate_is_one_of_the_four(distances: list[int]) -> None:
    chances = [nearest(distances, answer) for answer in range(4)]
    assert sum(chances) == pytest.approx(1)
    assert all(
        (chance > 0) == (far == min(distances))
        for chance, far in zip(chances, distances, strict=True)
    )


@given(SCENES, SCENES)
def test_an_edit_distance_is_one(one: Scene, other: Scene) -> None:
    far = distances.edit_distance(one, other)
    assert far == distances.edit_distance(other, one)
    assert (far == 0) == (one == other)
    assert 2 * abs(len(one) - len(other)) <= far <= 2 * max(len(one), len(other))
    if len(one) == len(other):
        assert far <= distances.moved_terms(one, other)


@given(SCENES)
def test_phrases_are_the_pairs_of_a_caption(scene: Scene) -> None:
    assert audit.phrases(text_form(scene)) == {f"{attribute} {noun}" for attribute, noun in scene}


def test_order_is_what_tells_the_measures_apart() -> None:
    query = (Binding("red", "cube"), Binding("icy", "kite"))
    turned, swapped = query[::-1], (Binding("icy", "cube"), Binding("red", "kite"))
    assert distances.moved_terms(query, turned) == 4
    assert distances.moved_attributes(query, swapped) == 2
    assert distances.moved_objects(query, swapped) == 0
    assert distances.first_pair(query, swapped) == distances.last_pair(query, swapped) == 1
    assert distances.neighbors(query, turned) < distances.neighbors(query, swapped)
    assert distances.bag_of_words("A red cube.", "a cube, RED") == 0
