"""Rejected images, made again while others are looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Condition, Thread

from gen.base.folder import claimed
from gen.saber.images.screening import decisions, rejected
from gen.saber.images.source import Source, jobs_of
from gen.screen.folder import Folder
from schemas.saber import Question


class Redrawer:
    """Makes the images of questions anew, in a thread, as the next run of `gen.saber` would."""

    def __init__(self, folder: Folder, source: Callable[[], Source]) -> None:
        self.message = ""
        """What went wrong last."""
        self._folder, self._find = folder, source
        self._source: Source | None = None
        self._waiting: dict[str, Question] = {}
        self._making: dict[str, Question] = {}
        self._stopped = False
        self._changed = Condition()
        self._thread = Thread(target=self._run, name="redraw", daemon=True)
        self._thread.start()

    @property
    def busy(self) -> list[str]:
        """The questions whose images are being made, or wait for it."""
        with self._changed:
            return [*self._making, *self._waiting]

    def ask(self, question: Question) -> None:
        """Have the rejected images of a question made, with those that share their layout."""
        with self._changed:
            self._waiting[question.id] = question
            self.message = ""
            self._changed.notify()

    def stop(self) -> None:
        """End after the images that are at hand; whatever is left is up to `gen.saber`."""
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._stopped)
                if self._stopped:
                    return
                self._making, self._waiting = self._waiting, {}
            try:
                self._make(self._making.values())
            except (ValueError, OSError, ImportError) as error:
                self.message = f"not drawn again yet: {error}"
            with self._changed:
                self._making = {}

    def _make(self, questions: Iterable[Question]) -> None:
        """Make what is rejected and not made yet.

        Raises:
            ValueError: where another run writes the folder, or images can't be made here.
        """
        folder = self._folder
        self._source = source = self._source or self._find()
        with claimed(folder.path, folder.identity, (), resume=True):
            sent_back = rejected(decisions(folder.path))
            jobs = jobs_of(source, folder.store, questions, sent_back)
            for _ in source.make(folder.store, jobs) if jobs else ():
                if self._stopped:
                    return
