"""What a source of images is asked to make, and what it says when it could not make all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from schemas.saber import Question


class Job(NamedTuple):
    """The images of one question that are to be made."""

    question: Question
    attempts: tuple[int, ...]
    """For each of its scenes how many images were made before and sent back."""
    missing: tuple[int, ...]
    """The scenes whose image is not there."""


class UnfinishedError(ValueError):
    """Images are missing, for reasons that may pass; the same command goes on."""

    def __init__(self, message: str, lines: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.lines = lines
        """Which ones, and why, to be shown before the message."""
