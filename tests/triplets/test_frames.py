"""The grammar's own data: symbols.toml and frames.toml, line by line."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain, combinations

import pytest

from gen.triplets.constructions import CONSTRUCTIONS
from gen.triplets.constructions.base import ABOVE
from gen.triplets.context import PLAIN, contexts, lines
from gen.triplets.grammar.catalog import Frames
from gen.triplets.grammar.derive import Grammar, parse
from gen.triplets.grammar.frames import ITEMS, assemble, holds
from gen.triplets.grammar.leaves import leaf_lists, leaf_weights
from gen.triplets.grammar.writer import FOLDER
from gen.vocab.triplets import KINDS

DATA = tomllib.loads((FOLDER / "frames.toml").read_text())
SYMBOLS = {
    name: lines(text) for name, text in tomllib.loads((FOLDER / "symbols.toml").read_text()).items()
}
SYMBOL = re.compile(r"\{([\w.]+)\??\}")
LEAVES = leaf_weights(leaf_lists())
WRAPPERS = {name: lines(text) for name, text in DATA["wrappers"].items()}
KIND_OF_CLAUSE = {kind for spec in DATA["openers"].values() for kind in spec["clauses"]}
REPORTS = frozenset("source question remark imperative display inventory".split())
"""Openers that report, ask, remark or announce: nothing else speaks in their captions."""


def clauses() -> Iterator[tuple[str, str, str]]:
    """(type, kind, clause) of all clauses, `END` as it is."""
    for name, kinds in DATA["clauses"].items():
        for kind, text in kinds.items():
            yield from ((name, kind, line) for line in lines(text))


CLAUSES = tuple(clauses())
TEXTS = (
    *(line for _, _, line in CLAUSES),
    *chain.from_iterable(WRAPPERS.values()),
    *chain.from_iterable(spec["prefix"] for spec in DATA["openers"].values()),
    *lines(DATA["endings"]["any"]),
)


# --- symbols ----------------------------------------------------------------------------


def used() -> set[str]:
    """The symbols that a frame leads to."""
    found: set[str] = set()
    left = {name for text in TEXTS for name in SYMBOL.findall(text)}
    left |= {name for name in SYMBOLS if name.startswith("pred")}  # by the verbs of families
    while left:
        name = left.pop()
        found.add(name)
        for own in (name, *(f"{name}@{kind}" for kind in KINDS)):
            left |= {more for text in SYMBOLS.get(own, ()) for more in SYMBOL.findall(text)} - found
    return found


def test_every_symbol_is_led_to_by_a_frame() -> None:
    assert not {name for name in SYMBOLS if name.partition("@")[0] not in used()}


def test_every_symbol_that_is_named_has_its_lines() -> None:
    assert not {name for name in used() if name not in SYMBOLS and name not in LEAVES}


def test_symbols_are_written_anew_only_for_kinds_that_there_are() -> None:
    for name in SYMBOLS:
        symbol, at, kind = name.partition("@")
        assert not at or (kind in KINDS and symbol in SYMBOLS), name


@pytest.mark.parametrize("name", list(SYMBOLS))
def test_no_line_of_a_symbol_stands_there_twice(name: str) -> None:
    bodies = Counter(re.sub(r" #\d+$", "", line) for line in SYMBOLS[name])
    assert max(bodies.values()) == 1, bodies.most_common(1)


def test_tense_forms_are_of_equal_length() -> None:
    """So a caption has its length in either tense; `parse` refuses what is not."""
    for text in (*TEXTS, *chain.from_iterable(SYMBOLS.values())):
        parse(re.sub(r"[()<>]|^aside:", "", text))


# --- frames -----------------------------------------------------------------------------


def test_every_clause_and_wrapper_is_of_a_kind_that_an_opener_takes() -> None:
    assert {spec["wrappers"] for spec in DATA["openers"].values()} == WRAPPERS.keys()
    for name, kinds in DATA["clauses"].items():
        assert KIND_OF_CLAUSE - {"placed"} <= kinds.keys() <= KIND_OF_CLAUSE, name


def test_the_grammar_has_the_16_openers_and_the_plain_ones_anew() -> None:
    openers = contexts().openers
    plain = {f"{PLAIN}.{name}" for name, opener in openers.items() if opener.plain}
    assert DATA["openers"].keys() == openers.keys() | plain


def test_no_clause_stands_twice() -> None:
    counts = Counter(CLAUSES)
    assert max(counts.values()) == 1, counts.most_common(1)


@pytest.mark.parametrize("item", ITEMS)
def test_no_text_names_an_item_of_the_plan_twice(item: str) -> None:
    assert not [text for text in TEXTS if text.count(item) > 1]


def test_captions_have_one_thought() -> None:
    """A lead-in or an aside, never both, and neither where the opener speaks already."""
    for name, wrappers in WRAPPERS.items():
        for wrapper in wrappers:
            assert not ("{lead}" in wrapper and wrapper.startswith("aside:")), (name, wrapper)
            assert wrapper.count(" . ") <= 2, (name, wrapper)
    bare = "\n".join(WRAPPERS["bare"])
    assert "{lead}" not in bare
    assert "aside:" not in bare
    for name, spec in DATA["openers"].items():
        if name in REPORTS or name.startswith(f"{PLAIN}."):
            assert spec["wrappers"] == "bare", name
    fronts = [
        spec for spec in DATA["openers"].values() for text in spec["prefix"] if text.endswith(",")
    ]
    assert fronts
    assert "{lead}" not in "\n".join(WRAPPERS["fronted"])


def test_an_aside_is_never_asked_for_by_a_clause_itself() -> None:
    """It stands in a group: kept where the wrapper asks for it, else dropped."""
    for _, _, text in CLAUSES:
        assert "aside" not in holds(text)[0], text


# --- what can be derived ----------------------------------------------------------------


@cache
def grammars() -> dict[str, Grammar]:
    return {kind: Grammar(SYMBOLS, LEAVES, kind) for kind in KINDS}


def with_endings(clause: str) -> list[str]:
    """A clause with each ending in the place of END."""
    endings = lines(DATA["endings"]["any"]) if clause.endswith("END") else ("",)
    return [clause.removesuffix("END") + ending for ending in endings]


def shapes(line: str) -> set[object]:
    """The parts of a clause with any ending and any items in their places."""
    return {
        assemble(clause, frozenset(held)).parts
        for clause in with_endings(line)
        for count in range(len(ITEMS) + 1)
        for held in combinations(ITEMS.values(), count)
        if holds(clause)[0] <= set(held) <= holds(clause)[1]
    }


def itemsets() -> list[frozenset[str]]:
    """The items that a plan may have: always a scene."""
    extras = ("time", "weather", "dist")
    chosen = chain.from_iterable(combinations(extras, count) for count in range(4))
    return [frozenset({"scene", *own}) for own in chosen]


@pytest.mark.parametrize("kind", KINDS)
def test_every_clause_can_be_derived(kind: str) -> None:
    """In a window and band of its type, after an opener, with some items of a plan."""
    grammar, frames, dead = grammars()[kind], Frames(DATA), []
    for construction in CONSTRUCTIONS:
        name = construction.clauses or construction.name
        derived = set()
        for opener in DATA["openers"]:
            for held in {own for items in itemsets() for own, _ in frames.groups(opener, items)}:
                for window in construction.windows:
                    ranks, bodies = frames.bodies(construction.name, opener, held, grammar, window)
                    longest = construction.bands[-1][1] + ABOVE
                    derived |= {
                        body.shape.parts
                        for rank, body in zip(ranks, bodies, strict=True)
                        if rank <= longest
                    }
        for own, clause_kind, line in CLAUSES:
            if own == name and not shapes(line) & derived:
                dead.append((construction.name, clause_kind, line))
    assert not dead
