"""Derivations of an exact length: the recursive method over an acyclic weighted grammar.

For every symbol the table holds how much probability its productions give to each length
in words; a draw of length n walks down, choosing each production and each split of the
length in proportion to that. A derivation therefore has its length by construction: no
trial, no trimming. (Flajolet, Zimmermann, Van Cutsem 1994, "A calculus for the random
generation of labelled combinatorial structures".)

Text in a production: plain words and punctuation, `{symbol}`, `{symbol?}` (half the time
empty), `[present|past]` for words that follow the tense, and a closing `#3` for a weight
other than 1. Leaves are the lists of a plan's setting, time, weather and register: every
context offers every length of a leaf, so that one table serves all contexts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TypeAlias

from gen.base.text.words import WORD

LONGEST = 48
"""No region of a caption is longer than this many words."""

Vector: TypeAlias = list[float]
Tense: TypeAlias = int
"""0 for present, 1 for past: the place in a `[present|past]` pair."""

TOKEN = re.compile(
    r"\{(?P<symbol>[\w.]+)(?P<maybe>\?)?\}"
    r"|\[(?P<present>[^|\]]*)\|(?P<past>[^\]]*)\]"
    r"|(?P<plain>[^\s{}\[\],;:.?!]+|[,;:.?!])"
)


@dataclass(frozen=True, slots=True)
class Text:
    """A terminal: its two tense forms and its length in words."""

    forms: tuple[str, str]
    size: int


Element: TypeAlias = Text | str
"""A terminal, or the name of a symbol."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One phrase of a context list, with its content words for avoiding repetition."""

    forms: tuple[str, str]
    content: frozenset[str]


Leaves: TypeAlias = Mapping[str, Mapping[int, Sequence[Leaf]]]
"""Leaf lists by symbol and length."""


def size_of(text: str) -> int:
    """Words of a piece of text; a lone `'s` belongs to the word before it."""
    return 0 if text.startswith("'") else len(WORD.findall(text))


@cache
def parse(production: str) -> tuple[list[Element], float]:
    """The elements and the weight of a production.

    Raises:
        ValueError: where the tense forms of a word differ in length.
    """
    body, _, weight = production.partition("#")
    elements: list[Element] = []
    for match in TOKEN.finditer(body):
        if match["symbol"]:
            elements.append(match["symbol"] + (match["maybe"] or ""))
        elif match["plain"]:
            elements.append(text_element(match["plain"], match["plain"]))
        else:
            elements.append(text_element(match["present"], match["past"]))
    return elements, float(weight or 1)


def text_element(present: str, past: str) -> Text:
    """A terminal from its tense forms, which must be equally long."""
    if size_of(present) != size_of(past):
        raise ValueError(f"tense forms differ in length: [{present}|{past}]")
    return Text((present, past), size_of(present))


def convolve(first: Vector, second: Vector) -> Vector:
    """Weights of the summed length of two independent parts, cut at `LONGEST`."""
    result = [0.0] * (LONGEST + 1)
    sparse = [(size, weight) for size, weight in enumerate(second) if weight]
    for size, weight in enumerate(first):
        if weight:
            for other, factor in sparse:
                if size + other > LONGEST:
                    break
                result[size + other] += weight * factor
    return result


