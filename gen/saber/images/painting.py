"""Images from a model behind OpenAI's Images API, as the paper had them made (A.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from gen.base.chat.breaker import Breaker, Limits, counts_of
from gen.base.progress import duration
from gen.base.templates import IMAGE, PROMPTS
from gen.saber.config import ImageConfig
from gen.saber.images.api import ImagesApi
from gen.saber.images.job import Job, UnfinishedError
from gen.saber.images.ledger import Ledger
from gen.saber.images.store import Store
from gen.saber.images.threads import ImageThreads, LeftOut, Task
from schemas.manifest import Usage

SECONDS = 30.0
"""What an image takes at medium quality, about."""
IN_A_ROW = Limits(first=3, later=10)
"""Images left out in a row after which a run stops, since it is rather the server than the images:
before its first answer, be it a refusal, and after."""
SHOWN = 20
"""Images left out that are named at the end."""


class Painter:
    """A model behind the Images API as a source of images."""

    def __init__(self, config: ImageConfig) -> None:
        """Nothing is asked yet.

        Raises:
            ValueError: the libraries are not installed, or there is no key.
        """
        with ImagesApi(config):
            self._config = config
        self._ledger: Ledger | None = None

    def identity(self) -> dict[str, Any]:
        """What determines the images, as far as anything does."""
        config = self._config
        return {
            "images": "openai",
            "model": config.model,
            "size": config.size,
            "quality": config.quality,
            "prompt": template_digest(),
        }

    def attempts(self, rejections: Sequence[int]) -> tuple[int, ...]:
        """The attempt at each image: each is on its own."""
        return tuple(rejections)

    def usage(self, store: Store) -> Usage:
        """What the model took so far, in all runs of the folder.

        Raises:
            ValueError: a record of requests is damaged.
        """
        return (self._ledger or self._open(store)).usage

    def plan(self, jobs: Sequence[Job]) -> str:
        """How images are going to be asked for."""
        images = sum(len(job.missing) for job in jobs)
        config, price = self._config, self._config.price
        seconds = SECONDS * max(images / config.in_flight, 1)
        cost = "; --price tells the cost" if price is None else f", cost {images * price:,.2f}"
        bound = "" if config.budget is None else f" (all together at most {config.budget:,.2f})"
        return (
            f"{config.size} x {config.size}, {config.quality} quality, by {config.model}, "
            f"{config.in_flight} at a time: about {duration(seconds)}{cost}{bound}"
        )

    def make(self, store: Store, jobs: Sequence[Job]) -> Iterator[int]:
        """Ask for images, many at a time; how many there are more, as they come.

        What is being answered when something ends the work is waited for and kept.

        Raises:
            UnfinishedError: some could not be had, or the budget is used up.
            ValueError: no request can succeed, or hardly any does; or a record is damaged.
        """
        tasks = [
            Task(job.question, scene, job.attempts[scene]) for job in jobs for scene in job.missing
        ]
        left_out: list[LeftOut] = []
        breaker = Breaker(IN_A_ROW)
        self._ledger = self._open(store)
        with (
            self._ledger as ledger,
            ImagesApi(self._config) as api,
            ImageThreads(api, store, ledger, tasks, self._config.in_flight) as threads,
        ):
            for found in threads.results():
                if found is None:
                    breaker.succeeded()
                    yield 1
                    continue
                left_out.append(found)
                breaker.proven |= threads.answered
                if breaker.failed(found.fault.reason):
                    raise ValueError(
                        f"{breaker.count} images in a row could not be had ({found.fault.reason}: "
                        f"{found.fault.said}); what is there is safe, and the same command goes on"
                    )
        _finish(left_out, threads.unasked, self._ledger.path)

    def _open(self, store: Store) -> Ledger:
        part = (self._config.shard or "").replace("/", "-of-")
        return Ledger(store.folder, part, self._config.price, self._config.budget)


def _finish(left_out: Sequence[LeftOut], unasked: int, record: Path) -> None:
    """Say what is missing, if anything is.

    Raises:
        UnfinishedError: something is.
    """
    lines = [f"  {one.task.id}  {one.fault.reason}: {one.fault.said}" for one in left_out]
    if len(lines) > SHOWN:
        lines[SHOWN:] = [f"  and {len(lines) - SHOWN:,} more"]
    if unasked:
        raise UnfinishedError(
            f"the budget has no room for the {unasked:,} images still to make; the same command "
            "with a larger --budget goes on",
            lines,
        )
    if left_out:
        reasons = Counter(one.fault.reason for one in left_out)
        counts = counts_of(reasons)
        raise UnfinishedError(
            f"{len(left_out):,} images could not be had ({counts}); the same command asks for them "
            f"again. Every request is in {record}",
            lines,
        )


@cache
def template_digest() -> str:
    """BLAKE2b of the template: what is asked depends on it."""
    return blake2b((PROMPTS / IMAGE).read_bytes(), digest_size=16).hexdigest()
