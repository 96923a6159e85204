"""Exact-length derivations: tables against enumeration, draws against their weights."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.triplets.grammar.derive import (
    LONGEST,
    TOKEN,
    Context,
    Grammar,
    Leaf,
    convolve,
    parse,
    size_of,
    text_element,
)

Rules = dict[str, tuple[str, ...]]

LEAVES = {"leaf": ("on", "so far", "by far", "up to now")}
"""A context list, of phrases without content words so that any may follow any."""


def sizes(phrases: Sequence[str]) -> list[float]:
    """The share of each length in a context list."""
    counts = Counter(len(phrase.split()) for phrase in phrases)
    return [counts[size] / len(phrases) for size in range(LONGEST + 1)]


def make_grammar(rules: Mapping[str, Sequence[str]], kind: str = "thing") -> Grammar:
    return Grammar(rules, {name: sizes(phrases) for name, phrases in LEAVES.items()}, kind)


def drawn(grammar: Grammar, symbol: str, size: int, random: Random, tense: int = 1) -> str:
    """One derivation of a symbol, as text."""
    buckets: dict[str, dict[int, list[Leaf]]] = {}
    for name, phrases in LEAVES.items():
        for phrase in phrases:
            leaf = Leaf((phrase, phrase), frozenset())
            buckets.setdefault(name, {}).setdefault(len(phrase.split()), []).append(leaf)
    context = Context(buckets, tense, random.random, ())
    grammar.draw(symbol, size, context)
    return " ".join(context.out)


def derivations(rules: Rules, symbol: str, tense: int = 1) -> Iterator[tuple[str, float]]:
    """Every (text, probability) of a symbol by plain enumeration, to hold the tables against."""
    if symbol.endswith("?"):
        yield "", 0.5
        for text, weight in derivations(rules, symbol[:-1], tense):
            yield text, weight / 2
        return
    if symbol in LEAVES:
        for phrase in LEAVES[symbol]:
            yield phrase, 1 / len(LEAVES[symbol])
        return
    parsed = [production.partition("#") for production in rules[symbol]]
    total = sum(float(weight or 1) for *_, weight in parsed)
    for body, _, weight in parsed:
        options = []
        for match in TOKEN.finditer(body):
            if match["symbol"]:
                options.append(list(derivations(rules, match["symbol"] + (match["maybe"] or ""))))
            elif match["plain"]:
                options.append([(match["plain"], 1.0)])
            else:
                options.append([((match["present"], match["past"])[tense], 1.0)])
        for parts in product(*options):
            mass = float(weight or 1) / total
            for _, part in parts:
                mass *= part
            yield " ".join(text for text, _ in parts if text), mass


WORDS = ("a", "tall", "man", "well-fed", "old o'clock", "[walks|walked]", "[has|had] gone", ",", "")


@st.composite
def small_grammars(draw: st.DrawFn) -> Rules:
    """Acyclic: each symbol names the one below it (the highest names it twice) and the leaf."""
    rules: Rules = {}
    below: str | None = None
    for depth, name in enumerate(("low", "mid", "top")):
        productions = []
        for _ in range(draw(st.integers(1, 2))):
            parts = [draw(st.sampled_from(WORDS)) for _ in range(draw(st.integers(1, 2)))]
            for symbol in [below] * (2 if depth == 2 else 1) if below else ["leaf"]:
                if draw(st.booleans()):
                    parts.append(f"{{{symbol}{draw(st.sampled_from(['', '?']))}}}")
            order = draw(st.permutations(parts))
            weight = draw(st.sampled_from(["", " #2", " #5"]))
            productions.append(" ".join(order) + weight)
        rules[name] = tuple(productions)
        below = name
    return rules


def by_length(rules: Rules, symbol: str) -> dict[int, dict[str, float]]:
    """The probability of each text, by its length in words."""
    found: dict[int, dict[str, float]] = {}
    for text, mass in derivations(rules, symbol):
        own = found.setdefault(words_in(text), defaultdict(float))
        own[text] += mass
    return found


def words_in(text: str) -> int:
    """Words of a text, commas aside."""
    return sum(1 for part in text.split() if part != ",")


# --- tables -----------------------------------------------------------------------------


@given(small_grammars())
def test_the_table_is_what_enumeration_gives(rules: Rules) -> None:
    grammar, expected = make_grammar(rules), by_length(rules, "top")
    table = grammar.table("top")
    assert sum(table) == pytest.approx(1)
    for size in range(LONGEST + 1):
        assert table[size] == pytest.approx(sum(expected.get(size, Counter()).values()))
    mask = grammar.mask(("top",))
    assert {size for size in range(LONGEST + 1) if mask >> size & 1} == set(expected)


@given(small_grammars(), st.integers(0, 2**32))
def test_a_draw_has_exactly_the_words_asked_for(rules: Rules, seed: int) -> None:
    grammar, random = make_grammar(rules), Random(seed)
    for size, texts in by_length(rules, "top").items():
        text = drawn(grammar, "top", size, random)
        assert words_in(text) == size
        assert text in texts


@given(small_grammars(), st.integers(0, 2**32))
def test_lengths_of_several_symbols_sum_to_the_asked_one(rules: Rules, seed: int) -> None:
    grammar, random = make_grammar(rules), Random(seed)
    names = ("leaf", "low", "mid", "mid")
    table = grammar.sums(names)
    assert sum(table) == pytest.approx(1)
    for size, mass in enumerate(table):
        if mass > 0:
            lengths = grammar.split(names, size, random.random)
            assert sum(lengths) == size
            for name, length in zip(names, lengths, strict=True):
                assert grammar.table(name)[length] > 0


def test_lengths_beyond_the_longest_are_cut() -> None:
    half = [0.0] * (LONGEST + 1)
    half[LONGEST // 2 + 1] = 1.0
    assert convolve(half, half) == [0.0] * (LONGEST + 1)


# --- draws ------------------------------------------------------------------------------

EXAMPLE: Rules = {
    "who": ("she #3", "they two", "old man #2"),
    "did": ("[sits|sat]", "[lies|lay] down #2", "[waits|waited] {leaf}"),
    "said": ("{who} {did}", "{who} {leaf?} {did} #2", "so {did} {who} {leaf}"),
}


@pytest.mark.parametrize("size", sorted(by_length(EXAMPLE, "said")))
def test_every_derivation_of_a_length_occurs_in_proportion_to_its_weight(size: int) -> None:
    expected = by_length(EXAMPLE, "said")[size]
    total = sum(expected.values())
    grammar, random, count = make_grammar(EXAMPLE), Random(size), 8_000
    seen = Counter(drawn(grammar, "said", size, random) for _ in range(count))
    assert seen.keys() <= expected.keys()
    chi_square = 0.0
    for text, mass in expected.items():
        share = count * mass / total
        chi_square += (seen[text] - share) ** 2 / share
        assert seen[text] or share < 20, text
    free = len(expected) - 1
    assert chi_square <= free + 5 * sqrt(2 * free)


def test_tense_picks_the_form() -> None:
    grammar = make_grammar({"did": ("the man [sits|sat] , [has|had] gone",)})
    assert drawn(grammar, "did", 5, Random(0), tense=0) == "the man sits , has gone"
    assert drawn(grammar, "did", 5, Random(0), tense=1) == "the man sat , had gone"


def test_a_phrase_that_repeats_a_content_word_is_passed_over() -> None:
    leaves = {
        "leaf": {
            2: [Leaf(("one ferry",) * 2, frozenset({"ferry"})), Leaf(("two", "two"), frozenset())]
        }
    }
    for seed in range(20):
        context = Context(leaves, 1, Random(seed).random, {"ferry"})
        context.leaf("leaf", 2)
        assert context.out == ["two"]


def test_a_repetition_is_better_than_nothing() -> None:
    leaves = {"leaf": {2: [Leaf(("one ferry",) * 2, frozenset({"ferry"}))]}}
    context = Context(leaves, 1, Random(0).random, {"ferry"})
    context.leaf("leaf", 2)
    assert context.out == ["one ferry"]


def test_a_phrase_once_used_is_not_used_again() -> None:
    names = ("ferry", "queue", "crowd")
    leaves = {"leaf": {1: [Leaf((name, name), frozenset({name})) for name in names]}}
    for seed in range(20):
        context = Context(leaves, 1, Random(seed).random, ())
        for _ in names:
            context.leaf("leaf", 1)
        assert sorted(context.out) == sorted(names)


# --- notation ---------------------------------------------------------------------------


def test_a_symbol_may_be_overridden_for_a_kind() -> None:
    rules = {"verb": ("[stands|stood]",), "verb@animal": ("[is|was] grazing",)}
    assert drawn(make_grammar(rules, "thing"), "verb", 1, Random(0)) == "stood"
    assert drawn(make_grammar(rules, "animal"), "verb", 2, Random(0)) == "was grazing"


def test_a_weight_closes_a_production() -> None:
    assert parse("the man #3")[1] == 3
    assert parse("the man")[1] == 1


def test_punctuation_has_no_words() -> None:
    elements, _ = parse("so , {who} 's {leaf?} : [has|had] gone .")
    assert [e if isinstance(e, str) else (e.forms[1], e.size) for e in elements] == [
        *[("so", 1), (",", 0), "who", ("'s", 0), "leaf?", (":", 0), ("had", 1), ("gone", 1)],
        (".", 0),
    ]


@pytest.mark.parametrize(
    ("text", "size"),
    [("", 0), ("'s", 0), (",", 0), ("o'clock", 1), ("well-fed man", 2), ("the clerk's man", 3)],
)
def test_size_counts_words_as_the_validator_does(text: str, size: int) -> None:
    assert size_of(text) == size


# --- errors -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["[sits|sat down]", "[has gone|went]", "[|was]"])
def test_tense_forms_of_different_length_are_refused(text: str) -> None:
    present, _, past = text.strip("[]").partition("|")
    with pytest.raises(ValueError, match="differ in length"):
        parse(f"the man {text}")
    with pytest.raises(ValueError, match="differ in length"):
        text_element(present, past)


@pytest.mark.parametrize(
    "rules",
    [
        {"loop": ("{loop}",)},
        {"loop": ("a man {other}",), "other": ("so {leaf} {loop?}",)},
    ],
    ids=["direct", "through another"],
)
def test_a_cycle_is_refused_by_name(rules: Rules) -> None:
    with pytest.raises(ValueError, match="'loop'"):
        make_grammar(rules).table("loop")


def test_an_unknown_symbol_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"'nowhere'.*\bfood\b"):
        make_grammar({"top": ("a man {nowhere}",)}, "food").table("top")


def test_a_length_that_is_impossible_cannot_be_drawn() -> None:
    grammar = make_grammar({"top": ("a man",)})
    assert grammar.table("top")[3] == 0
    with pytest.raises((ValueError, IndexError)):
        drawn(grammar, "top", 3, Random(0))
