"""The catalog of frames: which clauses, openings and wrappers may make up a caption.

Parsed on demand and kept. Clauses are shared by all openers, so the catalog stays small.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from gen.triplets.constructions import BY_NAME
from gen.triplets.constructions.base import Span
from gen.triplets.context import PLAIN, contexts, lines
from gen.triplets.grammar.derive import Grammar
from gen.triplets.grammar.frames import Around, Region, Shape, assemble, holds, sentences, surround
from gen.triplets.grammar.reach import SHORTEST, Reach, least, may_meet, reach
from gen.triplets.plan import Plan

T = TypeVar("T")


@dataclass(slots=True)
class Body:
    """A clause that holds certain items."""

    shape: Shape
    sentences: int
    """Sentences that end within it."""
    reaches: dict[str, list[Reach]] = field(default_factory=dict)

    def reach(self, grammar: Grammar) -> list[Reach]:
        """The reach of each of its regions."""
        known = self.reaches.get(grammar.kind)
        if known is None:
            known = [reach(region, grammar) for region in self.shape.regions]
            self.reaches[grammar.kind] = known
        return known


Group: TypeAlias = tuple[frozenset[str], list[Around]]
"""The items that are left to the body, and everything around it that leaves it these."""


class Frames:
    """The frames of all constructions, parsed on demand and kept."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._openers = data["openers"]
        self._wrappers = {name: lines(text) for name, text in data["wrappers"].items()}
        endings = lines(data["endings"]["any"])
        self._clauses = {
            name: {kind: _with_endings(lines(text), endings) for kind, text in kinds.items()}
            for name, kinds in data["clauses"].items()
        }
        self._groups: dict[tuple[str, frozenset[str]], list[Group]] = {}
        self._assembled: dict[tuple[str, frozenset[str]], Body] = {}
        self._bodies: dict[tuple[object, ...], tuple[list[int], list[Body]]] = {}
        self._ranked: dict[tuple[str, int], tuple[list[int], list[tuple[Around, Reach]]]] = {}
        self._sorted: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[str, ...]] = {}

    def tense(self, plan: Plan) -> str:
        """`present` or `past`: what the opening asks for, else the register's own."""
        if plan.register == PLAIN:
            return "present"
        own = contexts().registers[plan.register].tense
        return str(self._openers[plan.opener].get("tense", own))

    def groups(self, opener: str, items: frozenset[str]) -> list[Group]:
        """What may stand around a body in a caption with this opener and these items."""
        key = (opener, items)
        known = self._groups.get(key)
        if known is None:
            spec = self._openers[opener]
            by_held: dict[frozenset[str], list[Around]] = {}
            for prefix in spec["prefix"]:
                for wrapper in self._wrappers[spec["wrappers"]]:
                    around = surround(prefix, wrapper)
                    if around is not None and around.takes <= items:
                        held = items - around.takes | around.gives
                        by_held.setdefault(held, []).append(around)
            known = self._groups[key] = list(by_held.items())
        return known

    def bodies(
        self,
        construction: str,
        opener: str,
        held: frozenset[str],
        grammar: Grammar,
        window: Span,
    ) -> tuple[list[int], list[Body]]:
        """The clauses that may follow the opener, hold the items and may meet the window.

        They come in order of the fewest words they can take, which are given beside them.
        """
        kinds = tuple(self._openers[opener]["clauses"])
        name = BY_NAME[construction].clauses or construction
        key = (name, kinds, held, grammar.kind, window)
        known = self._bodies.get(key)
        if known is None:
            clauses = [clause for kind in kinds for clause in self._clauses[name].get(kind, ())]
            fitting = (self._body(clause, held) for clause in clauses if _may_hold(clause, held))
            known = self._bodies[key] = _rank(
                (least(body.reach(grammar), SHORTEST, window[0]), body)
                for body in fitting
                if may_meet(body.reach(grammar), window)
            )
        return known

    def _body(self, clause: str, held: frozenset[str]) -> Body:
        key = (clause, held)
        if key not in self._assembled:
            self._assembled[key] = Body(assemble(clause, held), sentences(clause.split()))
        return self._assembled[key]

    def ranked(
        self, arounds: list[Around], grammar: Grammar
    ) -> tuple[list[int], list[tuple[Around, Reach]]]:
        """A group with its reaches, in order of the fewest words, which are given beside it."""
        key = (grammar.kind, id(arounds))
        known = self._ranked.get(key)
        if known is None:
            pairs = ((one, reach(one.region, grammar)) for one in arounds)
            known = self._ranked[key] = _rank(
                (pair[1].low + pair[1].base(SHORTEST), pair) for pair in pairs
            )
        return known

    def join(self, body: Shape, around: Around) -> Shape:
        """The whole caption: the words around the body join its rest."""
        rest, own = body.regions[0], around.region
        key = (rest.names, own.names)
        names = self._sorted.get(key)
        if names is None:
            names = self._sorted[key] = tuple(sorted((*rest.names, *own.names)))
        region = Region(names, rest.fixed + own.fixed, (*rest.specials, *own.specials))
        return Shape((*around.before, *body.parts, *around.after), (region, *body.regions[1:]))


def _rank(items: Iterable[tuple[int, T]]) -> tuple[list[int], list[T]]:
    """Items by their rank, least first: the ranks, for bisection, and the items."""
    ordered = sorted(items, key=lambda pair: pair[0])
    return [rank for rank, _ in ordered], [item for _, item in ordered]


def _with_endings(clauses: Sequence[str], endings: Sequence[str]) -> list[str]:
    """Each clause with each ending in the place of `END`."""
    return [
        clause.removesuffix("END") + ending
        for clause in clauses
        for ending in (endings if clause.endswith("END") else ("",))
    ]


def _may_hold(clause: str, held: frozenset[str]) -> bool:
    must, may = holds(clause)
    return must <= held <= may
