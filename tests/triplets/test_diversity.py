"""Captions are as varied as human ones: the grammar writer's, and the measures that say so."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.audit.variety.measures import (
    CHARACTERS,
    blanked,
    commonest_run,
    distinct_ngrams,
    distinct_share,
    entropy,
    evenness,
    gzip_ratio,
    masked,
    near_duplicates,
    runs,
    sample,
)
from gen.base.text.words import words
from tests.bench.triplets import report
from tests.support.written import Sample

TEMPLATES = [
    f"At the {a}, a {b} flag lay beside a {c} drum." for a in "xy" for b in "pq" for c in "rs"
]


@pytest.fixture(scope="module")
def text(written: Sample) -> str:
    return sample([row.example.positive for row in written.good])


# --- the grammar writer's captions ------------------------------------------------------


def test_captions_hardly_compress(text: str) -> None:
    assert len(text) == CHARACTERS
    assert gzip_ratio(text) <= 3.1


def test_runs_of_four_words_hardly_repeat(text: str) -> None:
    assert distinct_ngrams(text) >= 0.90


def test_no_run_of_four_frame_words_is_a_mannerism(written: Sample) -> None:
    """No run of four words stands in one caption of fifty (a fifth has to refer back somehow)."""
    run, share = commonest_run([masked(row.example) for row in written.good])
    assert share <= 1 / 50, run


def test_near_duplicates_are_rare(written: Sample) -> None:
    captions = [row.example.positive for row in written.good]
    assert len(near_duplicates(captions)) < 0.005 * len(captions)


# --- the measures -----------------------------------------------------------------------


def test_the_measures_see_templates() -> None:
    text = sample(TEMPLATES * 40, 10_000)
    assert gzip_ratio(text) > 3.6
    assert distinct_ngrams(text) < 0.80
    assert distinct_share(TEMPLATES * 2) == 0.5
    assert len(near_duplicates(TEMPLATES)) == len(TEMPLATES)


def test_the_measures_on_texts_with_a_known_answer() -> None:
    assert distinct_ngrams("a b c d a b c d") == 4 / 5
    assert distinct_ngrams("a b c d e f g") == 1
    assert gzip_ratio("a" * 10_000) > 100
    assert entropy([5, 5, 5, 5]) == 2
    assert entropy([7, 0]) == 0
    assert evenness([5, 5], kinds=4) == 0.5
    assert evenness([7], kinds=1) == 1


@given(st.lists(st.integers(0, 50), min_size=1, max_size=9).filter(any))
def test_entropy_lies_between_nothing_and_that_of_equal_counts(counts: list[int]) -> None:
    assert -1e-9 <= entropy(counts) <= log2(len(counts)) + 1e-9


def test_a_sample_is_random_yet_repeatable() -> None:
    captions = [f"Caption number {n}." for n in range(100)]
    assert sample(captions, 500) == sample(captions, 500) != sample(captions, 500, seed=1)
    with pytest.raises(ValueError, match="are needed"):
        sample(captions, 10_000)


def test_near_duplicates_on_texts_with_a_known_answer() -> None:
    captions = ["a b c d e f", "a b c d e g", "u v w x y z"]
    assert near_duplicates(captions) == {0: 1, 1: 0}
    assert not near_duplicates(captions, overlap=0.9)
    assert near_duplicates(["One.", "one", "two"]) == {0: 1, 1: 0}  # too short for a trigram


@given(
    st.lists(st.text("abc ", max_size=30), max_size=12),
    st.sampled_from([0.3, 0.5, 0.8, 1.0]),
)
def test_near_duplicates_are_those_that_comparing_all_with_all_finds(
    captions: list[str], overlap: float
) -> None:
    sets = [set(runs(words(caption), 3)) for caption in captions]

    def near(one: int, other: int) -> bool:
        return len(sets[one] & sets[other]) >= overlap * len(sets[one] | sets[other])

    every = range(len(captions))
    expected = {one for one in every if any(near(one, other) for other in every if other != one)}
    found = near_duplicates(captions, overlap)
    assert set(found) == expected
    assert all(near(one, other) and one != other for one, other in found.items())


def test_a_skeleton_keeps_the_frame_alone() -> None:
    positive = "A red banner and an old drum lay in the hall."
    negatives = ["An old banner and a red drum lay in the hall.", "A red drum and a dusty banner."]
    assert blanked(positive, negatives[:1]) == "a _ banner and an _ drum lay in the hall."
    assert blanked(positive, negatives) == "a _ _ and an _ _ _ _ _ _."
    assert blanked(positive, [positive.upper()]) == positive.casefold()


def test_a_mannerism_is_counted_once_a_caption_and_not_across_terms() -> None:
    skeletons = ["so they say of a _ and so they say of it", "so they say of", "x _ y z w"]
    assert commonest_run(skeletons) == ("so they say of", 2 / 3)
    assert commonest_run(["a _ b"]) == ("", 0.0)


def test_the_report_prints_every_measure(
    written: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    report([row.example.positive for row in written.good])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert all(
        name in "\n".join(lines)
        for name in ("distinct captions", "near-duplicate", "gzip", "4-grams")
    )
    report(["A short one."])
    assert "too few" in capsys.readouterr().out
