"""The ground truth of all images as files of the dataset, in the form of COCO."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from gen.saber.unit import Units
from schemas.manifest import File, describe
from schemas.saber import Question, candidate_id

FOLDER = "truth"


def write_truth(folder: Path, questions: Sequence[Question], units: Units) -> dict[str, File]:
    """Write `truth/queries.json` and `truth/corpus.json`; returns their manifest entries.

    An image is named after its row, as `<_id>.webp`. One question is held at a time.
    """
    (folder / FOLDER).mkdir(exist_ok=True)
    categories = [{"id": place, "name": name} for place, name in enumerate(units.objects, 1)]
    files = {}
    for config in ("queries", "corpus"):
        path = folder / FOLDER / f"{config}.json"
        temporary = path.with_name(f"{path.name}.tmp")
        with temporary.open("w", encoding="utf-8") as file:
            file.write('{"categories": ')
            _array(file, categories)
            file.write(',\n"images": ')
            count = _array(file, _images(config, questions, units))
            file.write(',\n"annotations": ')
            _array(file, _annotations(config, questions, units))
            file.write("}\n")
        temporary.replace(path)
        files[f"{FOLDER}/{path.name}"] = describe(path, count)
    return files


def _array(file: TextIO, entries: Iterable[dict[str, Any]]) -> int:
    """Write a JSON array, an entry a line; how many there were."""
    count = 0
    for count, entry in enumerate(entries, 1):
        file.write(("[" if count == 1 else ",") + f"\n{json.dumps(entry)}")
    file.write("]" if count else "[]")
    return count


def _truths(
    config: str, questions: Sequence[Question], units: Units
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The row id and the truth of each image of a config."""
    for question in questions:
        query, *others = units.truth(question)
        if config == "queries":
            yield question.id, query
        else:
            for place, truth in enumerate(others):
                yield candidate_id(question.id, place), truth


def _images(config: str, questions: Sequence[Question], units: Units) -> Iterator[dict[str, Any]]:
    for number, (name, truth) in enumerate(_truths(config, questions, units), 1):
        own = {"id": number, "file_name": f"{name}.webp", "sha256": truth["sha256"]}
        yield truth["image"] | own


def _annotations(
    config: str, questions: Sequence[Question], units: Units
) -> Iterator[dict[str, Any]]:
    count = 0
    for number, (_, truth) in enumerate(_truths(config, questions, units), 1):
        for note in truth["annotations"]:
            count += 1
            yield note | {"id": count, "image_id": number}
