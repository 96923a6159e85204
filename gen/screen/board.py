"""Where screening stands: which images are there, what was decided on them, what is left."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Literal, NamedTuple

from gen.saber.images.screening import Decision, Journal, append
from gen.saber.images.store import NAMES
from gen.screen.folder import Folder, Item

Only = Literal["undecided", "rejected", "disagreed", "all"]

REASONS = {
    "wrong_attribute": "wrong color or attribute",
    "wrong_object": "wrong object",
    "object_count": "missing or extra object",
    "bleeding": "attribute bleeds over",
    "unrecognizable": "not recognizable",
    "other": "layout, other",
}
"""Why an image is rejected, in the order of the keys 1 to 6."""

SETTLED = 1_000_000_000
"""Nanoseconds after which a folder's time tells of every change: clocks of disks are coarse."""


class ReplacedError(ValueError):
    """An image is no longer the one that was looked at."""


class Standing(NamedTuple):
    """How far a reviewer is."""

    images: int
    """All that are to be screened."""
    there: int
    """Of them, how many are made."""
    accepted: int
    rejected: int

    @property
    def undecided(self) -> int:
        """How many are there and not looked at."""
        return self.there - self.accepted - self.rejected


class Entry(NamedTuple):
    """An image in the order in which they are shown."""

    id: str
    sha256: str
    accepted: bool | None
    """What the reviewer decided."""
    wanted: bool
    """Whether it is among those that were asked for."""


class Board:
    """The images of a folder as one reviewer screens them; safe to use from several threads."""

    def __init__(self, folder: Folder, items: Sequence[Item], reviewer: str) -> None:
        self.folder, self.reviewer = folder, reviewer
        self.items = {item.id: item for item in items}
        """By id, in the order of the dataset."""
        self.version = 0
        """Grows with every image that appears, and with what is decided elsewhere."""
        self.problem = ""
        """What was wrong with the folder when it was looked at last."""
        self._journal = Journal(folder.path)
        self._journal.refresh()
        self._digests: dict[str, str] = {}
        self._questions: dict[str, list[Item]] = {}
        for item in items:
            self._questions.setdefault(item.question.id, []).append(item)
        self._seen: dict[str, int] = {}
        """When the images of a question changed last, in nanoseconds."""
        self._lock = Lock()
        """Held for moments, around what is in memory."""
        self._writing = Lock()
        """Held while a decision goes to the disk."""

    def refresh(self) -> None:
        """Look for new images and decisions: milliseconds, and once a second for all of 9,000."""
        self.problem = ""
        try:
            self._read_on()
        except ValueError as error:
            self.problem = str(error)
        for question, items in self._questions.items():
            folder = self.folder.store.folder / question
            try:
                changed = folder.stat().st_mtime_ns
            except FileNotFoundError:
                changed = 0
            if self._seen.get(question, 0) != changed:
                for item in items:
                    self._look(item, folder / f"{NAMES[item.scene]}.json")
                if changed < time.time_ns() - SETTLED:
                    self._seen[question] = changed

    def _look(self, item: Item, record: Path) -> None:
        """See whether an image is there, and which."""
        found = ""
        try:
            if record.exists():
                found = self.folder.store.record(item.question, item.scene)["sha256"]
        except ValueError as error:
            if record.exists():  # else it was just removed, to be made anew
                self.problem = str(error)
        with self._lock:
            if self.digest(item) != found:
                self._digests[item.id] = found
                self.version += 1

    def digest(self, item: Item) -> str:
        """The SHA-256 of an image; nothing where it is not there."""
        return self._digests.get(item.id, "")

    def entries(self, only: Only) -> Iterator[Entry]:
        """All images that are there."""
        with self._lock:
            for name in self.items:
                if digest := self._digests.get(name):
                    known = self._journal.of(name, digest)
                    mine = known.get(self.reviewer)
                    views = {one.accepted for one in known.values()}
                    wanted = {
                        "undecided": mine is None,
                        "rejected": False in views,
                        "disagreed": len(views) > 1,
                        "all": True,
                    }
                    yield Entry(name, digest, mine.accepted if mine else None, wanted[only])

    def standing(self) -> Standing:
        """How far the reviewer is."""
        with self._lock:
            there = [image for image in self._digests.items() if image[1]]
            mine = Counter(self._journal.view(*image, self.reviewer) for image in there)
        return Standing(len(self.items), len(there), mine[True], mine[False])

    def views(self, item: Item, sha256: str) -> dict[str, Decision]:
        """What is decided on an image; nothing of others before the reviewer's own decision."""
        with self._lock:
            known = self._journal.of(item.id, sha256)
        return known if self.reviewer in known else {}

    def decide(self, item: Item, sha256: str, accepted: bool | None, reason: str) -> None:
        """Keep a decision, or take one back with None; it is on disk when this returns.

        Raises:
            ReplacedError: where the image is not there as it was seen.
            OSError: where the decision can't be kept.
        """
        with self._writing:
            try:
                there = self.folder.store.record(item.question, item.scene)["sha256"]
            except ValueError:
                there = ""
            if there != sha256:
                raise ReplacedError(f"{item.id} is no longer the image that was seen")
            self._read_on()
            decision = Decision(
                id=item.id,
                sha256=sha256,
                accepted=accepted,
                reason=reason,
                reviewer=self.reviewer,
                time=self._journal.now(item.id, sha256, self.reviewer),
            )
            append(self.folder.path, [decision])
            self._read_on()

    def _read_on(self) -> None:
        """Take in what was decided since, by anybody."""
        with self._lock:
            self.version += self._journal.refresh()
