"""Shortcuts with the query in sight: can its bindings be found without reading who has what?

A bag of words must tie on every pair. The other shortcuts read bindings off a caption by a rule of
thumb and prefer the caption with more of the query's. Where such a rule is right by definition
(where a prenominal attribute stands directly before its object) the share is shown and
keeps no bound: there, adjacency *is* the binding, and the swapped words are what is hard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from gen.audit.attack.score import findings, wins
from gen.audit.config import AuditConfig
from gen.audit.data import Data, Pair
from gen.audit.result import FlaggedRow, Result
from gen.base.statistics import measured
from gen.base.text.words import normalized, positions, words
from gen.triplets.constructions import BY_NAME
from gen.triplets.constructions.base import Form
from schemas.audit import OVERALL, Finding
from schemas.saber import REPLACEMENT
from schemas.triplets import Example

BOUND = 0.52
"""Of a rule, or its reverse, in a type that it isn't right about by definition."""
NEAR = ", adjacent"
"""What tells a group of a type that is right by definition from the rest of its type."""
SHOWN = 20


class Place(NamedTuple):
    """Where a term of the query is in a caption, in words, and which pair it belongs to."""

    at: int
    owner: int


class Layout(NamedTuple):
    """The terms of a caption in its order; `owner` is the pair in the query's order."""

    attributes: list[Place]
    objects: list[Place]


def check(data: Data, config: AuditConfig) -> Result:
    """The bag of words on every pair with a query; rules of thumb on binding triplets."""
    result = bag_of_words(data)
    if data.examples:
        result.add(rules(data))
    return result


def bag_of_words(data: Data) -> Result:
    """The share of pairs on which a bag of words does not tie: none may be left.

    SABER's `replacement`, which stands in where two pairs allow only two assignments, has another
    object by definition (paper, A.2), and is counted apart.
    """
    import numpy as np

    pairs = [pair for pair in data.pairs if pair.query and pair.kind != REPLACEMENT]
    others = sum(pair.kind == REPLACEMENT for pair in data.pairs)
    note = f"without {others:,} pairs with a replaced object" if others else ""
    result = Result()
    if not pairs:
        return result
    differs = np.array([float(bag(pair.positive) != bag(pair.negative)) for pair in pairs])
    result.findings += findings("bag_of_words_differs", differs, pairs, 0.0, note)
    for index in np.flatnonzero(differs)[:SHOWN]:
        pair = pairs[index]
        why = "a bag of words tells these captions apart"
        text = f"{pair.positive} / {pair.negative}"
        result.flagged.append(
            FlaggedRow("bag_of_words_differs", _group(pair), pair.example, text, why)
        )
    return result


def bag(text: str) -> Counter[str]:
    """The words of a caption with their counts; `an` is `a`."""
    return Counter(map(normalized, words(text)))


def _group(pair: Pair) -> str:
    return f"construction={pair.construction}" if pair.construction else OVERALL


def rules(data: Data) -> Result:
    """Every rule of thumb on every pair of every example, each type for itself."""
    import numpy as np

    margins = {name: np.zeros(len(data.pairs)) for name in RULES}
    for row, example in enumerate(data.examples):
        texts = (example.positive, example.negative_attribute, example.negative_object)
        right, *wrong = (layout(text, example) for text in texts)
        for name, (_, rule) in RULES.items():
            score = rule(right)
            margins[name][2 * row : 2 * row + 2] = [score - rule(found) for found in wrong]
    result = Result()
    by_type: dict[str, list[int]] = {}
    for row, example in enumerate(data.examples):
        by_type.setdefault(example.construction, []).append(row)
    for type_, own in by_type.items():
        for name, (natural, _) in RULES.items():
            chosen: dict[str, list[int]] = {"": [], NEAR: []}
            for row in own:
                split = NEAR if natural(data.examples[row]) else ""
                chosen[split] += (2 * row, 2 * row + 1)
            alone = not chosen[""]
            for split, rows in chosen.items():
                if rows:
                    group = f"construction={type_}" + ("" if alone else split)
                    clusters = [data.pairs[row].example for row in rows]
                    found = measured(name, wins(margins[name][rows]), clusters, group)
                    result.findings.append(_judged(found, natural=split == NEAR))
    return result


def _judged(found: Finding, natural: bool) -> Finding:
    """In the rule's better direction and with its bound, except where it has to be right."""
    if natural:
        note = "solvable by adjacency or order, by definition"
        return found.model_copy(update={"note": note})
    changed: dict[str, object] = {"bound": BOUND}
    if found.value < 0.5 and found.low is not None and found.high is not None:
        turned = {"value": 1 - found.value, "low": 1 - found.high, "high": 1 - found.low}
        changed |= {**turned, "note": "of the reversed rule"}
    return found.model_copy(update=changed)


def layout(text: str, example: Example) -> Layout:
    """Where the terms of an example's query stand in one of its captions."""
    tokens = words(text)
    rank = {pair: place for place, pair in enumerate(example.order)}
    attributes, objects = [], []
    for pair, (noun, row) in enumerate(zip(example.objects, example.attributes, strict=True)):
        objects += [Place(at, rank[pair]) for at in positions(tokens, words(noun))]
        for attribute in row:
            attributes += [Place(at, rank[pair]) for at in positions(tokens, words(attribute))]
    return Layout(sorted(attributes), sorted(objects))


def in_order(found: Layout) -> float:
    """The first attribute, or two, go with the first object mentioned, the next with the second."""
    each = len(found.attributes) // len(found.objects) or 1
    owners = [place.owner for place in found.objects for _ in range(each)]
    return sum(a.owner == b for a, b in zip(found.attributes, owners, strict=False))


def nearest(found: Layout) -> float:
    """Each attribute goes with the nearest object; of two as near, with the one after it."""
    return sum(
        min(found.objects, key=lambda place: (abs(place.at - at), at - place.at)).owner == owner
        for at, owner in found.attributes
    )


def nearest_before(found: Layout) -> float:
    """Each attribute goes with the last object mentioned before it, if there is one."""
    before = (
        [place.owner for place in found.objects if place.at < at][-1:] == [owner]
        for at, owner in found.attributes
    )
    return sum(before)


def query_order(found: Layout) -> float:
    """Two attributes, or two objects, that come in the order in which the query names them."""
    return sum(
        first.owner < second.owner
        for places in found
        for index, first in enumerate(places)
        for second in places[index + 1 :]
    )


def _of(*forms: Form) -> Callable[[Example], bool]:
    """Whether an example's type is of one of the forms."""
    return lambda example: BY_NAME[example.construction].form in forms


def _beside(example: Example) -> bool:
    """Also where a predicate is the attribute alone: nothing but its verb stands between."""
    form = BY_NAME[example.construction].form
    return form == "prenominal" or (form == "predicative" and example.distance <= 1)


RULES: dict[str, tuple[Callable[[Example], bool], Callable[[Layout], float]]] = {
    "attributes_in_object_order": (_of("prenominal", "respective", "predicative"), in_order),
    "nearest_object": (_beside, nearest),
    "nearest_object_before": (_of("prenominal", "predicative"), nearest_before),
    "query_order": (_of(), query_order),
}
"""Rules of thumb: the examples that they are right about by definition, and what they count.

A predicate follows its subject, so the order of mention is right about it as well; what must tell
nothing is the distance, once anything but the verb stands between."""
