"""Threads that ask for images, one each at a time, and keep what they get.

An answer costs money: its request is on record before anything is done with it, and its image is
kept before the thread asks for the next one.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from queue import SimpleQueue
from threading import Event, Thread, current_thread
from typing import TYPE_CHECKING, NamedTuple, Self

from gen.base.chat.faults import FaultError, Remedy
from gen.base.chat.retry import Retries, RetryPolicy
from gen.base.draws import Draws
from gen.base.templates import IMAGE, environment
from gen.saber.captions import phrases
from gen.saber.images.api import Call, ImagesApi
from gen.saber.images.ledger import Ledger
from gen.saber.images.store import Made, Store, row_id, webp
from schemas.saber import Question, Scene

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POLICY = RetryPolicy(tries=9, first_tries=4, backoff=1.0, longest_backoff=60.0)
"""Of one image, after which it is left out."""
FIXES = {
    "key": "set the key that the server takes",
    "not_found": "check --model and --base-url, which ends in /v1",
}
"""What to do where no request can succeed, by the reason; for others, `UNPAID`."""
UNPAID = "add credit, then run again"


class Task(NamedTuple):
    """One image to ask for."""

    question: Question
    scene: int
    attempt: int

    @property
    def id(self) -> str:
        """The `_id` of its row."""
        return row_id(self.question, self.scene)

    @property
    def flip(self) -> bool:
        """Whether the image is mirrored, with probability 0.5: places tell nothing (A.4)."""
        return bool(Draws("flip", self.question.layout_seed, self.scene, self.attempt).below(2))

    @property
    def prompt(self) -> str:
        """What is asked."""
        question = self.question
        scenes = (question.query, *(candidate.scene for candidate in question.candidates))
        return prompt(scenes[self.scene], question.looks)


class LeftOut(NamedTuple):
    """An image that could not be had."""

    task: Task
    fault: FaultError


def prompt(scene: Scene, looks: Mapping[str, str]) -> str:
    """What the model is asked for a scene."""
    return environment().get_template(IMAGE).render(phrases=phrases(scene, looks))


class ImageThreads:
    """The threads of one run and what they share; as a context, for as long as they work."""

    def __init__(
        self, api: ImagesApi, store: Store, ledger: Ledger, tasks: Sequence[Task], threads: int
    ) -> None:
        """So many threads at most; they start when the context is entered."""
        self.answered = False
        """Whether the server has answered at all, be it with a refusal."""
        self._api, self._store, self._ledger = api, store, ledger
        self._tasks = deque(tasks)
        self._stop = Event()
        self._found: SimpleQueue[LeftOut | Exception | Thread | None] = SimpleQueue()
        count = min(threads, len(tasks))
        self._threads = [Thread(target=self._work, daemon=True) for _ in range(count)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Let the answers come that are on their way; who is left ends with the process."""
        self._stop.set()
        if asked := self._ledger.in_flight:
            print(f"Waiting for {asked} images; Ctrl-C gives them up.", file=sys.stderr)
        try:
            for thread in self._threads:
                thread.join()
        except KeyboardInterrupt:
            return

    @property
    def unasked(self) -> int:
        """Images that are still to be asked for."""
        return len(self._tasks)

    def results(self) -> Iterator[LeftOut | None]:
        """For each image as it is done None if it is kept, else why it is left out.

        Raises:
            Exception: what a thread met with that is not about one image.
        """
        working = set(self._threads)
        while working:
            found = self._found.get()
            if isinstance(found, Thread):
                working.remove(found)
            elif isinstance(found, Exception):
                raise found
            else:
                yield found

    def _work(self) -> None:
        """What each thread does; its end is the last it tells."""
        try:
            while not self._stop.is_set() and (task := self._next()) and self._ask(task):
                pass
        except Exception as error:
            self._found.put(error)
        finally:
            self._found.put(current_thread())

    def _next(self) -> Task | None:
        """The next image to ask for."""
        try:
            return self._tasks.popleft()
        except IndexError:
            return None

    def _ask(self, task: Task) -> bool:
        """Ask for an image until it is kept or left out; False where the budget has no room.

        Raises:
            ValueError: no request can succeed.
        """
        retries = Retries(POLICY)
        while self._ledger.reserve():
            now = datetime.now(UTC).isoformat(timespec="seconds")
            call = Call(id=task.id, attempt=task.attempt, time=now)
            try:
                pixels = self._api.ask(task.prompt, call)
            except FaultError as fault:
                failed = fault
            else:
                self.answered = True
            finally:
                self._ledger.settle(call)
            if not call.reason:
                self._keep(task, pixels, call)
                return True
            if failed.remedy is Remedy.STOP:
                raise ValueError(f"{failed.said} ({FIXES.get(failed.reason, UNPAID)})")
            self.answered = self.answered or failed.remedy is Remedy.REDRAW
            pause = retries.pause(failed, answered=self.answered)
            if pause is None:
                self._found.put(LeftOut(task, failed))
                return True
            if self._stop.wait(pause):
                return True
        self._tasks.appendleft(task)
        return False

    def _keep(self, task: Task, pixels: NDArray[np.uint8], call: Call) -> None:
        """Store an image, mirrored where the coin says so, with how it was made."""
        height, width, _ = pixels.shape
        entry = {
            "width": width,
            "height": height,
            "flip": task.flip,
            "model": self._api.model,
            "quality": self._api.quality,
            "prompt": blake2b(task.prompt.encode(), digest_size=8).hexdigest(),
            "request_id": call.request_id,
            "prompt_tokens": call.prompt_tokens,
            "completion_tokens": call.completion_tokens,
        }
        image = webp(pixels[:, ::-1] if task.flip else pixels)
        self._store.put(task.question, task.scene, task.attempt, Made(image, None, entry))
        self._found.put(None)
