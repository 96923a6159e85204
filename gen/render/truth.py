"""Ground truth in files: instance masks as PNG, and annotations in the form of COCO."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gen.render.draw import Bytes, Drawn
from gen.render.layout import Place
from gen.render.scene import Item, Scene
from gen.render.view import FIELD, TARGET


def png(pixels: Bytes) -> bytes:
    """A PNG file of an image (H, W, 3) or a mask (H, W)."""
    from PIL import Image

    held = io.BytesIO()
    Image.fromarray(pixels).save(held, "PNG", optimize=pixels.ndim == 2)
    return held.getvalue()


def record(scene: Scene, drawn: Drawn) -> dict[str, Any]:
    """All that is known of an image: how it was made, and where its objects are."""
    items = [
        {
            **item._asdict(),
            "box": list(box),
            "area": area,
            "place": place._asdict(),
        }
        for item, place, box, area in zip(
            scene.items, scene.places, drawn.boxes, drawn.areas, strict=True
        )
    ]
    view = scene.view
    camera = {"origin": list(view.origin), "target": list(TARGET), "field": FIELD}
    seeds = {"camera": scene.camera_seed, "light": scene.light_seed, "noise": scene.noise_seed}
    return {
        "size": scene.size,
        "samples": scene.samples,
        "flip": scene.flip,
        "camera": camera,
        "light": {"origin": list(view.light), "warmth": view.warmth},
        "seeds": seeds,
        "items": items,
    }


def scene(entry: Mapping[str, Any], notes: Sequence[Mapping[str, Any]]) -> Scene:
    """The scene of an image's ground truth: its entry in COCO's form, and its annotations, which
    have the record's fields, so that it can be drawn again.

    Raises:
        ValueError: where a field is missing or is not what it should be.
    """
    try:
        seeds = entry["seeds"]
        return Scene(
            tuple(Item(note["object"], note["attribute"], note["look"]) for note in notes),
            tuple(Place(**note["place"]) for note in notes),
            seeds["camera"],
            seeds["light"],
            seeds["noise"],
            entry["flip"],
            entry["width"],
            entry["samples"],
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"the ground truth of an image lacks or garbles {error}") from error


def coco_annotations(scene: Scene, drawn: Drawn, objects: Sequence[str]) -> list[dict[str, Any]]:
    """An image's annotations in COCO's form, in the order of the scene, with attribute and look
    added, and without `id` and `image_id`: whoever writes the file numbers them.

    Raises:
        ValueError: for an object that is not among `objects`, whose places, from 1, are the
            category ids.
    """
    number = {name: place for place, name in enumerate(objects, start=1)}
    found = []
    for place, item in enumerate(scene.items):
        if item.object not in number:
            raise ValueError(f"object {item.object!r} is not among the categories")
        found.append(
            {
                "category_id": number[item.object],
                "bbox": list(drawn.boxes[place]),
                "area": drawn.areas[place],
                "iscrowd": 0,
                "segmentation": runs(drawn.mask == place + 1),
                "attribute": item.attribute,
                "look": item.look,
            }
        )
    return found


def runs(found: NDArray[np.bool_]) -> dict[str, list[int]]:
    """A mask as COCO's run lengths: by columns, runs of false and true in turn, false first."""
    flat = found.ravel(order="F")
    ends = np.flatnonzero(np.diff(flat)) + 1
    counts = np.diff(np.concatenate([[0], ends, [len(flat)]])).tolist()
    return {"size": list(found.shape), "counts": [0, *counts] if flat[0] else counts}
