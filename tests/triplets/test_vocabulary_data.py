"""The words that examples are made of: 772 adjectives in 19 families, over 1,000 nouns (B.3)."""

from __future__ import annotations

import re
import tomllib
from itertools import combinations
from random import Random
from typing import Any

import pytest

from gen.base.text.articles import article
from gen.base.text.words import plurals, words
from gen.triplets.constructions import BY_NAME
from gen.triplets.context import contexts
from gen.triplets.grammar.lexical import Lexicon
from gen.vocab import saber as saber_vocabulary
from gen.vocab.triplets import BUILTIN, KINDS, SETTINGS, NounClass, load

VOCABULARY = load()
ADJECTIVES = VOCABULARY.family_of
NOUNS = VOCABULARY.class_of
CLASSES = VOCABULARY.classes


def raw(name: str) -> dict[str, Any]:
    return tomllib.loads((BUILTIN / name).read_text())


def group_lines(name: str, key: str) -> list[str]:
    return [line.strip() for line in raw(name).get(key, "").splitlines() if line.strip()]


# --- counts and shape -------------------------------------------------------------------


def test_the_attribute_pool_is_772_adjectives_in_19_families() -> None:
    listed = [word for family in VOCABULARY.families.values() for word in family.words]
    assert (len(listed), len(set(listed)), len(VOCABULARY.families)) == (772, 772, 19)


def test_there_are_at_least_a_thousand_nouns() -> None:
    listed = [word for cls in CLASSES.values() for word in cls.words]
    assert len(listed) == len(set(listed)) >= 1_000


def test_no_word_is_both_an_adjective_and_a_noun() -> None:
    assert ADJECTIVES.keys().isdisjoint(NOUNS)


def test_every_entry_is_one_lower_case_ascii_word() -> None:
    odd = [
        term
        for term in (*ADJECTIVES, *NOUNS)
        if words(term) != [term] or not re.fullmatch(r"[a-z]+(-[a-z]+)*", term)
    ]
    assert not odd


def test_no_noun_is_the_plural_of_another() -> None:
    assert not {(noun, form) for noun in NOUNS for form in plurals(noun) if form in NOUNS}


def test_no_adjective_is_the_plural_of_a_noun() -> None:
    assert not {(noun, form) for noun in NOUNS for form in plurals(noun) if form in ADJECTIVES}


# --- classes: what may go together ------------------------------------------------------


@pytest.mark.parametrize("cls", CLASSES.values(), ids=list(CLASSES))
def test_every_class_has_a_kind_places_and_families(cls: NounClass) -> None:
    assert cls.kind in KINDS
    assert cls.where
    assert set(cls.where) <= set(SETTINGS)
    assert len(cls.where) == len(set(cls.where))
    assert cls.families
    assert len(cls.families) == len(set(cls.families))
    assert set(cls.families) <= VOCABULARY.families.keys()


def test_every_kind_and_every_family_is_used() -> None:
    assert {cls.kind for cls in CLASSES.values()} == set(KINDS)
    assert {name for cls in CLASSES.values() for name in cls.families} == set(VOCABULARY.families)


def test_something_may_be_met_in_every_setting() -> None:
    types = {setting.type for setting in contexts().settings.values()}
    assert types == set(SETTINGS)
    assert types <= {place for cls in CLASSES.values() for place in cls.where}


@pytest.mark.parametrize("kind", KINDS)
def test_any_two_classes_that_meet_share_three_slots_apart_in_adjective_order(kind: str) -> None:
    """`attr_bundle` takes two attributes that stand in a fixed order, from different slots."""
    own = [cls for cls in CLASSES.values() if cls.kind == kind]
    for first, second in [*combinations(own, 2), *((cls, cls) for cls in own)]:
        shared = [VOCABULARY.families[name] for name in set(first.families) & set(second.families)]
        assert len({family.order for family in shared}) >= 3, (first.name, second.name)
        assert len({family.slot for family in shared}) >= 3, (first.name, second.name)


