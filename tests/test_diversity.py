"""Captions are as varied as human ones, by compression and distinct 4-grams."""

from __future__ import annotations

from collections import Counter

import pytest

from gen.words import words
from tests.bench.variety import (
    CHARACTERS,
    distinct_ngrams,
    distinct_share,
    gzip_ratio,
    masked,
    near_duplicates,
    report,
    sample,
)
from tests.written import Sample

TEMPLATES = [
    f"At the {a}, a {b} flag lay beside a {c} drum." for a in "xy" for b in "pq" for c in "rs"
]


@pytest.fixture(scope="module")
def text(written: Sample) -> str:
    return sample([row.example.positive for row in written.good])


def test_captions_hardly_compress(text: str) -> None:
    assert len(text) == CHARACTERS
    assert gzip_ratio(text) <= 3.6


def test_runs_of_four_words_hardly_repeat(text: str) -> None:
    assert distinct_ngrams(text) >= 0.80


def test_no_run_of_four_frame_words_is_a_mannerism(written: Sample) -> None:
    """No run of four words stands in one caption of fifty (a fifth has to refer back somehow)."""
    counts: Counter[tuple[str, ...]] = Counter()
    for row in written.good:
        tokens = words(masked(row.example).replace("_", "MASK"))
        grams = {tuple(tokens[start : start + 4]) for start in range(len(tokens) - 3)}
        counts.update(gram for gram in grams if "mask" not in gram)
    common = {gram: n for gram, n in counts.items() if n > len(written.good) / 50}
    assert not common


def test_the_measures_see_templates() -> None:
    """What the bounds above are there to catch."""
    text = sample(TEMPLATES * 40, 10_000)
    assert gzip_ratio(text) > 3.6
    assert distinct_ngrams(text) < 0.80
    assert distinct_share(TEMPLATES * 2) == 0.5


def test_the_measures_on_texts_with_a_known_answer() -> None:
    assert distinct_ngrams("a b c d a b c d") == 4 / 5
    assert distinct_ngrams("a b c d e f g") == 1
    assert gzip_ratio("a" * 10_000) > 100


def test_a_sample_is_random_yet_repeatable() -> None:
    captions = [f"Caption number {n}." for n in range(100)]
    assert sample(captions, 500) == sample(captions, 500) != sample(captions, 500, seed=1)
    with pytest.raises(ValueError, match="are needed"):
        sample(captions, 10_000)


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


def test_near_duplicates_on_texts_with_a_known_answer() -> None:
    captions = ["a b c d e f", "a b c d e g", "u v w x y z"]
    assert near_duplicates(captions) == 2 / 3
    assert near_duplicates(captions, overlap=0.9) == 0


def test_near_duplicates_are_rare(written: Sample) -> None:
    assert near_duplicates([row.example.positive for row in written.good]) < 0.005
