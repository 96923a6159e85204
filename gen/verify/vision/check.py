"""One vision check of a dataset: ask what is not answered yet, then say what was found."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path

from gen.base.progress import phase, usage_note
from gen.saber.rows import Row, spread
from gen.verify.images import FILES
from gen.verify.saber import records
from gen.verify.vision.answers import Answered, opened
from gen.verify.vision.ask import OnAnswer, Source, ask
from gen.verify.vision.config import VisionConfig
from gen.verify.vision.findings import Findings
from gen.verify.vision.question import Question, data_url, questions
from schemas.manifest import Manifest

ANSWERS_FILE = "vision.jsonl"
"""Beside the dataset's files; the manifest doesn't list it."""


def check(folder: Path, found: Manifest, config: VisionConfig) -> Findings:
    """Ask a model about the images of a folder whose manifest was `found`.

    Raises:
        ValueError: there is nothing to ask about, or no one who answers; what was answered is kept.
    """
    if found.dataset != "saber" or "images" not in found.config:
        raise ValueError(f"--check-with is for SABER with images; {folder} has none")
    model = config.check_with or ""
    rows = _rows(folder, found, config.check_sample)
    asked = [question for row in rows for question in questions(row, model, config.request)]
    if not asked:
        raise ValueError(f"{folder} has no rows to ask about; run python -m gen.verify {folder}")
    with opened(config.check_out or folder / ANSWERS_FILE) as answers:
        todo = [question for question in asked if answers.is_open(question.key)]
        usage = answers.usage(question.key for question in asked)
        with phase("questions", len(asked), len(asked) - len(todo)) as display:

            def keep(answered: Answered) -> None:
                answers.add(answered)
                usage.add(answered.call, True)
                display.advance(1, usage_note(usage, config.prices).removeprefix("; "))

            if todo:
                source = _with_images(folder, found, config.check_sample, todo)
                _ask(config, source, len(todo), keep)
        pairs = [(question, answers.last(question.key)) for question in asked]
    known = [(question, answered) for question, answered in pairs if answered]
    return Findings(model, known, usage, len(todo), config.prices)


def _ask(config: VisionConfig, source: Source, count: int, on_answer: OnAnswer) -> None:
    """Ask questions.

    Raises:
        ValueError: no one answers, or the server refuses all.
    """
    try:
        asyncio.run(ask(config, source, min(config.in_flight, count), on_answer))
    except ConnectionError as error:
        raise ValueError(
            f"{error}; every answer is kept: see that the server runs and that --base-url names "
            "it, then run the same command again"
        ) from None


def _rows(folder: Path, found: Manifest, sample: int | None) -> Iterator[Row]:
    """The rows of queries and of candidates, or so many of each, evenly spread."""
    for config in FILES:
        count = found.rows(config)
        chosen = set(spread(count, sample or count))
        for number, row in enumerate(records(folder, found, config)):
            if number in chosen:
                yield row


def _with_images(
    folder: Path, found: Manifest, sample: int | None, todo: Iterable[Question]
) -> Source:
    """Questions with their images, those of one image together."""
    of: dict[str, list[Question]] = {}
    for question in todo:
        of.setdefault(question.row, []).append(question)
    for row in _rows(folder, found, sample):
        if row["_id"] in of:
            image = data_url(row)
            yield from ((question, image) for question in of[row["_id"]])