def test_families_stand_in_the_english_order_of_adjectives() -> None:
    order = {name: family.order for name, family in VOCABULARY.families.items()}
    ranked = ("appeal", "size", "age", "vivid_color", "provenance", "hard_material")
    assert all(1 <= place <= 9 for place in order.values())
    assert sorted(ranked, key=lambda name: order[name]) == list(ranked)


def test_every_attribute_can_be_predicated_with_be() -> None:
    assert all("be" in family.verbs for family in VOCABULARY.families.values())


# --- reach ------------------------------------------------------------------------------


def test_the_writer_can_draw_every_adjective_and_every_noun() -> None:
    lexicon, random = Lexicon(VOCABULARY), Random(0).random
    scenes = list(contexts().scenes.values())
    nouns, adjectives = set(NOUNS), set(ADJECTIVES)
    for number in range(60_000):
        if not nouns and not adjectives:
            break
        choice = lexicon.choose(
            BY_NAME["pair_swap"], scenes[number % len(scenes)], 0, frozenset(), random
        )
        if choice is not None:
            nouns.difference_update(choice.objects)
            adjectives.difference_update(*choice.attributes)
    assert (nouns, adjectives) == (set(), set())


# --- what must not meet -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["adjectives.toml", "nouns.toml"])
def test_a_synonym_group_names_two_or_more_different_known_words(name: str) -> None:
    known = ADJECTIVES if name == "adjectives.toml" else NOUNS
    lines = group_lines(name, "synonyms")
    assert lines
    for line in lines:
        group = line.split()
        assert len(group) == len(set(group)) >= 2, line
        assert set(group) <= known.keys(), line
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize("key", ["kind_of", "part_of"])
def test_a_head_stands_once_before_its_own_words(key: str) -> None:
    lines = group_lines("nouns.toml", key)
    assert lines
    for line in lines:
        head, colon, rest = line.partition(":")
        members = rest.split()
        assert colon, line
        assert head in NOUNS, line
        assert members, line
        assert head not in members, line
        assert len(members) == len(set(members)), line
        assert set(members) <= NOUNS.keys(), line
    heads = [line.partition(":")[0] for line in lines]
    assert len(set(heads)) == len(heads)


def test_a_conflict_holds_both_ways_and_never_with_the_word_itself() -> None:
    assert VOCABULARY.conflicts
    for word, others in VOCABULARY.conflicts.items():
        assert word not in others
        for other in others:
            assert VOCABULARY.clash(word, other), (word, other)
            assert VOCABULARY.clash(other, word), (other, word)
            assert (word in ADJECTIVES) == (other in ADJECTIVES), (word, other)


# --- articles ---------------------------------------------------------------------------

SOUNDS_CONSONANT = re.compile(r"eu|ewe|ouija|one|once|uku|uni(c|f|on|q|t|v)|us[aeu]|u-")
SOUNDS_VOWEL = re.compile(r"hour|heir|honest|honor|herb(s|al|ed)?\b|[fhlmnrsx]-")


def by_rule(word: str) -> str:
    """An independent rule: first letter, less the few words that sound otherwise."""
    if SOUNDS_VOWEL.match(word):
        return "an"
    if SOUNDS_CONSONANT.match(word):
        return "a"
    return "an" if word[0] in "aeiou" else "a"


def test_the_rule_knows_the_hard_words() -> None:
    an = "hourglass heirloom honest herb x-ray umbrella unused apple unpainted off-white"
    a = "unicorn unique uniform ukulele useful eucalyptus one-of-a-kind onesie ewe t-shirt hammer"
    assert {by_rule(word) for word in an.split()} == {"an"}
    assert {by_rule(word) for word in a.split()} == {"a"}


def test_every_word_takes_the_article_of_its_first_sound() -> None:
    wrong = {
        word: article(word) for word in (*ADJECTIVES, *NOUNS) if article(word) != by_rule(word)
    }
    assert not wrong


# --- SABER's words ----------------------------------------------------------------------


def test_most_of_the_vocabulary_is_not_sabers() -> None:
    """Training without SABER's words (C.1) needs rows that have none of them."""
    saber = saber_vocabulary.load()
    assert len(NOUNS.keys() - set(saber.objects)) >= 800
    assert len(ADJECTIVES.keys() - saber.attributes.keys()) >= 600
