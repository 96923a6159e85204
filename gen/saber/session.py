"""One run of `gen.saber` against its folder: write it, or leave it alone where it is finished.

Questions are drawn within seconds, so an interrupted run simply writes its folder anew; images,
which take hours, are kept one question at a time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gen import __version__
from gen.base.command import SHORT
from gen.base.folder import RUN, claimed
from gen.base.progress import phase, usage_note
from gen.saber.config import SaberConfig
from gen.saber.images.job import UnfinishedError
from gen.saber.images.ledger import on_record
from gen.saber.images.screening import considered, decisions, rejected
from gen.saber.images.source import Source, make_missing, part_of, source_of
from gen.saber.images.store import IMAGES, NAMES, Store
from gen.saber.report import Report
from gen.saber.rows import Row, rows, spread
from gen.saber.sampler import sample
from gen.saber.settings import Settings, check_room
from gen.saber.shards import WRITTEN, Contents, write_folder
from gen.vocab.saber import BUILTIN, SaberVocabulary, load
from schemas.manifest import Manifest


def identity_of(
    settings: Settings, vocabulary: SaberVocabulary, source: Source | None = None
) -> dict[str, Any]:
    """What determines the data: two runs with the same identity write the same rows.

    But for images of the llvm variant, which differ by single steps of a channel.
    """
    known = {
        "dataset": "saber",
        "version": __version__,
        "seed": settings.seed,
        "sizes": list(settings.sizes),
        "questions_per_size": settings.per_size,
        "vocabulary": vocabulary.digest,
    }
    return known | (source.identity() if source else {})


def preview(config: SaberConfig) -> int:
    """Print questions of all sizes; write nothing. Returns the exit status.

    Raises:
        ValueError: for a vocabulary that won't do.
    """
    vocabulary, settings = load(config.vocab or BUILTIN), config.settings
    check_room(vocabulary, settings)
    found, _ = sample(vocabulary, settings)
    for place in spread(len(found), config.preview or 0):
        print("\n".join(show(rows(found[place]).mcq)), end="\n\n")
    return 0


def run(config: SaberConfig) -> int:
    """Write the dataset; returns the exit status.

    Raises:
        ValueError: for a vocabulary or a folder that won't do.
    """
    vocabulary, settings = load(config.vocab or BUILTIN), config.settings
    check_room(vocabulary, settings)
    source = source_of(config.image, vocabulary)
    identity = identity_of(settings, vocabulary, source)
    images = config.out / RUN / IMAGES
    if not config.resume and on_record(images):
        raise ValueError(
            f"{images} holds images that were paid for: --no-resume would discard them; move that "
            "folder away first, or choose another --out"
        )
    written = (*WRITTEN, f"{RUN}/{IMAGES}")
    with claimed(config.out, identity, written, resume=config.resume) as finished:
        screened = decisions(config.out) if source else []
        if finished is not None and considered(finished, screened):
            print(f"{config.out} is finished; nothing to do.")
            return summarize(config.out, finished)
        with _no_collection(), phase("questions", settings.questions) as display:
            found, dropped = sample(vocabulary, settings, display.advance)
        store = Store(images, identity) if source else None
        if source and store:
            part = part_of(found, config.image)
            try:
                make_missing(source, store, part, rejected(screened))
            except UnfinishedError as error:
                print("", *error.lines, f"Not finished: {error}.", sep="\n", flush=True)
                return SHORT
            if config.image.shard:
                print(
                    f"Part {config.image.shard} is made: {len(NAMES) * len(part):,} images in "
                    f"{store.folder}. Copy the parts together, then run without --shard."
                )
                return 0
        with _no_collection(), phase("written", settings.questions) as display:
            usage = source.usage(store) if source and store else None
            contents = Contents(identity, vocabulary, found, dropped, store, screened, usage)
            summary = write_folder(config.out, contents, display.advance)
    return summarize(config.out, summary)


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
    if summary.usage:
        print(f"\n{summary.usage.requests:,} requests{usage_note(summary.usage)}")
    print(f"\nCheck it:  python -m gen.verify {folder}")
    return 0
