"""The ground truth of all images as files of the dataset, in the form of COCO."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from gen.base.files import describe
from gen.saber.images.store import NAMES, Record, Store, row_id
from schemas.manifest import File
from schemas.saber import Question

TRUTH = "truth"

_Known = tuple[str, Record]


def write_truth(
    folder: Path, questions: Sequence[Question], objects: Sequence[str], store: Store
) -> dict[str, File]:
    """Write `truth/queries.json` and `truth/corpus.json`; returns their manifest entries.

    An image is named after its row, as `<_id>.webp`. The ids of `objects` are their places, from 1.
    One image is held at a time.

    Raises:
        ValueError: the record of an image is missing or damaged.
    """
    (folder / TRUTH).mkdir(exist_ok=True)
    categories = [{"id": place, "name": name} for place, name in enumerate(objects, 1)]
    files = {}
    for config in ("queries", "corpus"):
        path = folder / TRUTH / f"{config}.json"
        temporary = path.with_name(f"{path.name}.tmp")
        with temporary.open("w", encoding="utf-8") as file:
            file.write('{"categories": ')
            _array(file, categories)
            file.write(',\n"images": ')
            count = _array(file, _images(config, questions, store))
            file.write(',\n"annotations": ')
            _array(file, _annotations(config, questions, store))
            file.write("}\n")
        temporary.replace(path)
        files[f"{TRUTH}/{path.name}"] = describe(path, count)
    return files


def _array(file: TextIO, entries: Iterable[Record]) -> int:
    """Write a JSON array, an entry a line; how many there were."""
    count = 0
    for count, entry in enumerate(entries, 1):
        file.write(("[" if count == 1 else ",") + f"\n{json.dumps(entry)}")
    file.write("]" if count else "[]")
    return count


def _records(config: str, questions: Sequence[Question], store: Store) -> Iterator[_Known]:
    """The row id and the record of each image of a config."""
    scenes = range(1) if config == "queries" else range(1, len(NAMES))
    for question in questions:
        for scene in scenes:
            yield row_id(question, scene), store.record(question, scene)


def _images(config: str, questions: Sequence[Question], store: Store) -> Iterator[Record]:
    for number, (name, known) in enumerate(_records(config, questions, store), 1):
        own = {"id": number, "file_name": f"{name}.webp"}
        kept = {key: known[key] for key in ("sha256", "attempt")}
        yield own | known["image"] | kept


def _annotations(config: str, questions: Sequence[Question], store: Store) -> Iterator[Record]:
    count = 0
    for number, (_, known) in enumerate(_records(config, questions, store), 1):
        for note in known["annotations"]:
            count += 1
            own = {"id": count, "image_id": number}
            yield own | note | own  # first, also where an older record has numbers of its own
