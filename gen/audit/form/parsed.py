"""Does a parser bind attributes as the positives and the negatives are meant to?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gen.audit.form.binding import bindings
from gen.audit.result import FlaggedRow, Result
from gen.base.statistics import measured
from gen.base.text.captions import locate
from gen.triplets.constructions import BY_NAME
from schemas.audit import OVERALL, Finding
from schemas.triplets import Example

if TYPE_CHECKING:
    from spacy.language import Language

RIGHT = 0.80
"""Least share of the bindings that the parser reads which it reads as meant. It reads long nested
clauses badly (`predicative`: 85 %); where labels are exchanged next to none is as meant."""
AS_QUERY = 0.02
"""Most negatives that may be read as the query: they would be true."""
GIVEN = "share of attributes that the parser gives to an object"
MEANT = "share of them that it gives to the object meant"
SHOWN = 50
"""Rows that are listed for a construction, at most."""


class Text(NamedTuple):
    """One of an example's three texts, with the bindings that it is meant to have."""

    column: str
    example: Example
    text: str
    meant: Mapping[str, str]
    """The object of each attribute."""


class Read(NamedTuple):
    """An attribute of a text, as the parser reads it."""

    row: Text
    attribute: str
    object: str | None

    @property
    def right(self) -> bool:
        """Whether it is read as meant."""
        return self.object == self.row.meant[self.attribute]


def texts(example: Example) -> Iterator[Text]:
    """The three texts of an example. A negative binds its own words in the positive's places.

    Raises:
        ValueError: when a term does not stand in a text exactly once.
    """
    attributes = [word for row in example.attributes for word in row]
    ranks = _ranks(example, example.positive)
    owner = {
        ranks[word]: ranks[noun]
        for noun, row in zip(example.objects, example.attributes, strict=True)
        for word in row
    }
    for column in ("positive", "negative_attribute", "negative_object"):
        text: str = getattr(example, column)
        own = _ranks(example, text)
        noun_at = {own[noun]: noun for noun in example.objects}
        meant = {word: noun_at[owner[own[word]]] for word in attributes}
        yield Text(column, example, text, meant)


def _ranks(example: Example, text: str) -> dict[str, int]:
    """The rank of each object among the objects of a text, and likewise of each attribute.

    Raises:
        ValueError: when a term does not stand in the text exactly once.
    """
    found = locate(text, example.objects, example.attributes)
    if found is None:
        raise ValueError(f"{example.id}: a term does not stand exactly once in {text!r}")
    attributes = [word for row in example.attributes for word in row]
    places = [place for row in found.attributes for place in row]
    ranks = {}
    for words, where in ((example.objects, found.objects), (attributes, places)):
        ordered = sorted(zip(where, words, strict=True))
        ranks.update({word: rank for rank, (_, word) in enumerate(ordered)})
    return ranks


def check(nlp: Language, examples: Sequence[Example]) -> Result:
    """Whether the parser binds attributes as the positive and the negatives are meant to.

    Raises:
        ValueError: when a term does not stand in a text exactly once.
    """
    rows = [row for example in examples for row in texts(example)]
    result = Result()
    readings: dict[str, list[Read]] = defaultdict(list)
    as_query: list[bool] = []
    for row, doc in zip(rows, nlp.pipe([row.text for row in rows]), strict=True):
        form = BY_NAME[row.example.construction].form
        found = bindings(doc, row.example.objects, list(row.meant), form)
        readings[row.column] += [Read(row, attribute, noun) for attribute, noun in found.items()]
        if row.column != "positive":
            as_query.append(found == _queried(row.example))
            if as_query[-1]:
                why = "the parser reads the query's bindings"
                result.flagged.append(
                    FlaggedRow("negative_as_query", row.column, row.example.id, row.text, why)
                )
    for column, reads in readings.items():
        result.findings += _readings(column, reads)
    note = "share of negatives that the parser reads as having all of the query's bindings"
    clusters = [example.id for example in examples for _ in range(2)]
    result.findings.append(
        measured("negative_as_query", as_query, clusters, bound=AS_QUERY, note=note)
    )
    result.flagged += _misread(readings["positive"])
    return result


def _queried(example: Example) -> dict[str, str]:
    """The object of each attribute, as the query has it."""
    pairs = zip(example.objects, example.attributes, strict=True)
    return {word: noun for noun, row in pairs for word in row}


def _readings(column: str, reads: Sequence[Read]) -> Iterator[Finding]:
    """How much of one of the three texts is read, and how much of that as meant."""
    groups = {OVERALL: list(reads)}
    for read in reads:
        groups.setdefault(f"construction={read.row.example.construction}", []).append(read)
    for group, own in groups.items():
        known = [read for read in own if read.object is not None]
        for what, one_of, values, bound, note in (
            ("read", own, [read.object is not None for read in own], None, GIVEN),
            ("bound", known, [read.right for read in known], RIGHT, MEANT),
        ):
            if one_of:
                yield measured(
                    f"{column}_{what}",
                    values,
                    [read.row.example.id for read in one_of],
                    group,
                    bound=bound,
                    worse="below",
                    note=note,
                )


def _misread(reads: Iterable[Read]) -> Iterator[FlaggedRow]:
    """Rows to look at: attributes of positives that the parser does not read as meant."""
    shown: Counter[str] = Counter()
    for read in reads:
        construction = read.row.example.construction
        if not read.right and shown[construction] < SHOWN:
            shown[construction] += 1
            meant = read.row.meant[read.attribute]
            why = f"{read.attribute!r} is read with {read.object or 'nothing'!r}, not {meant!r}"
            yield FlaggedRow(
                "positive_bound",
                f"construction={construction}",
                read.row.example.id,
                read.row.text,
                why,
            )
