"""The five images of one question on disk, with their ground truth: whole or not at all.

A unit is a folder `OUT/.run/images/<question id>`: an image and an instance mask for each scene,
and `truth.json`. It is made under another name and renamed when all of it is there.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from schemas.manifest import replace
from schemas.saber import Question

if TYPE_CHECKING:
    from gen.render.backend import Variant
    from gen.render.draw import Bytes, Drawn
    from gen.render.scene import Layout, Scene

NAMES = ("query", *(f"candidate-{place}" for place in range(4)))
"""The files of a unit, in the order of a question's scenes."""
TRUTH = "truth.json"


class Style(NamedTuple):
    """What determines the images of a question, beside the question."""

    variant: Variant
    size: int
    """Pixels of a side."""
    samples: int
    """Light paths for a pixel."""
    layout: Layout
    renderer: str
    """The libraries that draw, with their versions."""


class Units:
    """The units of one run."""

    def __init__(self, folder: Path, identity: Mapping[str, Any], objects: Sequence[str]) -> None:
        self.folder = folder
        self.objects = objects
        """All objects of the vocabulary, in the order of their category ids."""
        self._identity: dict[str, Any] = json.loads(json.dumps(identity))

    def has(self, question: Question) -> bool:
        """Whether a question's images are there.

        Raises:
            ValueError: where they are another run's: copied here, since a run has its own folder.
        """
        if not (self.folder / question.id).is_dir():
            return False
        if self._read(question)["identity"] != self._identity:
            raise ValueError(
                f"{self.folder / question.id} was drawn with other settings, or for other "
                "questions; remove it, or give the flags that it was drawn with"
            )
        return True

    def truth(self, question: Question) -> list[dict[str, Any]]:
        """What is known of each of the five images, in the form of COCO."""
        found: list[dict[str, Any]] = self._read(question)["images"]
        return found

    def images(self, question: Question) -> list[bytes]:
        """The five images, as files.

        Raises:
            ValueError: where one is damaged.
        """
        found = []
        for name, truth in zip(NAMES, self.truth(question), strict=True):
            path = self.folder / question.id / f"{name}.webp"
            found.append(path.read_bytes() if path.is_file() else b"")
            if hashlib.sha256(found[-1]).hexdigest() != truth["sha256"]:
                raise ValueError(f"{path} is damaged; remove its folder, it will be drawn again")
        return found

    def weight(self, question: Question) -> int:
        """Bytes of the five images."""
        paths = (self.folder / question.id / f"{name}.webp" for name in NAMES)
        return sum(path.stat().st_size for path in paths)

    def draw(self, question: Question, style: Style, stopped: Callable[[], bool]) -> bool:
        """Draw a question's images; False if it was stopped between two of them.

        Raises:
            ValueError: for what can't be drawn.
        """
        from gen.render.draw import draw
        from gen.render.truth import png

        made = self.folder / f".{question.id}.{os.getpid()}"
        made.mkdir(parents=True, exist_ok=True)
        truths = []
        for name, scene in zip(NAMES, scenes(question, style), strict=True):
            if stopped():
                shutil.rmtree(made)
                return False
            drawn = draw(scene, style.variant)
            image = webp(drawn.image)
            replace(made / f"{name}.webp", image)
            replace(made / f"{name}-mask.png", png(drawn.mask))
            truths.append(_truth(scene, drawn, image, self.objects))
        unit = {"identity": self._identity, "images": truths}
        replace(made / TRUTH, json.dumps(unit).encode())
        made.rename(self.folder / question.id)
        return True

    def sweep(self) -> None:
        """Remove what a killed run has left half made."""
        for path in self.folder.glob(".*"):
            shutil.rmtree(path)

    def _read(self, question: Question) -> dict[str, Any]:
        path = self.folder / question.id / TRUTH
        try:
            found: dict[str, Any] = json.loads(path.read_bytes())
            if len(found["images"]) == len(NAMES) and isinstance(found["identity"], dict):
                return found
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            pass
        raise ValueError(f"{path} is damaged; remove its folder, it will be drawn again")


def scenes(question: Question, style: Style) -> list[Scene]:
    """The scenes of a question's images, the query's first."""
    from gen.render.scene import Item
    from gen.render.scene import question as lay_out

    shown = [question.query, *(candidate.scene for candidate in question.candidates)]
    looks = question.looks
    items = [[Item(noun, attribute, looks[attribute]) for attribute, noun in one] for one in shown]
    return lay_out(items, question.layout_seed, style.layout, style.size, style.samples)


def webp(pixels: Bytes) -> bytes:
    """A lossless WebP file of (H, W, 3) pixels: a quarter smaller than PNG, for 0.2 s at 512²."""
    from PIL import Image

    held = io.BytesIO()
    Image.fromarray(pixels).save(held, "WEBP", lossless=True)
    return held.getvalue()


def _truth(scene: Scene, drawn: Drawn, image: bytes, objects: Sequence[str]) -> dict[str, Any]:
    """An image's entry and annotations in COCO's form, with how the image was made."""
    from gen.render.truth import coco, record

    known, found = record(scene, drawn), coco([("", scene, drawn)], objects)
    for note, item, colors in zip(
        found["annotations"], known["items"], drawn.swatches, strict=True
    ):
        note |= {"colors": list(colors), "place": item["place"]}
    made = {name: known[name] for name in ("flip", "samples", "camera", "light", "seeds")}
    return {
        "sha256": hashlib.sha256(image).hexdigest(),
        "image": found["images"][0] | made,
        "annotations": found["annotations"],
    }
