"""What people think of the images: decisions in files, and which images they send back.

Each reviewer has a file of their own, `OUT/.run/screening/<reviewer>.jsonl`, to which decisions are
appended. Files of several reviewers are put together by copying them into that folder.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from gen.folder import RUN
from gen.saber.store import row_id
from schemas.manifest import Manifest
from schemas.saber import Question

FOLDER = f"{RUN}/screening"
NAME = "screening.jsonl"
"""All decisions, as a file of the dataset."""


class Decision(BaseModel):
    """What a reviewer thinks of one image. A later one on the same image replaces it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    """The `_id` of the image's row in `queries` or `corpus`."""
    sha256: str
    """Of the image file: another image in its place is undecided."""
    accepted: bool
    reason: str = ""
    """Why it was rejected."""
    reviewer: str
    time: str
    """When, in ISO 8601."""


def decisions(folder: Path) -> list[Decision]:
    """The last decision of every reviewer on every image, in an order that does not vary.

    A line that was cut off by a crash is passed over.

    Raises:
        ValueError: for a line that is no decision.
    """
    found: dict[tuple[str, str, str], Decision] = {}
    for path in sorted((folder / FOLDER).glob("*.jsonl")):
        *lines, _cut = path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, 1):
            try:
                one = Decision.model_validate_json(line)
            except ValidationError as error:
                first = error.errors()[0]["msg"]
                raise ValueError(f"{path}, line {number}: not a decision: {first}") from None
            found[one.id, one.sha256, one.reviewer] = one
    return [found[key] for key in sorted(found)]


def rejected(found: Iterable[Decision]) -> dict[str, set[str]]:
    """For each row the images that somebody rejected, by digest."""
    images = defaultdict(set)
    for decision in found:
        if not decision.accepted:
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
    listed = summary.files.get(NAME)
    known = listed.sha256 if listed else hashlib.sha256(b"").hexdigest()
    return known == hashlib.sha256(as_file(found)).hexdigest()
