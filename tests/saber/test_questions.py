"""What every question is, whatever the vocabulary and however many are asked for (appendix A)."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gen.base.text.articles import article
from gen.saber.captions import generation_form, text_form
from gen.saber.rows import spread
from gen.saber.sampler import sample
from gen.saber.settings import Settings, check_room, parse_sizes
from gen.verify.question import broken_rules
from gen.vocab.saber import SaberVocabulary, load
from schemas.saber import Binding, Question, Scene
from schemas.saber import kinds as kinds_of
from tests.support import ROOT
from tests.support.saber import Asked, apart, asked, room, scenes, vocabularies

README = ROOT / "README.md"
DEFAULT = Settings(0, tuple(range(2, 11)), 200)


@pytest.fixture(scope="module")
def standard() -> list[Question]:
    """The benchmark as it is by default."""
    return sample(load(), DEFAULT)[0]


def kinds(question: Question) -> dict[str, Scene]:
    return {candidate.kind: candidate.scene for candidate in question.candidates}


# --- any vocabulary, any sizes


@given(asked())
def test_as_many_questions_as_asked_for_in_order(case: Asked) -> None:
    found, _ = sample(*case)
    independent, chains = case.settings.independent, case.settings.chains
    assert [(one.n, one.subset, one.number) for one in found] == [
        (n, subset, number)
        for n in case.settings.sizes
        for subset, count in (("independent", independent), ("nested", chains))
        for number in range(count)
    ]
    assert independent - chains in (0, 1)


@given(asked())
def test_words_of_a_scene_are_distinct_and_do_not_look_alike(case: Asked) -> None:
    for question in sample(*case)[0]:
        for scene in scenes(question):
            assert len(scene) == question.n
            assert len({binding.object for binding in scene}) == question.n
            assert len({binding.attribute for binding in scene}) == question.n
        terms = {term for scene in scenes(question) for binding in scene for term in binding}
        assert apart(case.vocabulary, terms) == len(terms)


@given(asked())
def test_candidate_1_reorders_the_query(case: Asked) -> None:
    for question in sample(*case)[0]:
        first = kinds(question)["binding_preserving"]
        assert sorted(first) == sorted(question.query)
        assert first != question.query
        assert question.candidates[question.answer].scene == first


@given(asked())
def test_swaps_permute_what_they_are_named_after(case: Asked) -> None:
    for question in sample(*case)[0]:
        scene = kinds(question)
        first = scene["binding_preserving"]
        attributes, objects = zip(*first, strict=True)
        swapped, kept = zip(*scene["attribute_swap"], strict=True)
        assert kept == objects
        assert swapped != attributes
        assert sorted(swapped) == sorted(attributes)
        kept, swapped = zip(*scene["object_swap"], strict=True)
        assert kept == attributes
        assert swapped != objects
        assert sorted(swapped) == sorted(objects)


@given(asked())
def test_three_pairs_or_more_give_four_different_assignments(case: Asked) -> None:
    for question in sample(*case)[0]:
        if question.n > 2:
            assert set(kinds(question)) == {
                *("binding_preserving", "attribute_swap", "object_swap", "joint_swap")
            }
            assert len({frozenset(scene) for scene in kinds(question).values()}) == 4
            for scene in scenes(question):
                for old, new in zip(
                    zip(*question.query, strict=True), zip(*scene, strict=True), strict=True
                ):
                    assert sorted(old) == sorted(new)


@given(asked())
def test_two_pairs_keep_one_and_renew_half_of_the_other(case: Asked) -> None:
    for question in sample(*case)[0]:
        if question.n == 2:
            query = set(question.query)
            scene = set(kinds(question)["replacement"])
            (kept,), (new,), (old,) = query & scene, scene - query, query - scene
            assert (new.attribute == old.attribute) != (new.object == old.object)
            assert not {*new} & {*kept}


@given(asked())
def test_a_chain_adds_bindings_and_keeps_appearances(case: Asked) -> None:
    chains: dict[int | None, list[Question]] = {}
    for question in sample(*case)[0]:
        chains.setdefault(question.chain, []).append(question)
    chains.pop(None, None)
    assert len(chains) == case.settings.chains
    for chain in chains.values():
        assert [question.n for question in chain] == list(case.settings.sizes)
        for smaller, larger in pairwise(chain):
            assert set(smaller.query) < set(larger.query)
            assert smaller.looks.items() >= {
                (name, look) for name, look in larger.looks.items() if name in smaller.looks
            }


@given(asked())
def test_every_attribute_has_one_of_its_appearances(case: Asked) -> None:
    palette = case.vocabulary.palette
    for question in sample(*case)[0]:
        used = {binding.attribute for scene in scenes(question) for binding in scene}
        assert question.looks.keys() == used
        for name, look in question.looks.items():
            assert look in set(case.vocabulary.attributes[name].looks(palette))


@given(asked())
def test_the_place_of_the_answer_is_balanced_exactly(case: Asked) -> None:
    places: dict[tuple[str, int], Counter[int]] = {}
    for question in sample(*case)[0]:
        places.setdefault((question.subset, question.n), Counter(range(4)))[question.answer] += 1
    for counts in places.values():
        assert max(counts.values()) - min(counts.values()) <= 1


@given(asked())
def test_no_count_of_words_tells_a_candidate_from_the_query(case: Asked) -> None:
    for question in sample(*case)[0]:
        if question.n > 2:
            shown = scenes(question)
            for texts in (
                [text_form(scene) for scene in shown],
                [generation_form(scene, question.looks) for scene in shown],
            ):
                bags = [sorted(text.lower().replace(",", "")[:-1].split()) for text in texts]
                assert bags == [bags[0]] * 5


@given(asked())
def test_use_is_even_where_look_alikes_allow_it(case: Asked) -> None:
    vocabulary, wanted = case
    found, _ = sample(*case)
    for names, part in ((vocabulary.attributes, 0), (vocabulary.objects, 1)):
        group = Counter(vocabulary.group[name] for name in names)
        if max(group.values()) * wanted.sizes[-1] <= len(list(names)):
            uses = Counter(binding[part] for question in found for binding in question.query)
            counts = [uses[name] for name in names]
            assert max(counts) - min(counts) <= 2 * len(wanted.sizes)


@given(asked())
@settings(max_examples=40)
def test_the_proof_finds_nothing_wrong(case: Asked) -> None:
    for question in sample(*case)[0]:
        assert list(broken_rules(question, case.vocabulary)) == []


@given(asked())
@settings(max_examples=40)
def test_questions_are_a_function_of_the_seed(case: Asked) -> None:
    assert sample(*case) == sample(*case)


# --- the benchmark itself


def test_sizes_are_1800_questions_of_100_and_100(standard: list[Question]) -> None:
    counts = Counter((question.n, question.subset) for question in standard)
    assert counts == {
        (n, subset): 100 for n in range(2, 11) for subset in ("independent", "nested")
    }


def test_use_is_even(standard: list[Question]) -> None:
    vocabulary = load()
    for names, part in ((vocabulary.attributes, 0), (vocabulary.objects, 1)):
        uses = Counter(binding[part] for question in standard for binding in question.query)
        even = 200 * sum(range(2, 11)) / len(list(names))
        assert set(uses) == set(names)
        assert 0.9 * even <= min(uses.values())
        assert max(uses.values()) <= 1.1 * even


def test_replacements_are_objects_and_attributes_alike(standard: list[Question]) -> None:
    halves = Counter(
        (question.subset, len({b.object for scene in scenes(question) for b in scene}))
        for question in standard
        if question.n == 2
    )
    assert set(halves.values()) == {50}


def test_an_answer_s_place_tells_nothing_of_the_next(standard: list[Question]) -> None:
    """Evened out block by block, the next place would be right in a third of all cases."""
    steps = Counter(
        (later.answer - earlier.answer) % 4
        for earlier, later in pairwise(standard)
        if (earlier.subset, earlier.n) == (later.subset, later.n)
    )
    assert set(steps) == {0, 1, 2, 3}
    assert max(steps.values()) < 0.29 * steps.total()


def test_another_seed_gives_other_questions(standard: list[Question]) -> None:
    other, _ = sample(load(), DEFAULT._replace(seed=1))
    assert not {question.query for question in standard} & {question.query for question in other}


def test_swaps_of_many_pairs_move_most_of_them(standard: list[Question]) -> None:
    """A random permutation leaves one place as it is, on average."""
    fixed = [
        len(set(question.query) & set(candidate.scene))
        for question in standard
        for candidate in question.candidates
        if question.n == 10 and candidate.kind != "binding_preserving"
    ]
    assert 0.8 < sum(fixed) / len(fixed) < 1.2


def test_colors_are_not_repeated_while_others_are_left(standard: list[Question]) -> None:
    """Of a chain that holds only for its last question, which all appearances are drawn for."""
    palette = load().palette
    for question in standard:
        shown = [word for look in question.looks.values() for word in look.split()]
        counts = [shown.count(color) for color in palette]
        if question.subset == "independent" and sum(counts) < len(palette):
            assert max(counts) <= 1, question.id  # black is the one that not all attributes take


# --- captions


SCENE = (Binding("striped", "cube"), Binding("icy", "umbrella"), Binding("soap-bubble", "kite"))
LOOKS = {
    "striped": "orange and white striped",
    "icy": "frozen icy",
    "soap-bubble": "iridescent soap-bubble",
}


def test_both_forms_of_a_caption() -> None:
    assert text_form(SCENE) == "A striped cube, an icy umbrella and a soap-bubble kite."
    assert generation_form(SCENE, LOOKS) == (
        "An orange and white striped cube, a frozen icy umbrella "
        "and an iridescent soap-bubble kite."
    )


def test_two_pairs_take_no_comma() -> None:
    assert text_form((Binding("striped", "cube"), Binding("transparent", "kite"))) == (
        "A striped cube and a transparent kite."
    )


def test_the_readme_shows_a_question(standard: list[Question]) -> None:
    shown = next(question for question in standard if question.id == "independent-n03-00002")
    lines = [f"  {'query':<20} {text_form(shown.query)}"]
    lines += [f"  {kind:<20} {text_form(kinds(shown)[kind])}" for kind in kinds_of(3)]
    assert "\n".join(lines) in README.read_text()


def test_articles_go_by_sound(standard: list[Question]) -> None:
    for question in standard[::25]:
        for scene in scenes(question):
            for text in (text_form(scene), generation_form(scene, question.looks)):
                tokens = text.lower().replace(",", "").rstrip(".").split()
                for first, second in pairwise(tokens):
                    if first in ("a", "an"):
                        assert first == article(second), text


# --- too small a vocabulary


@given(vocabularies())
def test_what_is_not_refused_can_be_had(vocabulary: SaberVocabulary) -> None:
    """And what has too few words is refused before anything is drawn."""
    wanted = Settings(0, (2, 3), 2)
    few = min(apart(vocabulary, vocabulary.objects), apart(vocabulary, vocabulary.attributes)) < 4
    assert room(vocabulary, wanted) == (not few)
    if not few:
        assert len(sample(vocabulary, wanted)[0]) == 4


def test_too_many_questions_for_the_words_are_refused() -> None:
    with pytest.raises(ValueError, match=r"ask for at most [\d,]+ --questions-per-size"):
        check_room(load(), DEFAULT._replace(per_size=1_000_000))
    check_room(load(), DEFAULT._replace(per_size=100_000))


@pytest.mark.parametrize(
    ("text", "sizes"), [("2-4", (2, 3, 4)), ("2", (2,)), ("8,2, 4-5", (2, 4, 5, 8))]
)
def test_sizes_are_ranges_and_lists(text: str, sizes: tuple[int, ...]) -> None:
    assert parse_sizes(text) == sizes


@pytest.mark.parametrize("text", ["", "1-3", "0", "x", "4-2", "2-", "-2", "2,,3", "2.5"])
def test_wrong_sizes_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="pairs"):
        parse_sizes(text)


@given(st.integers(0, 500), st.integers(0, 600))
def test_a_sample_of_rows_is_spread_evenly(count: int, wanted: int) -> None:
    places = spread(count, wanted)
    assert len(places) == min(count, wanted)
    gaps = {later - earlier for earlier, later in pairwise(places)}
    assert all(0 <= place < count for place in places)
    assert not gaps or (min(gaps) > 0 and max(gaps) - min(gaps) <= 1)
