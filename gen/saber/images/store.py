"""The images of a run on disk, each with what is known of it: whole or not there.

`OUT/.run/images/<question id>` holds, for each of a question's five scenes, an image, an instance
mask where a renderer drew it and, written last, a record: `query.webp`, `query-mask.png`,
`query.json`. Only what has a record is there.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gen.base.files import write_atomic
from schemas.saber import Question, candidate_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

IMAGES = "images"
"""Sub-folder of `.run`."""
NAMES = ("query", *(f"candidate-{place}" for place in range(4)))
"""The files of a question, in the order of its scenes."""

Record = dict[str, Any]


class Made(NamedTuple):
    """One image as it was made."""

    image: bytes
    """A file of the format that `webp` writes."""
    mask: bytes | None
    """The instance mask as a PNG file, where there is one."""
    entry: Record
    """The image's entry in a COCO file, without ids and name; says how it was made as well."""
    annotations: Sequence[Record] = ()
    """Its objects in COCO's form, without ids."""


def row_id(question: Question, scene: int) -> str:
    """The `_id` of the row with a scene's image, the query's scene being the first."""
    return candidate_id(question.id, scene - 1) if scene else question.id


class Store:
    """The images of one run."""

    def __init__(self, folder: Path, identity: Mapping[str, Any]) -> None:
        self.folder = folder
        self._identity: Record = json.loads(json.dumps(identity))

    def missing(self, question: Question, attempts: Sequence[int]) -> tuple[int, ...]:
        """The scenes of a question whose image, of so many attempts before it, is not there.

        Raises:
            ValueError: where one is another run's: copied here, since a run has its own folder.
        """
        found = []
        for scene, attempt in enumerate(attempts):
            path = self._path(question, scene, ".json")
            record = _read(path) if path.exists() else None
            if record and record["identity"] != self._identity:
                raise ValueError(
                    f"{path} was made with other settings, or for other questions; remove its "
                    "folder, or give the flags that it was made with"
                )
            if record is None or record["attempt"] != attempt:
                found.append(scene)
        return tuple(found)

    def put(self, question: Question, scene: int, attempt: int, made: Made) -> None:
        """Keep an image. What is in its place is no longer there from the first step on."""
        record = self._path(question, scene, ".json")
        record.parent.mkdir(parents=True, exist_ok=True)
        record.unlink(missing_ok=True)
        if made.mask is not None:
            write_atomic(self._path(question, scene, "-mask.png"), made.mask)
        write_atomic(self._path(question, scene, ".webp"), made.image)
        known = {
            "identity": self._identity,
            "attempt": attempt,
            "sha256": hashlib.sha256(made.image).hexdigest(),
            "image": made.entry,
            "annotations": list(made.annotations),
        }
        write_atomic(record, json.dumps(known).encode())

    def record(self, question: Question, scene: int) -> Record:
        """What is known of an image: its digest, attempt, entry and annotations.

        Raises:
            ValueError: where the image is not there, or its record damaged.
        """
        return _read(self._path(question, scene, ".json"))

    def image(self, question: Question, scene: int) -> bytes:
        """An image, as a file.

        Raises:
            ValueError: where it is not there, or damaged.
        """
        path = self._path(question, scene, ".webp")
        data = path.read_bytes() if path.is_file() else b""
        if hashlib.sha256(data).hexdigest() != self.record(question, scene)["sha256"]:
            raise _damaged(path)
        return data

    def weight(self, question: Question) -> int:
        """Bytes of a question's images.

        Raises:
            FileNotFoundError: where one is not there.
        """
        paths = (self._path(question, scene, ".webp") for scene in range(len(NAMES)))
        return sum(path.stat().st_size for path in paths)

    def _path(self, question: Question, scene: int, ending: str) -> Path:
        return self.folder / question.id / f"{NAMES[scene]}{ending}"


def webp(pixels: NDArray[np.uint8]) -> bytes:
    """A lossless WebP file of (H, W, 3) pixels: a quarter smaller than PNG, for 0.2 s at 512²."""
    from PIL import Image

    held = io.BytesIO()
    Image.fromarray(pixels).save(held, "WEBP", lossless=True)
    return held.getvalue()


def _read(path: Path) -> Record:
    try:
        found: Record = json.loads(path.read_bytes())
        if found.keys() >= {"identity", "attempt", "sha256", "image", "annotations"}:
            return found
    except (FileNotFoundError, ValueError, AttributeError):
        pass
    raise _damaged(path)


def _damaged(path: Path) -> ValueError:
    return ValueError(f"{path} is damaged or missing; remove its folder, it will be made again")
