"""The proof of rows on their own, as `gen.verify` asks for it: a row group at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from gen.base.text.words import negates, words
from gen.triplets.accept import Claim, claim
from gen.triplets.constructions import BY_NAME, HELD_OUT
from gen.triplets.plan import parse_slot
from gen.triplets.validate import check_example, span
from gen.triplets.validate_draft import check_draft
from gen.vocab.overlap import overlaps_saber
from gen.vocab.triplets import Vocabulary, load
from schemas.manifest import Manifest
from schemas.triplets import Draft, Example, from_record, triplets


class Job(NamedTuple):
    """A row group of examples and, under the same number, of triplets."""

    split: str
    examples: Path
    triplets: Path
    group: int


@dataclass
class Rows:
    """What the proof of a row group hands on to the rules about the whole."""

    ids: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    """Of each row in `ids`."""
    reasons: list[tuple[str, str]] = field(default_factory=list)
    """(rule, id) of each row that fails on its own; one that makes no sense is not in `ids`."""


def jobs(folder: Path, manifest: Manifest) -> Iterator[Job]:
    """Every row group of a dataset, in order."""
    import pyarrow.parquet as pq

    for name in manifest.files:
        if name.startswith("examples/"):
            path = folder / name
            split = path.name.rsplit("-", 3)[0]
            with pq.ParquetFile(path) as file:
                groups = file.metadata.num_row_groups
            for group in range(groups):
                yield Job(split, path, folder / "triplets" / path.name, group)


_vocabulary: Vocabulary | None = None


def start(vocabulary: Path) -> None:
    """Set this process up for `prove`."""
    global _vocabulary
    _vocabulary = load(vocabulary)


def prove(job: Job) -> Rows:
    """Prove a row group of examples, and that the triplets are exactly what they give."""
    import pyarrow.parquet as pq

    rows = Rows()
    with pq.ParquetFile(job.examples) as file, pq.ParquetFile(job.triplets) as other:
        records = file.read_row_group(job.group).to_pylist()
        beside = other.read_row_group(job.group).to_pylist()
    for place, record in enumerate(records):
        try:
            example = from_record(record)
            reason = _reason(example, job.split)
            claimed = claim(example)
        except (AttributeError, KeyError, TypeError, ValueError):
            rows.reasons.append(("malformed", str(record["id"])))
            continue
        if reason == "construction":
            rows.reasons.append((reason, example.id))
            continue
        rows.ids.append(example.id)
        rows.claims.append(claimed)
        if beside[2 * place : 2 * place + 2] != list(triplets(record)):
            reason = "triplets"
        if reason:
            rows.reasons.append((reason, example.id))
    return rows


def _reason(example: Example, split: str) -> str | None:
    """The first rule that a row breaks on its own, or None."""
    assert _vocabulary is not None
    construction = BY_NAME.get(example.construction)
    if construction is None or parse_slot(example.id).construction != example.construction:
        return "construction"
    if (example.construction in HELD_OUT or split in HELD_OUT) and split != example.construction:
        return "held_out"
    asked = span(example.length_band), span(example.distance_window)
    if asked[0] not in construction.bands or asked[1] not in construction.windows:
        return "band_or_window"
    draft = Draft(
        objects=example.objects,
        attributes=example.attributes,
        positive=example.positive,
        distractors=example.distractors,
    )
    reason = check_draft(draft, construction, _vocabulary)
    reason = reason or check_example(example, _vocabulary)
    if reason:
        return reason
    if example.saber_overlap != overlaps_saber(example.objects, example.attributes):
        return "saber_overlap"
    if example.has_negation != negates(words(example.positive)):
        return "has_negation"
    return None
