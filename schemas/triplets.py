"""The binding-triplets contracts: what a writer returns and what a dataset row holds.

Source: "Stuck on Shuffle", section 4 and appendices B.1-B.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    import pyarrow as pa

MIXED = ("train", "validation", "test")
"""Splits that hold the construction types together (B.5). Every further split of a dataset is one
type that is held out whole, by its name; the manifest's `splits` lists them all."""


class Distractor(NamedTuple):
    """An attribute-object pair that the caption mentions and the query does not (B.3)."""

    attribute: str
    object: str


class Draft(BaseModel):
    """One writer's answer: the words it chose and the caption it wrote.

    `attributes[i]` holds the attributes of `objects[i]`, in the order in which they
    are written. The program builds everything else (B.1).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    objects: tuple[str, ...]
    attributes: tuple[tuple[str, ...], ...]
    positive: str
    distractors: tuple[Distractor, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """What stands in the place of a draft or an example that there is none of."""

    reason: str
    """Slug, as `rejected.jsonl` and the manifest have it."""


class Example(NamedTuple):
    """One dataset row; the field order is the column order of the `examples` config."""

    id: str
    """Slot id, `<construction>-<index>`: the same plan in every run of the same seed."""
    construction: str
    objects: tuple[str, ...]
    """Objects in the order in which the positive mentions them."""
    attributes: tuple[tuple[str, ...], ...]
    """Attributes of each object."""
    query: str
    """The pairs in `order`, without articles."""
    positive: str
    negative_attribute: str
    """The positive with attributes permuted in place."""
    negative_object: str
    """The positive with objects permuted in place."""
    length_band: str
    """Asked length of the positive in words, `lo-hi`."""
    distance_window: str
    """Asked binding distance in words, `lo-hi`."""
    distance: int
    """Measured binding distance in words."""
    words: int
    """Measured length of the positive in words."""
    context: str
    """Scene, time of day and weather the caption is set in, joined by `; `."""
    register: str
    opener: str
    distractors: tuple[Distractor, ...]
    saber_overlap: bool
    """Whether a queried word belongs to SABER's vocabulary (C.1 trains without such rows)."""
    has_negation: bool
    """Whether the positive negates (section 6 trains without such rows)."""
    same_family: bool
    """Whether the attributes that the attribute negative exchanges are all of one family."""
    order: tuple[int, ...]
    """The query's order of the pairs, as indices into `objects`."""
    writer: str
    seed: int
    """The plan's own seed: 63 bits, derived from run seed, construction, index and attempt."""


Record = Mapping[str, Any]
"""An example as plain data: what the log, JSON and Parquet hold."""

TRIPLET_COLUMNS = (
    *("anchor", "positive", "negative"),
    *("construction", "negative_kind", "example_id"),
)
"""Columns of the `triplets` config; sentence-transformers trains on the first three as they are."""


def to_record(example: Example) -> dict[str, Any]:
    """An example as plain data."""
    record = example._asdict()
    record["distractors"] = [pair._asdict() for pair in example.distractors]
    return record


def from_record(record: Record) -> Example:
    """The example that a record holds; the inverse of `to_record`."""
    fields = dict(record)
    fields["objects"] = tuple(record["objects"])
    fields["attributes"] = tuple(tuple(row) for row in record["attributes"])
    fields["order"] = tuple(record["order"])
    fields["distractors"] = tuple(Distractor(**pair) for pair in record["distractors"])
    return Example(**fields)


def triplets(record: Record) -> Iterator[dict[str, str]]:
    """The two training triplets of an example: one hard negative each."""
    for kind in ("attribute", "object"):
        yield {
            "anchor": record["query"],
            "positive": record["positive"],
            "negative": record[f"negative_{kind}"],
            "construction": record["construction"],
            "negative_kind": kind,
            "example_id": record["id"],
        }


def examples_schema() -> pa.Schema:
    """The Arrow schema of the `examples` config."""
    import pyarrow as pa

    text = pa.string()
    special = {
        "objects": pa.list_(text),
        "attributes": pa.list_(pa.list_(text)),
        "distance": pa.int32(),
        "words": pa.int32(),
        "distractors": pa.list_(pa.struct([("attribute", text), ("object", text)])),
        "saber_overlap": pa.bool_(),
        "has_negation": pa.bool_(),
        "same_family": pa.bool_(),
        "order": pa.list_(pa.int32()),
        "seed": pa.int64(),
    }
    return pa.schema([(name, special.get(name, text)) for name in Example._fields])


def triplets_schema() -> pa.Schema:
    """The Arrow schema of the `triplets` config."""
    import pyarrow as pa

    return pa.schema([(name, pa.string()) for name in TRIPLET_COLUMNS])
