"""What people think of the images: decisions in files, and which images they send back.

Each reviewer has a file of their own, `OUT/.run/screening/<reviewer>.jsonl`, which only grows.
Files of several reviewers are put together with `python -m gen.screen OUT --merge`.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from gen.base.folder import RUN
from gen.base.log import whole_lines
from gen.saber.images.store import row_id
from schemas.manifest import Manifest
from schemas.saber import Question

SCREENING = f"{RUN}/screening"
DECISIONS_FILE = "screening.jsonl"
"""All decisions, as a file of the dataset."""


class Decision(BaseModel):
    """What a reviewer thinks of one image. A later one on the same image replaces it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    """The `_id` of the image's row in `queries` or `corpus`."""
    sha256: str
    """Of the image file: another image in its place is undecided."""
    accepted: bool | None
    """None takes back what was decided before."""
    reason: str = ""
    """Why it was rejected."""
    reviewer: str = Field(pattern=r"^\w[\w.-]{0,63}$")
    """A name that can be a file's."""
    time: AwareDatetime
    """When, in ISO 8601. Of several on one image the latest counts, and of one time the last."""


class Journal:
    """The decisions of all reviewers of a folder, read on where their files have grown."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, tuple[int, int]] = {}
        """Of each file its inode, and how many bytes of whole lines were read."""
        self._last: dict[tuple[str, str], dict[str, Decision]] = {}

    def refresh(self) -> bool:
        """Read what is new; whether there was anything.

        Raises:
            ValueError: for a line that is no decision.
        """
        paths = sorted((self._folder / SCREENING).glob("*.jsonl"))
        seen = {path: path.stat() for path in paths}
        for path, (inode, size) in self._read.items():  # gone, replaced or cut: nothing holds
            if path not in seen or seen[path].st_ino != inode or seen[path].st_size < size:
                self._read, self._last = {}, {}
                break
        news = False
        for path, stat in seen.items():
            _, start = self._read.get(path, (0, 0))
            if stat.st_size > start:
                found, end = read(path, start)
                self._read[path] = stat.st_ino, end
                for one in found:
                    news |= self._note(one)
        return news

    def _note(self, one: Decision) -> bool:
        known = self._last.setdefault((one.id, one.sha256), {})
        old = known.get(one.reviewer)
        if old and (old == one or old.time > one.time):
            return False
        known[one.reviewer] = one
        return True

    def of(self, image: str, sha256: str) -> dict[str, Decision]:
        """What each reviewer thinks of an image, by their name."""
        known = self._last.get((image, sha256))
        if not known:
            return {}
        return {name: one for name, one in known.items() if one.accepted is not None}

    def view(self, image: str, sha256: str, reviewer: str) -> bool | None:
        """Whether a reviewer accepted an image; None where nothing is decided."""
        known = self._last.get((image, sha256))
        one = known.get(reviewer) if known else None
        return one.accepted if one else None

    def now(self, image: str, sha256: str, reviewer: str) -> datetime:
        """The time of a decision that is to count, even where the clock was set back."""
        known = self._last.get((image, sha256), {}).get(reviewer)
        time = datetime.now(UTC)
        return max(time, known.time + timedelta(microseconds=1)) if known else time

    def decisions(self) -> list[Decision]:
        """The last decision of every reviewer on every image, in an order that does not vary."""
        found = (one for key in self._last for one in self.of(*key).values())
        return sorted(found, key=lambda one: (one.id, one.sha256, one.reviewer))


def decisions(folder: Path) -> list[Decision]:
    """The last decision of every reviewer on every image, in an order that does not vary.

    A line that was cut off by a crash is passed over.

    Raises:
        ValueError: for a line that is no decision.
    """
    journal = Journal(folder)
    journal.refresh()
    return journal.decisions()


def read(path: Path, start: int = 0) -> tuple[list[Decision], int]:
    """The decisions of a file from a byte on, and where its last whole line ends.

    Raises:
        ValueError: for a line that is no decision.
    """
    with path.open("rb") as file:
        file.seek(start)
        *lines, last = file.read().split(b"\n")
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(Decision.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            what = f"{place}: {first['msg']}" if place else first["msg"]
            number += path.read_bytes()[:start].count(b"\n")
            raise ValueError(f"{path}, line {number}: not a decision: {what}") from None
    if whole := _whole(last):
        found.append(whole)
    return found, start + sum(len(line) + 1 for line in lines)


def append(folder: Path, found: Sequence[Decision]) -> None:
    """Add decisions of one reviewer to their file, durably, in one write: all of them or none.

    A line that a crash cut off is removed first: nobody was told that it is kept.

    Raises:
        OSError: where they can't be kept.
    """
    path = folder / SCREENING / f"{found[0].reviewer}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        data, size = as_file(found), os.fstat(file).st_size
        if (whole := whole_lines(file)) < size:
            if _whole(os.pread(file, size - whole, whole)):
                data = b"\n" + data
            else:
                size = whole
                os.ftruncate(file, size)
        if os.write(file, data) < len(data):
            os.ftruncate(file, size)
            raise OSError(errno.ENOSPC, "no space left for a decision", str(path))
        os.fsync(file)
    finally:
        os.close(file)


def rejected(found: Iterable[Decision]) -> dict[str, set[str]]:
    """For each row the images that somebody rejected, by digest."""
    images = defaultdict(set)
    for decision in found:
        if decision.accepted is False:
            images[decision.id].add(decision.sha256)
    return dict(images)


def rejections(question: Question, images: Mapping[str, set[str]]) -> Sequence[int]:
    """How often an image of each of a question's scenes was rejected."""
    return [len(images.get(row_id(question, scene), ())) for scene in range(5)]


def as_file(found: Iterable[Decision]) -> bytes:
    """Decisions as a file."""
    return b"".join(decision.model_dump_json().encode() + b"\n" for decision in found)


def considered(summary: Manifest, found: Sequence[Decision]) -> bool:
    """Whether a finished dataset was written with all of the decisions at hand."""
    listed = summary.files.get(DECISIONS_FILE)
    known = listed.sha256 if listed else hashlib.sha256(b"").hexdigest()
    return known == hashlib.sha256(as_file(found)).hexdigest()


def _whole(line: bytes) -> Decision | None:
    """What a last line without its end holds, if nothing but that is missing."""
    try:
        return Decision.model_validate_json(line)
    except ValidationError:
        return None
