"""From questions to the folder: Parquet shards of the four configs, card and, last, the manifest.

Everything is written under temporary names first. A folder without a manifest is unfinished.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from cards.render import write_card
from gen import __version__
from gen.base.files import describe, write_atomic, write_manifest
from gen.base.provenance import commit
from gen.saber.images import coco, screening
from gen.saber.images.screening import Decision
from gen.saber.images.store import NAMES, Store
from gen.saber.report import Report
from gen.saber.retrieval import judgements
from gen.saber.rows import Row, rows
from gen.vocab.saber import SaberVocabulary
from schemas.manifest import MANIFEST, File, Manifest, Usage
from schemas.saber import CONFIGS, SPLIT, Question, schema

WRITTEN = (*CONFIGS, coco.TRUTH, screening.DECISIONS_FILE, "README.md")
"""What a run writes, beside the manifest."""
SHARD = 250_000
"""Questions in one shard; it has four times as many rows of `corpus`."""
GROUP = 5_000
"""Questions in one row group: a few MB, far below the viewer's 286 MiB."""
SHARD_BYTES, GROUP_BYTES = 500_000_000, 64_000_000
"""The same for the images of a shard's and a row group's questions."""

Tables = dict[str, list[Row]]


@dataclass(frozen=True)
class Contents:
    """What a run writes."""

    identity: dict[str, Any]
    """What determines it."""
    vocabulary: SaberVocabulary
    questions: Sequence[Question]
    rejected: int
    """Questions that were drawn and given up."""
    store: Store | None = None
    """The images of all questions."""
    screened: Sequence[Decision] = ()
    """What people think of them."""
    usage: Usage | None = None
    """What making them took."""


def write_folder(folder: Path, contents: Contents, advance: Callable[[int], None]) -> Manifest:
    """Write the dataset; return its manifest. `advance` is told of questions that are written."""
    questions, rejected, store = contents.questions, contents.rejected, contents.store
    (folder / MANIFEST).unlink(missing_ok=True)
    for config in CONFIGS:  # images drawn anew may take fewer shards
        for path in (folder / config).glob(f"{SPLIT}-*.parquet"):
            path.unlink()
    files: dict[str, File] = {}
    weights = [store.weight(question) if store else 0 for question in questions]
    shards = parts(weights, SHARD, SHARD_BYTES)
    for number, shard in enumerate(shards):
        name = f"{SPLIT}-{number:05d}-of-{len(shards):05d}.parquet"
        own = questions[shard]
        groups = parts(weights[shard], GROUP, GROUP_BYTES)
        files |= _write_shard(
            folder, name, (_tables(own[group], store, advance) for group in groups)
        )
    if store:
        files |= coco.write_truth(folder, questions, contents.vocabulary.objects, store)
    (folder / screening.DECISIONS_FILE).unlink(missing_ok=True)
    if contents.screened:
        write_atomic(folder / screening.DECISIONS_FILE, screening.as_file(contents.screened))
        files[screening.DECISIONS_FILE] = describe(
            folder / screening.DECISIONS_FILE, len(contents.screened)
        )
    relevant = _in_groups("qrels", judgements(questions))
    files |= _write_shard(folder, f"{SPLIT}-00000-of-00001.parquet", relevant)
    summary = Manifest(
        dataset="saber",
        generator=__version__,
        commit=commit(),
        config=contents.identity,
        requested=len(questions),
        examples=len(questions),
        constructions=dict(Counter(question.subset for question in questions)),
        splits={SPLIT: len(questions)},
        attempts=len(questions) + rejected,
        rejections={"contained_elsewhere": rejected} if rejected else {},
        vocabulary=contents.vocabulary.counts,
        files=files,
        usage=contents.usage,
    )
    shown = next((question for question in questions if question.n > 2), questions[0])
    files["README.md"] = write_card(
        folder,
        summary,
        rows=len(questions),
        question=rows(shown).mcq,
        report=Report.of(folder),
        rows_of={config: summary.rows(config) for config in CONFIGS},
    )
    summary = summary.model_copy(update={"files": files})
    write_manifest(folder, summary)
    return summary


def parts(weights: Sequence[int], count: int, weight: int) -> list[slice]:
    """Runs of items: at most so many in each, and of at most that weight unless it is one alone.

    >>> parts([4, 4, 4, 9, 1], 2, 8)
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None), slice(4, 5, None)]
    """
    starts, held = [0], 0
    for place, one in enumerate(weights):
        if place > starts[-1] and (place - starts[-1] == count or held + one > weight):
            starts.append(place)
            held = 0
        held += one
    return [slice(*ends) for ends in zip(starts, [*starts[1:], len(weights)], strict=True)]


def _tables(
    questions: Sequence[Question], store: Store | None, advance: Callable[[int], None]
) -> Tables:
    """What a group of questions adds to each config but the judgements."""
    if store:
        made = [
            rows(question, [store.image(question, scene) for scene in range(len(NAMES))])
            for question in questions
        ]
    else:
        made = [rows(question) for question in questions]
    advance(len(made))
    return {
        "mcq": [one.mcq for one in made],
        "queries": [one.query for one in made],
        "corpus": [document for one in made for document in one.corpus],
    }


def _in_groups(config: str, records: Iterator[Row]) -> Iterator[Tables]:
    while group := list(islice(records, GROUP)):
        yield {config: group}


def _write_shard(folder: Path, name: str, groups: Iterable[Tables]) -> dict[str, File]:
    """Write one shard of each config in `groups`; returns their manifest entries."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    counts: Counter[str] = Counter()
    writers: dict[str, pq.ParquetWriter] = {}
    with ExitStack() as stack:
        for tables in groups:
            for config, records in tables.items():
                if config not in writers:
                    (folder / config).mkdir(exist_ok=True)
                    path = folder / config / f"{name}.tmp"
                    writer = pq.ParquetWriter(path, schema(config), compression="zstd")
                    writers[config] = stack.enter_context(writer)
                batch = pa.RecordBatch.from_pylist(records, schema(config))
                writers[config].write_batch(batch)
                counts[config] += len(records)
    entries = {}
    for config in writers:
        path = folder / config / name
        path.with_name(f"{name}.tmp").replace(path)
        entries[f"{config}/{name}"] = describe(path, counts[config])
    return entries
