"""The built-in table against two readers who saw 400 pairs and no score."""

from __future__ import annotations

import csv
from itertools import product

import pytest

from gen.vocab.triplets import load
from tests.support import TESTS

VOCABULARY = load()
READERS = {"a": ("reader_a",), "b": ("reader_b",), "both": ("reader_a", "reader_b")}


def pairs(who: str) -> list[tuple[str, str, bool]]:
    """(adjective, noun, plausible) of those whom the readers agree on, less the exceptions."""
    with (TESTS / "data" / "plausible_pairs.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) == 400
    rules = VOCABULARY.compatibility
    said = [(row["adjective"], row["noun"], {row[one] for one in READERS[who]}) for row in rows]
    return [
        (adjective, noun, verdicts == {"Y"})
        for adjective, noun, verdicts in said
        if len(verdicts) == 1
        if VOCABULARY.log_odds(adjective, noun) is not None  # the vocabulary still has both
        if (adjective, noun) not in rules.always | rules.never
    ]


def margin(adjective: str, noun: str) -> float:
    """Log-odds above the threshold of the adjective's family."""
    odds = VOCABULARY.log_odds(adjective, noun)
    assert odds is not None
    return odds - VOCABULARY.compatibility.thresholds[VOCABULARY.family_of[adjective]]


@pytest.mark.parametrize(
    ("who", "area", "precision", "recall"),
    [("both", 0.76, 0.94, 0.55), ("a", 0.72, 0.90, 0.56), ("b", 0.73, 0.94, 0.54)],
)
def test_what_the_table_keeps_is_plausible_to_readers(
    who: str, area: float, precision: float, recall: float
) -> None:
    yes = [margin(adjective, noun) for adjective, noun, good in pairs(who) if good]
    no = [margin(adjective, noun) for adjective, noun, good in pairs(who) if not good]
    wins = sum((one > other) + (one == other) / 2 for one, other in product(yes, no))
    kept, wrong = sum(value >= 0 for value in yes), sum(value >= 0 for value in no)
    found = wins / len(yes) / len(no), kept / (kept + wrong), kept / len(yes)
    assert found[0] >= area, found
    assert found[1] >= precision, found
    assert found[2] >= recall, found


@pytest.mark.parametrize(
    ("who", "precision", "recall"), [("both", 0.87, 0.83), ("a", 0.82, 0.83), ("b", 0.87, 0.81)]
)
def test_most_of_what_readers_let_pass_is_allowed(
    who: str, precision: float, recall: float
) -> None:
    """What a language model has chosen is held to less than what is drawn."""
    yes = [VOCABULARY.allows(adjective, noun) for adjective, noun, good in pairs(who) if good]
    no = [VOCABULARY.allows(adjective, noun) for adjective, noun, good in pairs(who) if not good]
    found = sum(map(bool, yes)) / sum(map(bool, [*yes, *no])), sum(map(bool, yes)) / len(yes)
    assert found[0] >= precision, found
    assert found[1] >= recall, found


def test_what_fits_is_allowed() -> None:
    for adjective in VOCABULARY.adjectives[::23]:
        for noun in VOCABULARY.partners[adjective]:
            assert VOCABULARY.allows(adjective, noun), (adjective, noun)


def test_few_words_have_few_partners() -> None:
    """A word with few partners is seldom drawn, and always with the same words."""
    scarce = [word for word, nouns in VOCABULARY.partners.items() if len(nouns) < 20]
    poor = [noun for noun, mask in VOCABULARY.masks.items() if mask.bit_count() < 12]
    assert len(scarce) <= 11, scarce
    assert not poor
