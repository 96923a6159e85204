"""Drawing the images of all questions: in worker processes, unit by unit, resumed by what is there.

What a kill or Ctrl-C interrupts is drawn again by the same command. A part of the questions
(`--shard`) can be drawn on another machine and its units copied: a run without it draws what is
missing and writes the dataset.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from importlib.metadata import version
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import NamedTuple

from gen.config import cpus
from gen.display import phase
from gen.saber.config import ImageConfig
from gen.saber.unit import NAMES, Style, Units
from gen.workers import pool, sigint_blocked
from schemas.saber import Question

FOLDER = "images"
"""Sub-folder of `.run` with the units."""


def style_of(config: ImageConfig) -> Style | None:
    """How images are drawn, the fastest way there is if none is asked for; None for no images.

    Raises:
        ValueError: where the renderer isn't installed.
    """
    if config.images == "none":
        return None
    from gen.render.backend import NAMES as VARIANTS
    from gen.render.backend import load

    chosen = load(config.variant).variant()
    variant = next(name for name, full in VARIANTS.items() if full == chosen)
    renderer = ", ".join(f"{name} {version(name)}" for name in ("mitsuba", "pyoidn"))
    return Style(variant, config.size, config.samples, config.layout, renderer)


def check_drawable(objects: Sequence[str], attributes: Sequence[str]) -> None:
    """Refuse words that the renderer doesn't know, before any work.

    Raises:
        ValueError: naming the first of them.
    """
    from gen.render.appearance import PAINTERS
    from gen.render.shape import entries

    for kind, words, known in (
        ("object", objects, entries().keys()),
        ("attribute", attributes, PAINTERS.keys()),
    ):
        unknown = [word for word in words if word not in known]
        if unknown:
            raise ValueError(
                f"the renderer can't draw {len(unknown)} of the vocabulary's {kind}s: "
                f"{unknown[0]!r} is the first; leave it out of --vocab"
            )


def part_of(questions: Sequence[Question], config: ImageConfig) -> list[Question]:
    """The questions whose images this run draws, all sizes in turn.

    So the parts of several machines take equally long, and the time left is right early on.
    """
    ordered = sorted(questions, key=lambda question: question.number)
    if config.shard is None:
        return ordered
    number, count = config.part
    return ordered[number - 1 :: count]


def draw_missing(
    units: Units, questions: Sequence[Question], style: Style, workers: int | None
) -> None:
    """Draw what is not there yet.

    Raises:
        ValueError: for a question that can't be drawn, or a worker process that died.
    """
    units.folder.mkdir(parents=True, exist_ok=True)
    units.sweep()
    todo = [question for question in questions if not units.has(question)]
    if not todo:
        return
    count = min(workers or cpus(), len(todo))
    total, left = len(NAMES) * len(questions), len(NAMES) * len(todo)
    print(
        f"{left:,} of {total:,} images to draw, {style.size} x {style.size}, {style.samples} "
        f"samples, {style.variant} variant, {count} workers: {_estimate(style, left, count)}",
        flush=True,
    )
    try:
        with phase("images", total, total - left) as display:
            for _ in _drawn(units, todo, style, count):
                display.advance(len(NAMES))
    except BrokenProcessPool:
        raise ValueError(
            "a worker process died (out of memory?); finished images are safe, "
            "run again with fewer --workers"
        ) from None


def _estimate(style: Style, images: int, workers: int) -> str:
    """How long drawing takes, about."""
    from gen.render.backend import SECONDS

    paths = (style.size / 512) ** 2 * style.samples / 16
    seconds = images * (SECONDS[style.variant] * paths + 0.5) / min(workers, cpus())
    return f"about {duration(seconds)}, more on a busy machine"


def duration(seconds: float) -> str:
    """A time in its two largest units.

    >>> duration(40), duration(130), duration(7.3 * 3600)
    ('40 s', '2 min', '7 h 18 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _drawn(units: Units, todo: Sequence[Question], style: Style, count: int) -> Iterator[None]:
    """Draw in worker processes; one item for each question that is done."""
    stop = get_context("spawn").Event()
    with pool(count, _start, units, style, max(1, cpus() // count), stop) as executor:
        try:
            with sigint_blocked():
                jobs = [executor.submit(_draw, question) for question in todo]
            for job in as_completed(jobs):
                job.result()
                yield
        finally:
            stop.set()  # where something went wrong, workers end with the image they are at


class _Worker(NamedTuple):
    """What a worker process draws with."""

    units: Units
    style: Style
    stop: Event


_worker: _Worker | None = None


def _start(units: Units, style: Style, threads: int, stop: Event) -> None:
    """Set a worker process up: its threads are its share of the CPUs, and are not pinned."""
    global _worker
    os.environ |= {"OIDN_NUM_THREADS": str(threads), "OIDN_SET_AFFINITY": "0"}
    from gen.render.backend import load

    load(style.variant)
    import drjit

    drjit.set_thread_count(threads)
    _worker = _Worker(units, style, stop)


def _draw(question: Question) -> None:
    assert _worker is not None
    try:
        _worker.units.draw(question, _worker.style, _worker.stop.is_set)
    except ValueError as error:
        raise ValueError(f"question {question.id}: {error}") from error
