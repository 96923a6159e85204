"""Making the images of all questions: what is missing is made, what is there stays.

What a kill or Ctrl-C interrupts is made by the same command later. A part of the questions
(`--shard`) can be made on another machine and its images copied: a run without it makes what is
missing and writes the dataset. An image that somebody rejected is made anew, with another seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from gen.base.progress import phase, usage_note
from gen.saber.config import ImageConfig
from gen.saber.images.job import Job
from gen.saber.images.screening import rejections
from gen.saber.images.store import NAMES, Store
from gen.vocab.saber import SaberVocabulary
from schemas.manifest import Usage
from schemas.saber import Question


class Source(Protocol):
    """Where images come from."""

    def identity(self) -> dict[str, Any]:
        """What determines the images, as the manifest has it; `images` names the source."""
        ...

    def attempts(self, rejections: Sequence[int]) -> tuple[int, ...]:
        """The attempt at each image of a question, of how often each was rejected."""
        ...

    def plan(self, jobs: Sequence[Job]) -> str:
        """How images are going to be made, how long that takes and what it costs."""
        ...

    def usage(self, store: Store) -> Usage | None:
        """What all images so far have taken; None where nothing is paid for."""
        ...

    def make(self, store: Store, jobs: Sequence[Job]) -> Iterator[int]:
        """Make images and put them into the store; how many there are more, as they come.

        Raises:
            UnfinishedError: some could not be made; the others are there.
            ValueError: none can be made.
        """
        ...


def source_of(config: ImageConfig, vocabulary: SaberVocabulary) -> Source | None:
    """Where images come from; None for no images.

    Raises:
        ValueError: where something that it takes is missing.
    """
    if config.images == "none":
        return None
    if config.images == "openai":
        from gen.saber.images.painting import Painter

        return Painter(config)
    from gen.saber.images.rendering import Renderer

    return Renderer.of(config, vocabulary)


def part_of(questions: Sequence[Question], config: ImageConfig) -> list[Question]:
    """The questions whose images this run makes, all sizes in turn.

    So the parts of several machines take equally long, and the time left is right early on.
    """
    ordered = sorted(questions, key=lambda question: question.number)
    if config.shard is None:
        return ordered
    number, count = config.part
    return ordered[number - 1 :: count]


def jobs_of(
    source: Source, store: Store, questions: Iterable[Question], sent_back: Mapping[str, set[str]]
) -> list[Job]:
    """What is to be made: images that are not there, or were sent back.

    Raises:
        ValueError: where the store holds another run's.
    """
    jobs = []
    for question in questions:
        attempts = source.attempts(rejections(question, sent_back))
        if missing := store.missing(question, attempts):
            jobs.append(Job(question, attempts, missing))
    return jobs


def make_missing(
    source: Source, store: Store, questions: Sequence[Question], sent_back: Mapping[str, set[str]]
) -> None:
    """Make the images of the questions that are not there, or were sent back.

    Raises:
        ValueError: for what can't be made, in words of the source.
        UnfinishedError: as `Source.make`.
    """
    jobs = jobs_of(source, store, questions, sent_back)
    total, left = len(NAMES) * len(questions), sum(len(job.missing) for job in jobs)
    if not left:
        return
    print(f"{left:,} of {total:,} images to make, {source.plan(jobs)}", flush=True)
    with phase("images", total, total - left) as display:
        for count in source.make(store, jobs):
            usage = source.usage(store)
            display.advance(count, usage_note(usage).removeprefix("; ") if usage else "")
