"""The proof of a SABER dataset's images: there, whole, and of what the rows say they show."""

from __future__ import annotations

import hashlib
import io
import json
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gen.saber.images.coco import TRUTH
from gen.saber.images.screening import DECISIONS_FILE, Decision, rejected
from gen.saber.rows import Row, spread
from gen.verify.report import Report
from schemas.manifest import Manifest

if TYPE_CHECKING:
    from PIL.Image import Image

FILES = {config: f"{TRUTH}/{config}.json" for config in ("queries", "corpus")}
"""Configs whose rows have an image, and its ground truth. (`mcq` repeats their rows.)"""
FORMAT = "WEBP"


class Truth:
    """The ground truth of a config's images, by row id."""

    def __init__(self, path: Path) -> None:
        found = json.loads(path.read_bytes(), object_hook=_packed)
        self._categories = {entry["id"]: entry["name"] for entry in found["categories"]}
        self._images: dict[str, dict[str, Any]] = {
            entry["file_name"].removesuffix(".webp"): entry for entry in found["images"]
        }
        self._notes: dict[int, list[dict[str, Any]]] = {}
        for note in found["annotations"]:
            self._notes.setdefault(note["image_id"], []).append(note)

    def __len__(self) -> int:
        return len(self._images)

    def image(self, name: str) -> dict[str, Any]:
        """The entry of a row's image; empty where there is none."""
        return self._images.get(name, {})

    def notes(self, name: str) -> list[dict[str, Any]]:
        """The annotations of a row's image, its objects by name."""
        notes = self._notes.get(self.image(name).get("id", 0), [])
        return [{**note, "object": self._categories.get(note["category_id"])} for note in notes]


def check_images(
    config: str, rows: Iterator[Row], folder: Path, found: Manifest, pixels: int, report: Report
) -> None:
    """Check the images of a config's rows, `pixels` of them against their masks too.

    Raises:
        ValueError: without the libraries that it takes.
    """
    try:
        truth = Truth(folder / FILES[config])
    except (KeyError, TypeError, ValueError, AttributeError):
        report.check("ground truth makes sense", FILES[config], False)
        return
    sent_back = rejected(_decisions(folder, found))
    drawn_here = found.config["images"] == "render"
    count = found.rows(config)
    chosen = set(spread(count, pixels))
    for number, row in enumerate(rows):
        name, data = str(row["_id"]), (row["image"] or {}).get("bytes") or b""
        report.check("image present", name, bool(data))
        entry, notes = truth.image(name), truth.notes(name)
        digest = hashlib.sha256(data).hexdigest()
        report.check("image as in ground truth", name, entry.get("sha256") == digest)
        report.check("image not rejected", name, digest not in sent_back.get(name, ()))
        shown = [(note["object"], note["attribute"], note["look"]) for note in notes]
        named = zip(row["objects"], row["attributes"], row["instantiations"], strict=True)
        report.check("ground truth as the row", name, shown == (list(named) if drawn_here else []))
        sums = all(sum(note["segmentation"]["counts"][1::2]) == note["area"] > 0 for note in notes)
        report.check("every object has pixels", name, sums)
        image = decoded(data)
        size = found.config["size"]
        sound = image is not None and (image.format, image.size) == (FORMAT, (size, size))
        report.check("image decodes", name, sound)
        if image is not None and sound and number in chosen:
            wrong = _problems(image, notes)
            report.check("pixels fit the masks", f"{name}: {'; '.join(wrong)}", not wrong)
    report.check("ground truth as the row", f"{FILES[config]}: images", len(truth) == count)


def _decisions(folder: Path, found: Manifest) -> list[Decision]:
    """What people thought of the images when the dataset was written."""
    if DECISIONS_FILE not in found.files:
        return []
    return [
        Decision.model_validate_json(line)
        for line in (folder / DECISIONS_FILE).read_bytes().splitlines()
    ]


def decoded(data: bytes) -> Image | None:
    """An image, all of its pixels read; None if that can't be done.

    Raises:
        ValueError: without Pillow.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ValueError(
            f"images take Pillow ({error}); pip install 'saber-toolkit[render]'"
        ) from error
    try:
        image = Image.open(io.BytesIO(data))
        image.load()
    except (OSError, SyntaxError, ValueError):
        return None
    return image


def _problems(image: Image, notes: list[dict[str, Any]]) -> list[str]:
    """What the renderer's own checks find wrong with an image and its annotations."""
    import numpy as np

    from gen.render.check import problems
    from gen.render.draw import Drawn
    from gen.render.scene import Item, Scene

    mask = np.zeros(image.size[::-1], np.uint8)
    for number, note in enumerate(notes, 1):
        counts = np.array(note["segmentation"]["counts"])
        own = np.repeat(np.arange(len(counts)) % 2 == 1, counts)
        mask[own.reshape(mask.shape, order="F")] = number
    items = tuple(Item(note["object"], note["attribute"], note["look"]) for note in notes)
    boxes = [note["bbox"] for note in notes]
    drawn = Drawn(
        np.asarray(image.convert("RGB")),
        mask,
        boxes=[(left, top, width, height) for left, top, width, height in boxes],
        areas=[note["area"] for note in notes],
        swatches=[tuple(note["colors"]) for note in notes],
    )
    return problems(Scene(items, (), 0, 0, 0), drawn)


def _packed(entry: dict[str, Any]) -> dict[str, Any]:
    """A JSON object; the run lengths of a mask in a tenth of the memory."""
    if "counts" in entry:
        entry["counts"] = array("I", entry["counts"])
    return entry
