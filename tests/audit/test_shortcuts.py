"""Shortcuts with the query in sight: a bag of words ties; rules of thumb are right by half."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gen.audit.attack import shortcuts
from gen.audit.attack.shortcuts import in_order, layout, nearest, nearest_before, query_order
from gen.audit.data import Pair, example_pairs, load
from gen.triplets.constructions import CONSTRUCTIONS
from schemas.triplets import Example
from tests.support import audit


def example(positive: str, objects: str, attributes: str, order: str = "01") -> Example:
    fields: dict[str, Any] = dict.fromkeys(Example._fields, "")
    fields |= {
        "positive": positive,
        "objects": tuple(objects.split()),
        "attributes": tuple(tuple(row.split("+")) for row in attributes.split()),
        "order": tuple(map(int, order)),
    }
    return Example(**fields)


CASES = {
    "A red banner and a torn flag.": (2, 2, 0, 2),
    "The banner was red, the flag torn.": (2, 1, 2, 2),
    "The banner, near the flag that was torn, was red.": (0, 1, 1, 1),
    "Banner and flag: the former red, the latter torn.": (2, 1, 1, 2),
    "Banner and flag: the latter torn, the former red.": (0, 1, 1, 1),
}
"""Captions to bindings that are right by order, by nearness, by the object before; query order."""


@pytest.mark.parametrize("text", CASES)
def test_rules_of_thumb_count_the_bindings_that_they_get_right(text: str) -> None:
    found = layout(text, example(text, "banner flag", "red torn"))
    rules = (in_order, nearest, nearest_before, query_order)
    assert tuple(rule(found) for rule in rules) == CASES[text]


def test_two_attributes_of_an_object_go_together() -> None:
    text = "A red silk banner and a torn paper flag."
    found = layout(text, example(text, "banner flag", "red+silk torn+paper"))
    assert in_order(found) == nearest(found) == 4


def test_the_order_of_the_query_counts() -> None:
    text = "A red banner and a torn flag."
    found = layout(text, example(text, "banner flag", "red torn", order="10"))
    assert query_order(found) == 0
    assert in_order(found) == 2


def test_our_data_ties_for_a_bag_of_words_and_shows_what_is_adjacent(baseline: Path) -> None:
    data = load(baseline)
    result = shortcuts.check(data, audit.CONFIG)
    bag = audit.overall(result, "bag_of_words_differs")
    assert (bag.value, bag.n, bag.passed) == (0, 2 * len(data.examples), True)
    of = {(f.check, f.group.partition("=")[2]): f for f in result.findings}
    for name in (one.name for one in CONSTRUCTIONS if one.form == "prenominal"):
        found = of["attributes_in_object_order", name]
        assert (found.value, found.bound) == (1.0, None)
        assert "by definition" in found.note
    anaphoric = of["attributes_in_object_order", "deferred_bind_anaphoric"]
    assert (anaphoric.value, anaphoric.bound) == (0.5, shortcuts.BOUND)
    assert of["attributes_in_object_order", "deferred_bind_respective"].value == 1.0


def test_predicates_are_judged_but_where_nothing_stands_between() -> None:
    """One word, the verb: there the nearest object is the right one in any language."""
    near = predicative("The banner was {}, the flag {}.", distance=1)
    far = predicative("The banner, they say, was {}, and the flag was {}.", distance=4)
    data = replace(audit.data([*example_pairs(near), *example_pairs(far)]), examples=(near, far))
    of = {(f.check, f.group): f for f in shortcuts.rules(data).findings}
    split = of["nearest_object", "construction=predicative, adjacent"]
    rest = of["nearest_object", "construction=predicative"]
    assert (split.n, split.bound, rest.n, rest.bound) == (2, None, 2, shortcuts.BOUND)
    assert of["nearest_object_before", "construction=predicative"].bound is None


def predicative(form: str, distance: int) -> Example:
    right, wrong = form.format("red", "torn"), form.format("torn", "red")
    one = example(right, "banner flag", "red torn")
    return one._replace(
        id=str(distance),
        construction="predicative",
        query="red banner and torn flag",
        negative_attribute=wrong,
        negative_object=wrong,
        distance=distance,
    )


def test_a_rule_that_is_always_wrong_is_one_that_is_always_right() -> None:
    """A type whose second object is always described first is found out by the reversed rule."""
    text = "Banner and flag: the latter torn, the former red."
    swapped = "Banner and flag: the latter red, the former torn."
    one = example(text, "banner flag", "red torn")._replace(
        negative_attribute=swapped,
        negative_object=swapped,
        construction="deferred_bind_anaphoric",
        query="red banner and torn flag",
    )
    examples = tuple(one._replace(id=str(number)) for number in range(200))
    pairs = tuple(pair for one in examples for pair in example_pairs(one))
    data = replace(audit.data(pairs), examples=examples)
    checks = {found.check: found for found in shortcuts.rules(data).findings}
    found = checks["attributes_in_object_order"]
    assert (found.value, found.note, found.passed) == (1.0, "of the reversed rule", False)
    assert checks["nearest_object"].value == 0.5


def test_a_word_of_its_own_is_found_and_shown() -> None:
    leaky = audit.pairs(100, lambda text: text.replace("stood", "waits"), share=0.05)
    result = shortcuts.check(leaky, audit.CONFIG)
    found = audit.overall(result, "bag_of_words_differs")
    assert 0 < found.value < 0.2
    assert not found.passed
    assert all("waits" in sighting.text for sighting in result.flagged)
    assert len(result.flagged) == found.value * 100


def test_an_article_is_the_same_word() -> None:
    pair = Pair("An old red flag.", "A red old flag.", "q", "1", "", "")
    result = shortcuts.bag_of_words(audit.data([pair]))
    assert audit.overall(result, "bag_of_words_differs").value == 0
