"""What an image costs, stage by stage, and what drawing a question's images in a row saves.

    python -m tests.bench.render [--objects 2,6,10] [--samples 8] [--size 512] [--variant llvm]

Each question is drawn twice: image by image, as in processes of their own but for the compiled
kernels, which are kept on disk; and in a row, as `gen.saber` does. On one thread, as its workers
do when there is one for each CPU. Compare figures of one run with each other, not with figures of
another machine.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from gen.render import backend, draw, scene, world
from gen.saber.images import store
from gen.saber.images.job import Job
from gen.saber.images.rendering import Renderer, Style
from gen.saber.sampler import sample
from gen.saber.settings import Settings
from gen.vocab.saber import load
from schemas.saber import Question

SEED = 3
STAGES = (
    ("places", Renderer, "scenes"),
    ("shapes", draw, "shape"),
    ("surfaces", draw, "prop"),
    ("scene", world.World, "show"),
    ("mask", draw, "_mask"),
    ("tracing", draw, "_image"),
    ("denoising", draw, "denoised"),
    ("encoding", store, "webp"),
)


class Clock:
    """CPU seconds of stages; one within another counts for the inner alone."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self._running: list[str] = []
        self._since = time.process_time()

    def _tick(self) -> None:
        now = time.process_time()
        self.spent[self._running[-1] if self._running else "other"] += now - self._since
        self._since = now

    def watch(self, stage: str, owner: Any, name: str) -> None:
        """Count what a function takes from now on."""
        function: Callable[..., Any] = getattr(owner, name)

        def watched(*args: Any, **kwargs: Any) -> Any:
            self._tick()
            self._running.append(stage)
            try:
                return function(*args, **kwargs)
            finally:
                self._tick()
                self._running.pop()

        setattr(owner, name, watched)

    def restart(self) -> None:
        """Count from zero."""
        self.spent.clear()
        self._since = time.process_time()

    def stop(self) -> Counter[str]:
        """What was spent since."""
        self._tick()
        return Counter(self.spent)


def alone(question: Question, renderer: Renderer) -> int:
    """Draw a question's images one by one; how many they are."""
    scenes = renderer.scenes(Job(question, (0,) * 5, (0, 1, 2, 3, 4)))
    for one in scenes:
        draw._world.cache_clear()
        scene._outline.cache_clear()
        store.webp(draw.draw(one, renderer.style.variant, draw.shape).image)
    return len(scenes)


def in_a_row(question: Question, renderer: Renderer) -> int:
    """Draw a question's images in a row; how many they are."""
    scenes = renderer.scenes(Job(question, (0,) * 5, (0, 1, 2, 3, 4)))
    for drawn in draw.draw_all(scenes, renderer.style.variant, draw.shape):
        store.webp(drawn.image)
    return len(scenes)


def main() -> None:
    """Draw and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--objects", default="2,6,10")
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--variant", choices=sorted(backend.NAMES), default="llvm")
    options = parser.parse_args()
    os.environ |= {"OIDN_NUM_THREADS": "1", "OIDN_SET_AFFINITY": "0"}
    backend.load(options.variant)
    import drjit

    drjit.set_thread_count(1)
    sizes = tuple(map(int, options.objects.split(",")))
    questions, _ = sample(load(), Settings(seed=SEED, sizes=sizes, per_size=1))
    style = Style(options.variant, options.size, options.samples, "fixed", "bench")
    renderer = Renderer(style, 1, ())
    alone(questions[0], renderer)  # shapes and kernels are in their caches from here on
    clock = Clock()
    for stage in STAGES:
        clock.watch(*stage)
    names = [stage for stage, *_ in STAGES]
    print(f"CPU seconds an image, {style.size} x {style.size}, {style.samples} samples:")
    print("objects way        total", *(f"{name:>9}" for name in names))
    for question in questions:
        totals = []
        for way in (alone, in_a_row):
            clock.restart()
            count = way(question, renderer)
            spent = clock.stop()
            totals.append(spent.total() / count)
            shares = " ".join(f"{spent[name] / count:9.3f}" for name in names)
            print(f"{question.n:7} {way.__name__:9} {totals[-1]:6.2f} {shares}", flush=True)
        expected = backend.seconds(style.variant, style.size, style.samples, question.n)
        print(f"        ratio     {totals[0] / totals[1]:6.2f}   estimate {expected:.2f}")


if __name__ == "__main__":
    main()
