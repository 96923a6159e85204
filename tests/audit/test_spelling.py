"""What is wrong with a text on its face: each fault that is planted is found, clean text passes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.audit.form.check import face
from gen.audit.form.spelling import RULES, indefinite
from gen.base.text.articles import article
from tests.support.written import Sample

CLEAN = (
    "A red banner and an old drum lay in the hall.",
    'Listen: "an hour ago," she said, "an usher\'s honest dog sat by a one-off unicorn."',
    "An X-ray, an SUV, a UFO, an 8-foot eel (an 18-year-old) and a 1,000-piece ukulele!",
    "Lot A is here; the view that that is so? A European had had an herb at 8:30.",
    "What stood out? The two two-tone cups, a once-blue one and an unidentified urn...",
)
PLANTED = {
    "articles": ("lay by a owl there.", "lay by an unicorn there.", "by a 'old' drum."),
    "repeated_words": ("lay in the the hall.", "lay lay there.", "lay in in a hall."),
    "spacing": ("lay  there.", "lay there ,too.", "lay, , there.", "lay there,too.", "lay\tthere."),
    "quotes": ('lay "there.', "lay (there.", "lay there).", "lay “there."),
    "sentences": ("lay. there it is.", "lay there", 'lay. "there it is."', "lay there,"),
}


@pytest.mark.parametrize("text", CLEAN)
def test_clean_text_passes_every_rule(text: str) -> None:
    assert {name: list(rule(text)) for name, rule in RULES.items() if list(rule(text))} == {}


@pytest.mark.parametrize(
    ("rule", "fault"), [(rule, one) for rule in PLANTED for one in PLANTED[rule]]
)
def test_a_planted_fault_is_found_by_its_rule_alone(rule: str, fault: str) -> None:
    text = f"A red banner {fault}"
    assert {name for name in RULES if list(RULES[name](text))} == {rule}


def test_a_text_that_starts_in_lower_case_is_found() -> None:
    assert list(RULES["sentences"]("a red banner.")) == ["starts with 'a'"]


WORDS = st.from_regex(r"[b-z][a-z]{2,8}", fullmatch=True)


@given(st.lists(WORDS, min_size=2, max_size=9, unique=True), st.data())
def test_a_word_is_found_twice_in_a_row_wherever_it_stands(
    tokens: list[str], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(tokens) - 1))
    doubled = [*tokens[: at + 1], *tokens[at:]]
    assert not list(RULES["repeated_words"](" ".join(tokens)))
    assert bool(list(RULES["repeated_words"](" ".join(doubled)))) == (
        tokens[at] not in ("that", "had")
    )


@given(WORDS)
def test_one_of_the_two_articles_is_right_and_the_other_is_found(word: str) -> None:
    right = indefinite(word)
    wrong = {"a": "an", "an": "a"}[right]
    assert not list(RULES["articles"](f"There is {right} {word}."))
    assert list(RULES["articles"](f"There is {wrong} {word}.")) == [f"{wrong} {word}"]


def test_two_judges_agree_on_the_vocabulary(written: Sample) -> None:
    """The generator's articles come from inflect; the audit's rule shares nothing with it."""
    vocabulary = written.vocabulary
    terms = [*vocabulary.family_of, *vocabulary.class_of]
    assert not [term for term in terms if article(term) != indefinite(term.split()[0])]


def test_the_texts_of_a_dataset_are_counted_and_listed(written: Sample) -> None:
    texts = [row.example.positive for row in written.good[:500]]
    clean = face(texts)
    assert {finding.check for finding in clean.findings} == set(RULES)
    assert all(finding.passed for finding in clean.findings)
    wrong = face([*texts, "There is a owl owl.", "There is an cup"])
    values = {finding.check: finding.value for finding in wrong.findings}
    assert values["articles"] == pytest.approx(2 / 502)
    assert {finding.check for finding in wrong.findings if not finding.passed} == {
        "articles",
        "repeated_words",
        "sentences",
    }
    assert ("repeated_words", "owl owl") in {(row.check, row.why) for row in wrong.flagged}


def test_captions_that_are_no_sentences_are_no_fault_of_a_file_of_pairs() -> None:
    result = face(["a red cup on a table"], sentences=False)
    assert all(finding.passed for finding in result.findings)
