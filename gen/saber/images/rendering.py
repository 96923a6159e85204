"""Images from the embedded renderer, drawn in worker processes, a question at a time."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from importlib.metadata import version
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import TYPE_CHECKING, Any, NamedTuple

from gen.base.progress import duration
from gen.base.workers import cpus, pool, sigint_blocked
from gen.saber.config import ImageConfig
from gen.saber.images.job import Job
from gen.saber.images.store import Made, Record, Store, webp
from gen.vocab.saber import SaberVocabulary

if TYPE_CHECKING:
    from gen.render.backend import Variant
    from gen.render.draw import Drawn
    from gen.render.scene import Layout, Scene


class Style(NamedTuple):
    """What determines the images of a question, beside the question."""

    variant: Variant
    size: int
    """Pixels of a side."""
    samples: int
    """Light paths for a pixel."""
    layout: Layout
    renderer: str
    """The libraries that draw, with their versions."""


class Renderer(NamedTuple):
    """The embedded renderer as a source of images."""

    style: Style
    workers: int
    objects: Sequence[str]
    """All objects of the vocabulary, in the order of their category ids."""

    @classmethod
    def of(cls, config: ImageConfig, vocabulary: SaberVocabulary) -> Renderer:
        """The renderer that is asked for, in the fastest variant there is if none is named.

        Raises:
            ValueError: where it isn't installed, or doesn't know the vocabulary's words.
        """
        from gen.render.backend import NAMES as VARIANTS
        from gen.render.backend import load

        _check_drawable(vocabulary)
        chosen = load(config.variant).variant()
        variant = next(name for name, full in VARIANTS.items() if full == chosen)
        libraries = ", ".join(f"{name} {version(name)}" for name in ("mitsuba", "pyoidn"))
        style = Style(variant, config.size, config.samples, config.layout, libraries)
        return cls(style, config.workers or cpus(), vocabulary.objects)

    def identity(self) -> dict[str, Any]:
        """What determines the images."""
        return {"images": "render", **self.style._asdict()}

    def attempts(self, rejections: Sequence[int]) -> tuple[int, ...]:
        """The attempt at each image; those that share their places are drawn again together."""
        from gen.render.scene import sharing

        shared = sharing(self.style.layout, len(rejections))
        sums = Counter[int]()
        for first, count in zip(shared, rejections, strict=True):
            sums[first] += count
        return tuple(sums[first] for first in shared)

    def usage(self, store: Store) -> None:
        """Nothing is paid for."""

    def plan(self, jobs: Sequence[Job]) -> str:
        """How images are going to be drawn."""
        from gen.render.backend import seconds

        style = self.style
        work = sum(
            len(job.missing) * seconds(style.variant, style.size, style.samples, job.question.n)
            for job in jobs
        )
        time = duration(work / min(self.workers, cpus()))
        return (
            f"{style.size} x {style.size}, {style.samples} samples, {style.variant} variant, "
            f"{self.workers} workers: about {time}, more on a busy machine"
        )

    def make(self, store: Store, jobs: Sequence[Job]) -> Iterator[int]:
        """Draw in worker processes; how many images there are more, as they come.

        Raises:
            ValueError: for a question that can't be drawn, or a worker process that died.
        """
        count = min(self.workers, len(jobs))
        stop = get_context("spawn").Event()
        threads = max(1, cpus() // count)
        try:
            with pool(count, _start, store, self, threads, stop) as executor:
                try:
                    with sigint_blocked():
                        futures = [executor.submit(_draw, job) for job in jobs]
                    for future in as_completed(futures):
                        yield future.result()
                finally:
                    stop.set()  # where something went wrong, workers end with the image at hand
        except BrokenProcessPool:
            raise ValueError(
                "a worker process died (out of memory?); finished images are safe, "
                "run again with fewer --workers"
            ) from None

    def scenes(self, job: Job) -> list[Scene]:
        """The scenes of all five images of a job's question."""
        from gen.render.scene import Item
        from gen.render.scene import question as lay_out

        question, style = job.question, self.style
        shown = [question.query, *(candidate.scene for candidate in question.candidates)]
        looks = question.looks
        items = [
            [Item(binding.object, binding.attribute, looks[binding.attribute]) for binding in scene]
            for scene in shown
        ]
        seed = question.layout_seed
        return lay_out(items, seed, style.layout, style.size, style.samples, attempts=job.attempts)

    def draw(self, store: Store, job: Job, stopped: Event) -> int:
        """Draw a question's images, but for those that a stop leaves out; how many there are more.

        Raises:
            ValueError: for what can't be drawn.
        """
        from gen.render.draw import draw_all

        scenes = self.scenes(job)
        drawings = draw_all((scenes[number] for number in job.missing), self.style.variant)
        for done, number in enumerate(job.missing):
            if stopped.is_set():
                return done
            made = _made(scenes[number], next(drawings), self.objects)
            store.put(job.question, number, job.attempts[number], made)
        return len(job.missing)


def _check_drawable(vocabulary: SaberVocabulary) -> None:
    """Refuse words that the renderer doesn't know, before any work.

    Raises:
        ValueError: naming the first of them.
    """
    from gen.render.appearance import PAINTERS
    from gen.render.shape import entries

    for kind, words, known in (
        ("object", vocabulary.objects, entries().keys()),
        ("attribute", list(vocabulary.attributes), PAINTERS.keys()),
    ):
        unknown = [word for word in words if word not in known]
        if unknown:
            raise ValueError(
                f"the renderer can't draw {len(unknown)} of the vocabulary's {kind}s: "
                f"{unknown[0]!r} is the first; leave it out of --vocab"
            )


class _Worker(NamedTuple):
    """What a worker process draws with."""

    store: Store
    renderer: Renderer
    stop: Event


_worker: _Worker | None = None


def _start(store: Store, renderer: Renderer, threads: int, stop: Event) -> None:
    """Set a worker process up: its threads are its share of the CPUs, and are not pinned."""
    global _worker
    os.environ |= {"OIDN_NUM_THREADS": str(threads), "OIDN_SET_AFFINITY": "0"}
    from gen.render.backend import load

    load(renderer.style.variant)
    import drjit

    drjit.set_thread_count(threads)
    _worker = _Worker(store, renderer, stop)


def _draw(job: Job) -> int:
    assert _worker is not None
    try:
        return _worker.renderer.draw(_worker.store, job, _worker.stop)
    except ValueError as error:
        raise ValueError(f"question {job.question.id}: {error}") from error


def _made(scene: Scene, drawn: Drawn, objects: Sequence[str]) -> Made:
    """An image as files, with its ground truth and how it was made."""
    from gen.render.truth import coco_annotations, png, record

    known, found = record(scene, drawn), coco_annotations(scene, drawn, objects)
    notes: list[Record] = [
        note | {"colors": list(colors), "place": item["place"]}
        for note, item, colors in zip(found, known["items"], drawn.swatches, strict=True)
    ]
    how = {name: known[name] for name in ("flip", "samples", "camera", "light", "seeds")}
    entry = {"width": scene.size, "height": scene.size, **how}
    return Made(webp(drawn.image), png(drawn.mask), entry, notes)
