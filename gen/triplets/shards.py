"""From the log to the folder: Parquet shards, rejected.jsonl, card and, last, the manifest.

Everything is streamed from the log, so memory stays flat in the number of rows, and is
written under temporary names first. A folder without a manifest is an unfinished one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic_core import to_json

from cards.render import write_card
from gen import __version__
from gen.base.files import describe, write_manifest
from gen.base.log import Log
from gen.base.provenance import commit
from gen.triplets.constructions import BY_NAME
from gen.triplets.plan import Slot, parse_slot, quotas, slots
from gen.triplets.split import SPLITS, assign
from gen.triplets.state import Run
from schemas.manifest import MANIFEST, File, Manifest, Usage
from schemas.triplets import Record, examples_schema, triplets, triplets_schema

SHARD_ROWS = 250_000
"""Examples in one shard; its triplets are twice as many."""
GROUP_ROWS = 5_000
"""Rows in one row group: about 2 MB, far below the viewer's 286 MiB."""
STEP_ROWS = 500
"""Rows that are Python objects at the same time: there they take ten times as much memory."""

if TYPE_CHECKING:
    import pyarrow as pa

CONFIGS = ("triplets", "examples")


def write_folder(run: Run, advance: Callable[[int], None]) -> Manifest:
    """Write the dataset of the accepted slots that the run asks for; return its manifest.

    Rows beyond a construction's quota stay in the log. So does whatever the log holds of other
    slots: an unfinished larger run leaves no trace in a smaller one. `advance` is told of each
    group of rows that is written.
    """
    config, log, offsets, folder = run.config, run.log, run.state.offsets, run.config.out
    (folder / MANIFEST).unlink(missing_ok=True)
    quota, asked = quotas(config.n, config.weights), list(slots(config.n, config.weights))
    chosen = [slot for slot in asked if slot in offsets and slot.index < quota[slot.construction]]
    splits = assign(chosen, config.seed)
    files: dict[str, File] = {}
    counts: Counter[str] = Counter()
    for split, members in splits.items():
        shards = [members[at : at + SHARD_ROWS] for at in range(0, len(members), SHARD_ROWS)]
        for number, shard in enumerate(shards):
            name = f"{split}-{number:05d}-of-{len(shards):05d}.parquet"
            records = (log.read(offsets[slot])["row"] for slot in shard)
            files |= _write_shard(folder, name, records, advance)
        counts.update(slot.construction for slot in members)
    _remove_stale(folder, files)
    rejected = folder / "rejected.jsonl"
    files["rejected.jsonl"], reasons, usage = _write_rejected(rejected, log, set(asked))
    if usage and config.language_model.prices:
        usage.cost = usage.priced(config.language_model.prices)
    summary = Manifest(
        dataset="binding-triplets",
        generator=__version__,
        commit=commit(),
        config=run.identity,
        requested=config.n,
        examples=sum(counts.values()),
        constructions=dict(sorted(counts.items())),
        splits={split: len(members) for split, members in splits.items()},
        attempts=sum(reasons.values()) + sum(slot in offsets for slot in asked),
        rejections=dict(reasons.most_common()),
        vocabulary=run.vocabulary.counts,
        files=files,
        usage=usage,
    )
    order = list(BY_NAME)
    shown = min(
        offsets, key=lambda slot: (order.index(slot.construction), slot.index), default=None
    )
    example = log.read(offsets[shown])["row"] if shown else None
    files["README.md"] = write_card(
        folder,
        summary,
        rows=2 * summary.examples,
        example=example,
        splits=[name for name in SPLITS if summary.splits[name]],
    )
    summary = summary.model_copy(update={"files": files})
    write_manifest(folder, summary)
    return summary


def _write_shard(
    folder: Path, name: str, records: Iterator[Record], advance: Callable[[int], None]
) -> dict[str, File]:
    """Write one shard of both configs; returns their manifest entries."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pa.set_memory_pool(pa.system_memory_pool())  # the default one keeps what it has freed
    schemas = {"triplets": triplets_schema(), "examples": examples_schema()}
    rows = dict.fromkeys(CONFIGS, 0)
    paths = {config: folder / config / name for config in CONFIGS}
    writers = {}
    for config, path in paths.items():
        path.parent.mkdir(exist_ok=True)
        writers[config] = pq.ParquetWriter(
            path.with_name(name + ".tmp"), schemas[config], compression="zstd"
        )
    try:
        for group in _groups(records, schemas):
            for config, table in group.items():
                writers[config].write_table(table)
                rows[config] += table.num_rows
            advance(group["examples"].num_rows)
    finally:
        for writer in writers.values():
            writer.close()
    entries = {}
    for config, path in paths.items():
        path.with_name(name + ".tmp").replace(path)
        entries[f"{config}/{name}"] = describe(path, rows[config])
    return entries


def _groups(
    records: Iterator[Record], schemas: Mapping[str, pa.Schema]
) -> Iterator[dict[str, pa.Table]]:
    """The rows of both configs, a row group at a time; as Python objects only a few at once."""
    import pyarrow as pa

    size = min(STEP_ROWS, GROUP_ROWS)
    while True:
        batches: dict[str, list[pa.RecordBatch]] = {config: [] for config in CONFIGS}
        for _ in range(GROUP_ROWS // size):
            step = list(islice(records, size))
            if not step:
                break
            pairs = [triplet for record in step for triplet in triplets(record)]
            for config, rows in (("examples", step), ("triplets", pairs)):
                batches[config].append(pa.RecordBatch.from_pylist(rows, schemas[config]))
        if not batches["examples"]:
            return
        yield {config: pa.Table.from_batches(found) for config, found in batches.items()}


def _remove_stale(folder: Path, files: dict[str, File]) -> None:
    """Delete shards of an earlier, smaller run: the card's globs would load them silently."""
    for config in CONFIGS:
        for path in (folder / config).glob("*.parquet*"):
            if f"{config}/{path.name}" not in files:
                path.unlink()


def _write_rejected(
    path: Path, log: Log, asked: Container[Slot]
) -> tuple[File, Counter[str], Usage | None]:
    """Copy the rejections of the slots out of the log.

    Returns the file's entry, how many had each reason, and what a model took for all rows.
    """
    temporary = path.with_name(path.name + ".tmp")
    reasons: Counter[str] = Counter()
    usage = Usage()
    with temporary.open("wb") as file:
        for _, record in log.records():
            if parse_slot(record["slot"]) not in asked:
                continue
            if "call" in record:
                usage.add(record["call"], accepted="row" in record)
            if "reason" in record:
                file.write(to_json(record) + b"\n")
                reasons[record["reason"]] += 1
    temporary.replace(path)
    entry = describe(path, sum(reasons.values()))
    return entry, reasons, usage if usage.requests else None
