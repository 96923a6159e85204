"""The answers of vision models on file: one JSON line each, appended as they come.

A question is known by its key, so one file may hold the answers of several models and of images
that have since been drawn again; nothing in it is ever wrong, only no longer used.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from gen.base.log import Log
from schemas.manifest import Usage

_START = b'{"key":"'


class Answered(BaseModel):
    """A question that was asked, and what came of it."""

    key: str
    model: str
    row: str
    object: str
    expected: str
    answered: str | None
    """The option that was chosen; None where there is no answer."""
    reason: str = ""
    """Why there is none: `answer_refused`, `answer_shape`, `request_timeout`, ..."""
    text: str = ""
    """What was said in its place."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    faults: dict[str, int] = {}
    """Failed requests before this one was answered, by reason."""

    @property
    def call(self) -> dict[str, Any]:
        """What `Usage` counts."""
        return {**self.model_dump(), "round": 0}


class Answers:
    """An open file of answers."""

    def __init__(self, log: Log) -> None:
        """Read what it holds.

        Raises:
            ValueError: it is damaged.
        """
        self._log = log
        self._tries: dict[str, list[Answered]] = {}
        try:
            for _, record in log.records():
                self._note(Answered.model_validate(record))
        except (ValueError, ValidationError):
            raise _foreign(log.path) from None

    def last(self, key: str) -> Answered | None:
        """The latest try at a question."""
        return self._tries[key][-1] if key in self._tries else None

    def is_open(self, key: str) -> bool:
        """Whether a question has no answer yet; one that found none is asked again."""
        last = self.last(key)
        return last is None or last.answered is None

    def add(self, answered: Answered) -> None:
        """Put a try on record: from here on a kill can't lose it."""
        self._note(answered)
        self._log.append([answered.model_dump_json().encode() + b"\n"])

    def usage(self, keys: Iterable[str]) -> Usage:
        """What all tries at some questions took."""
        usage = Usage()
        for key in keys:
            for one in self._tries.get(key, ()):
                usage.add(one.call, True)
        return usage

    def _note(self, answered: Answered) -> None:
        self._tries.setdefault(answered.key, []).append(answered)


@contextmanager
def opened(path: Path) -> Iterator[Answers]:
    """Open or create a file of answers, for this process alone.

    Raises:
        ValueError: it can't be written, is another kind of file, is damaged or in use.
    """
    try:
        lock = path.open("a+b")
    except OSError as error:
        raise ValueError(
            f"{path}: {error.strerror}; name a file that can be written with --check-out"
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"{path}: another run is writing here") from None
        lock.seek(0)
        if lock.read(len(_START)) not in (b"", _START):
            raise _foreign(path)  # before a half line at its end is cut off
        log = Log(path)
        try:
            yield Answers(log)
        finally:
            log.close()
            if not path.stat().st_size:
                path.unlink()


def _foreign(path: Path) -> ValueError:
    return ValueError(f"{path}: damaged, or no file of answers; name another with --check-out")
