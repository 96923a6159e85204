"""One run of `gen.saber` against its folder: write it, or leave it alone where it is finished.

Questions are drawn within seconds, so an interrupted run simply writes its folder anew.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gen import __version__
from gen.display import phase
from gen.folder import claimed
from gen.saber.config import SaberConfig
from gen.saber.report import Report
from gen.saber.rows import Row, rows
from gen.saber.sampler import sample
from gen.saber.settings import Settings, check_room
from gen.saber.shards import CONTENTS, write_folder
from gen.saber.vocabulary import BUILTIN, SaberVocabulary, load
from schemas.manifest import Manifest


def identity_of(settings: Settings, vocabulary: SaberVocabulary) -> dict[str, Any]:
    """What determines the data: two runs with the same identity write the same rows."""
    return {
        "dataset": "saber",
        "version": __version__,
        "seed": settings.seed,
        "sizes": list(settings.sizes),
        "questions_per_size": settings.per_size,
        "vocabulary": vocabulary.digest,
    }


def preview(config: SaberConfig) -> int:
    """Print questions of all sizes; write nothing. Returns the exit status."""
    vocabulary, settings = load(config.vocab or BUILTIN), config.settings
    check_room(vocabulary, settings)
    found, _ = sample(vocabulary, settings)
    wanted = min(config.preview or 0, len(found))
    for place in range(wanted):
        question = found[(2 * place + 1) * len(found) // (2 * wanted)]
        print("\n".join(show(rows(question).mcq)), end="\n\n")
    return 0


def run(config: SaberConfig) -> int:
    """Write the dataset; returns the exit status.

    Raises:
        ValueError: for a vocabulary or a folder that won't do.
    """
    vocabulary, settings = load(config.vocab or BUILTIN), config.settings
    check_room(vocabulary, settings)
    identity = identity_of(settings, vocabulary)
    with claimed(config.out, identity, CONTENTS, resume=config.resume) as finished:
        if finished is not None:
            print(f"{config.out} is finished; nothing to do.")
            return summarize(config.out, finished)
        with _no_collection():
            summary = _write(config.out, vocabulary, settings, identity)
    return summarize(config.out, summary)


def _write(
    folder: Path, vocabulary: SaberVocabulary, settings: Settings, identity: dict[str, Any]
) -> Manifest:
    with phase("questions", settings.questions) as display:
        found, rejected = sample(vocabulary, settings, display.advance)
    with phase("written", settings.questions) as display:
        return write_folder(folder, found, rejected, identity, vocabulary.counts, display.advance)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Spare the search for cycles: millions of tuples and no cycle cost a third of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def show(row: Row) -> list[str]:
    """A row of `mcq` as lines: the query in both forms, then the candidates."""
    lines = [row["id"], f"  {'query':<20} {row['query_caption']}"]
    lines.append(f"  {'':<20} {row['query_generation_caption']}")
    for place in range(4):
        kind = row[f"candidate_{place}_kind"]
        lines.append(f"  {place} {kind:<18} {row[f'candidate_{place}_caption']}")
    return lines


def summarize(folder: Path, summary: Manifest) -> int:
    """Say what the folder holds; returns the exit status."""
    import pyarrow.parquet as pq

    print(f"\n{folder}: {summary.examples:,} questions, {4 * summary.examples:,} candidates")
    for line in Report.of(folder).lines():
        print(f"  {line}")
    first = next(name for name in summary.files if name.startswith("mcq/"))
    with pq.ParquetFile(folder / first) as file:
        row = next(file.iter_batches(1)).to_pylist()[0]
    print("", *show(row), sep="\n  ")
    print(f"\nCheck it:  python -m gen.verify {folder}")
    return 0