class Grammar:
    """The symbols for one kind of object, with their length tables."""

    def __init__(
        self, rules: Mapping[str, Sequence[str]], leaf_weights: Mapping[str, Vector], kind: str
    ) -> None:
        self._rules = rules
        self.kind = kind
        self._tables: dict[str, Vector] = dict(leaf_weights)
        self._leaves = frozenset(leaf_weights)
        self._productions: dict[str, list[tuple[tuple[str, ...], list[Element], int, float]]] = {}
        self._choices: dict[tuple[str, int], tuple[list[int], list[float]]] = {}
        self._sums: dict[tuple[str, ...], Vector] = {(): [1.0] + [0.0] * LONGEST}
        self._masks: dict[tuple[str, ...], int] = {}
        self._pending: set[str] = set()

    def table(self, symbol: str) -> Vector:
        """Probability of each length of a symbol; it sums to one (less what `LONGEST` cuts).

        Raises:
            ValueError: for an unknown symbol or a cycle, naming it.
        """
        known = self._tables.get(symbol)
        if known is not None:
            return known
        if symbol in self._pending:
            raise ValueError(f"grammar symbol {symbol!r} contains itself")
        self._pending.add(symbol)
        total: Vector = [0.0] * (LONGEST + 1)
        productions = []
        for text in self._texts(symbol):
            elements, weight = parse(text)
            names = tuple(sorted(e for e in elements if isinstance(e, str)))
            fixed = sum(e.size for e in elements if isinstance(e, Text))
            productions.append((names, elements, fixed, weight))
            for size, mass in enumerate(self.sums(names)):
                if mass and size + fixed <= LONGEST:
                    total[size + fixed] += weight * mass
        scale = sum(weight for *_, weight in productions)
        self._productions[symbol] = productions
        self._tables[symbol] = [mass / scale for mass in total]
        self._pending.discard(symbol)
        return self._tables[symbol]

    def _texts(self, symbol: str) -> Sequence[str]:
        if symbol.endswith("?"):
            return ("", f"{{{symbol[:-1]}}}")
        texts = self._rules.get(f"{symbol}@{self.kind}") or self._rules.get(symbol)
        if not texts:
            raise ValueError(f"grammar has no symbol {symbol!r} for objects of kind {self.kind}")
        return texts

    def sums(self, names: tuple[str, ...]) -> Vector:
        """Weights of the total length of several symbols (sorted, so that tables are shared)."""
        known = self._sums.get(names)
        if known is None:
            known = convolve(self.sums(names[:-1]), self.table(names[-1]))
            self._sums[names] = known
        return known

    def mask(self, names: tuple[str, ...]) -> int:
        """The possible total lengths of several symbols, as a bit set."""
        known = self._masks.get(names)
        if known is None:
            known = sum(1 << size for size, mass in enumerate(self.sums(names)) if mass > 0)
            self._masks[names] = known
        return known

    def split(self, names: tuple[str, ...], size: int, random: Callable[[], float]) -> list[int]:
        """Lengths for several (sorted) symbols that sum to `size`, drawn exactly."""
        lengths = [0] * len(names)
        for place in range(len(names) - 1, -1, -1):
            last, rest = self.table(names[place]), self.sums(names[:place])
            weights = [last[own] * rest[size - own] for own in range(size + 1)]
            own = pick(weights, random())
            lengths[place] = own
            size -= own
        return lengths

    def draw(self, symbol: str, size: int, context: Context) -> None:
        """Append a derivation of `symbol` of exactly `size` words to the context's text."""
        if symbol in self._leaves:
            context.leaf(symbol, size)
            return
        productions, cumulative = self._choice(symbol, size)
        at = pick_cumulative(cumulative, context.random())
        names, elements, fixed, _ = self._productions[symbol][productions[at]]
        self.expand(names, elements, size - fixed, context)

    def expand(
        self, names: tuple[str, ...], elements: Sequence[Element], size: int, context: Context
    ) -> None:
        """Append elements whose symbols (`names`, sorted) take exactly `size` words."""
        lengths: dict[str, list[int]] = {}
        for name, own in zip(names, self.split(names, size, context.random), strict=True):
            lengths.setdefault(name, []).append(own)
        for element in elements:
            if isinstance(element, Text):
                context.out.append(element.forms[context.tense])
            else:
                self.draw(element, lengths[element].pop(), context)

    def _choice(self, symbol: str, size: int) -> tuple[list[int], list[float]]:
        """The productions of a symbol that can be `size` words long, with running weights."""
        known = self._choices.get((symbol, size))
        if known is None:
            self.table(symbol)
            places, weights = [], []
            for place, (names, _, fixed, weight) in enumerate(self._productions[symbol]):
                mass = self.sums(names)[size - fixed] * weight if size >= fixed else 0.0
                if mass > 0:
                    places.append(place)
                    weights.append(mass)
            known = self._choices[symbol, size] = places, list(accumulate(weights))
        return known


def pick(weights: Sequence[float], at: float) -> int:
    """The index that `at` in [0, 1) falls on."""
    return pick_cumulative(list(accumulate(weights)), at)


def pick_cumulative(cumulative: Sequence[float], at: float) -> int:
    """`pick` from running sums."""
    goal = at * cumulative[-1]
    for place, mass in enumerate(cumulative):
        if goal < mass:
            return place
    raise ValueError("nothing to draw from: all weights are zero")


class Context:
    """One caption being written: its leaf lists, tense, randomness and text so far."""

    __slots__ = ("_leaves", "_used", "out", "random", "tense")

    def __init__(
        self, leaves: Leaves, tense: Tense, random: Callable[[], float], used: Iterable[str]
    ) -> None:
        self._leaves = leaves
        self._used = set(used)
        self.tense = tense
        self.random = random
        self.out: list[str] = []

    def leaf(self, symbol: str, size: int) -> None:
        """Append a phrase of a leaf list: one that repeats nothing, if there is one.

        It shares no content word with the phrases before it, nor begins with the last word.
        """
        last = self.out[-1].rpartition(" ")[2] if self.out else ""
        bucket = self._leaves[symbol][size]
        start = int(self.random() * len(bucket))
        chosen = bucket[start]
        for offset in range(len(bucket)):
            candidate = bucket[(start + offset) % len(bucket)]
            repeats = candidate.forms[0].partition(" ")[0] == last
            if not repeats and self._used.isdisjoint(candidate.content):
                chosen = candidate
                break
        self._used |= chosen.content
        self.out.append(chosen.forms[self.tense])


@cache
def content_words(text: str) -> frozenset[str]:
    """The words of a phrase that carry its meaning, cut to a stem of five letters."""
    return frozenset(
        word[:5] for word in WORD.findall(text.casefold()) if len(word) > 3 and word not in COMMON
    )


COMMON = frozenset(
    "with from that this their there where when while then than into onto over under near past "
    "behind beside before after about around along across between beyond against above below "
    "inside outside through until during just only some every each other first last next main "
    "have been were will would could should".split()
)
