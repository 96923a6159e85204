"""What a parser reads: attributes with their objects, subjects with their verbs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gen.audit.config import AuditConfig
from gen.audit.data import Data, Pair, example_pairs
from gen.audit.form import check as form
from gen.audit.form import parsed
from gen.audit.form.agreement import agreement
from gen.audit.form.binding import bindings
from gen.audit.result import Result
from gen.triplets.constructions import BY_NAME
from gen.triplets.constructions.base import Form
from schemas.audit import Finding
from schemas.triplets import Example
from tests.support.written import Sample

if TYPE_CHECKING:
    from spacy.language import Language

CONFIG = AuditConfig(folder=Path("data"))


@pytest.fixture(scope="module")
def nlp() -> Language:
    spacy = pytest.importorskip("spacy", reason="spaCy parses (pip install 'saber-toolkit[audit]')")
    if not any(map(spacy.util.is_package, form.MODELS)):
        pytest.skip("spaCy's small English model is not installed")
    return form.load()


@pytest.fixture(scope="module")
def examples(written: Sample) -> list[Example]:
    """Twelve rows of each construction."""
    rows = [row.example for row in written.good]
    return [
        row for name in BY_NAME for row in [one for one in rows if one.construction == name][:12]
    ]


# --- bindings ---------------------------------------------------------------------------

READ: tuple[tuple[Form | None, str, str], ...] = (
    (None, "A red banner and a dusty drum stood in the hall.", "red banner, dusty drum"),
    (None, "A dusty banner and a red drum stood in the hall.", "dusty banner, red drum"),
    (None, "The hot-pink silk flag lay beside an old paper lamp.", "hot-pink flag, silk flag"),
    (None, "The banner was red, while the drum looked dusty.", "red banner, dusty drum"),
    (
        None,
        "There was a drum that was broken and a banner that looked red.",
        "broken drum, red banner",
    ),
    (None, "The banner that hung beside the drum was red.", "red banner"),
    (None, "There was a drum that somebody said was dusty beside the banner.", "dusty drum"),
    (None, "The coffee table was red and the drum seemed dusty.", "red coffee table, dusty drum"),
    (
        "anaphoric",
        "A banner and a drum lay in the hall. The latter was dusty, and the former was red.",
        "dusty drum, red banner",
    ),
    (
        "anaphoric",
        "A banner and a drum lay in the hall; the second one was dusty and the first one red.",
        "dusty drum, red banner",
    ),
    (
        "anaphoric",
        "There was a drum and a banner, the former dusty and the latter red.",
        "dusty drum, red banner",
    ),
    (
        "respective",
        "The banner and the drum in the hall were new and neat respectively.",
        "new banner, neat drum",
    ),
)


def pairs_of(text: str) -> dict[str, str]:
    return {one.split()[0]: one.split(maxsplit=1)[1] for one in text.split(", ")}


@pytest.mark.parametrize(("form_", "text", "pairs"), READ)
def test_each_way_to_bind_is_read(nlp: Language, form_: Form | None, text: str, pairs: str) -> None:
    meant = pairs_of(pairs)
    objects = ["banner", "drum", "flag", "lamp", "coffee table"]
    there = [noun for noun in objects if noun in text]
    assert bindings(nlp(text), there, list(meant), form_) == meant


def test_what_belongs_to_another_noun_is_bound_to_no_object(nlp: Language) -> None:
    doc = nlp("A red car stopped beside the banner and the drum.")
    assert bindings(doc, ["banner", "drum"], ["red"]) == {"red": None}


def test_attributes_that_are_not_joined_are_no_joint_predicate(nlp: Language) -> None:
    doc = nlp("The new banner lay there. A neat drum stood here, respectively.")
    found = bindings(doc, ["banner", "drum"], ["new", "neat"], "respective")
    assert found == {"new": None, "neat": None}


def test_a_term_that_stands_twice_is_refused(nlp: Language) -> None:
    with pytest.raises(ValueError, match="'drum' stands 2 times"):
        bindings(nlp("A red drum and a drum."), ["drum"], ["red"])


def test_a_negative_is_meant_to_bind_its_own_words(examples: list[Example]) -> None:
    for example in examples:
        positive, attribute, noun = parsed.texts(example)
        queried = {
            word: noun
            for noun, row in zip(example.objects, example.attributes, strict=True)
            for word in row
        }
        assert positive.meant == queried
        assert attribute.meant != queried
        assert noun.meant != queried
        assert sorted(attribute.meant.values()) == sorted(noun.meant.values())


# --- agreement --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "The banner was red and the drum is dusty.",
        "The banner and the drum were red and dusty respectively.",
        "Two clerks who work here notice a banner that looks red.",
        "I was there when both drums were sold.",
        "A pair of drums are old; either the clerk or the porters know.",
        "Folks: there lies a slimy drum alongside a charming banner below the window.",
    ],
)
def test_what_agrees_passes(nlp: Language, text: str) -> None:
    assert not list(agreement(nlp(text)))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("The old banner were red.", "banner ... were"),
        ("Two clerks notices a red banner.", "clerks ... notices"),
        ("The banner and the drum was red.", "banner ... was"),
        ("They was looking at the drum.", "They ... was"),
        ("The clerk noticed some banners that was red.", "banners ... was"),
    ],
)
def test_what_does_not_agree_is_found(nlp: Language, text: str, fault: str) -> None:
    assert list(agreement(nlp(text))) == [fault]


def test_faults_beyond_the_parsers_own_are_beyond_the_bound(nlp: Language) -> None:
    good = [f"The banner on shelf {n} was red." for n in range(95)]
    bad = [f"The banner on shelf {n} were red." for n in range(10)]
    assert form.agreements(nlp, good).findings[0].passed
    result = form.agreements(nlp, [*good, *bad])
    assert not result.findings[0].passed
    assert {row.text for row in result.flagged} == set(bad)


# --- a dataset --------------------------------------------------------------------------


def audited(examples: Sequence[Example]) -> Data:
    pairs = tuple(pair for example in examples for pair in example_pairs(example))
    return Data("own", Path("own"), "binding-triplets", "", pairs, tuple(examples))


def one(result: Result, check: str, group: str = "all") -> Finding:
    [finding] = [one for one in result.findings if (one.check, one.group) == (check, group)]
    return finding


def test_what_the_grammar_writes_is_read_as_meant(nlp: Language, examples: list[Example]) -> None:
    result = form.check(audited(examples), CONFIG)
    failed = {finding.check for finding in result.findings if not finding.passed}
    # Of so few captions, what the parser itself misreads is judged by the interval.
    assert failed <= {"agreement"}
    agreement = one(result, "agreement")
    assert agreement.low is not None
    assert agreement.low <= (agreement.bound or 0)
    for column in ("positive", "negative_attribute", "negative_object"):
        assert one(result, f"{column}_read").value > 0.85
        assert one(result, f"{column}_bound").value > 0.95
        for name in BY_NAME:
            assert one(result, f"{column}_bound", f"construction={name}").value > 0.7
    assert one(result, "negative_as_query").value == 0
    assert {row.check for row in result.flagged} <= {"positive_bound", "agreement"}


def test_positives_and_negatives_that_were_exchanged_are_found(
    nlp: Language, examples: list[Example]
) -> None:
    wrong = [
        row._replace(positive=row.negative_attribute, negative_attribute=row.positive)
        for row in examples
        if row.construction == "pair_swap"
    ]
    result = form.check(audited(wrong), CONFIG)
    assert not one(result, "positive_bound").passed
    assert one(result, "positive_bound").value < 0.1
    assert one(result, "negative_as_query").value > 0.4
    assert not one(result, "negative_as_query").passed
    whys = [row.why for row in result.flagged if row.check == "positive_bound"]
    assert len(whys) >= 18
    first = wrong[0]
    assert (
        f"{first.attributes[0][0]!r} is read with {first.objects[1]!r}, not {first.objects[0]!r}"
        in whys
    )


def test_a_sample_is_drawn_by_the_seed(nlp: Language, examples: list[Example]) -> None:
    few = AuditConfig(folder=Path("data"), sample=6)
    data = audited(examples)
    first, again = form.check(data, few), form.check(data, few)
    assert first.findings == again.findings
    assert one(first, "agreement").n == 6
    assert one(first, "negative_as_query").n == 12


def test_a_file_of_pairs_has_no_bindings_to_read(nlp: Language) -> None:
    pair = Pair("a red cup on a table", "a red table on a cup", None, "1", "", "")
    data = Data("pairs.csv", Path("pairs.csv"), "pairs", "", (pair,))
    found = {finding.check for finding in form.check(data, CONFIG).findings}
    assert "agreement" in found
    assert not {name for name in found if "bound" in name or "query" in name}


def test_without_the_model_the_error_names_what_to_install(
    nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(form, "MODELS", ("en_core_web_none",))
    with pytest.raises(ValueError, match="spacy download en_core_web_sm"):
        form.load()
