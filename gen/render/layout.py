"""Where objects stand: scattered, apart in the image, turned a little, as large as room allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, sin, sqrt
from random import Random
from typing import NamedTuple

import numpy as np

from gen.render.appearance.colors import Array
from gen.render.shape import Shape
from gen.render.view import View

GAP = 0.018
"""Least distance between two boxes, and to the image's edge, as a share of the image."""
TRIES, RESTARTS, SHRINK = 60, 12, 0.96
"""Darts for an object, layouts at a size, and how much smaller the next size is."""
SMALLEST = 0.5
"""The least extent of an object, in world units, before a layout is given up."""


class Place(NamedTuple):
    """Where an object stands."""

    x: float
    y: float
    yaw: float
    """Radians, counterclockwise seen from above."""
    scale: float
    """World units that the object's largest extent measures."""


@dataclass(frozen=True)
class Outline:
    """What a layout needs to know of a shape."""

    corners: Array
    """(C, 3) vertices of its convex hull, in object space."""
    weight: float
    """How much larger than others it is drawn, so that slender objects are as easy to see."""


def outline(shape: Shape) -> Outline:
    """The outline of a shape."""
    from scipy.spatial import ConvexHull

    corners = shape.vertices[ConvexHull(shape.vertices).vertices]
    triangles = shape.vertices[shape.faces]
    first, second = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    across = first[:, 0] * second[:, 2] - first[:, 2] * second[:, 0]
    silhouette = float(np.abs(across).sum()) / 4  # from the front; folds count twice
    return Outline(corners, float(np.clip((0.3 / silhouette) ** 0.25, 0.85, 1.3)))


def posed(points: Array, place: Place) -> Array:
    """(V, 3) points in world space of those in object space."""
    c, s = cos(place.yaw), sin(place.yaw)
    turn = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]], np.float32)
    offset = np.array([place.x, place.y, 0], np.float32)
    return (points @ turn * np.float32(place.scale) + offset).astype(np.float32)


def layout(slots: Sequence[Sequence[Outline]], view: View, seed: int) -> list[Place]:
    """A place for each slot; any of a slot's objects may stand there.

    The boxes of the image that objects of different slots take up are at least `GAP` apart, and
    the objects do not stand in a row. The same arguments give the same places.

    Raises:
        ValueError: where there is no room, with what to change.
    """
    draw = Random(f"layout {seed}")
    size = min(2.6, 4.7 / sqrt(len(slots) + 1.0))
    while size > SMALLEST:
        for _ in range(RESTARTS):
            places = _attempt(slots, view, draw, size)
            if places and not _in_a_row(places, view):
                return places
        size *= SHRINK
    raise ValueError(f"no room for {len(slots)} objects in one image; ask for fewer")


def _attempt(
    slots: Sequence[Sequence[Outline]], view: View, draw: Random, size: float
) -> list[Place] | None:
    taken: list[Array] = []
    places: list[Place] = []
    for slot in slots:
        for _ in range(TRIES):
            spot = view.ground(draw.uniform(0.05, 0.95), draw.uniform(0.2, 0.97))
            place = Place(*spot, draw.uniform(-0.45, 0.45), size)
            box = _box(slot, view, place)
            if box[:2].min() < GAP or box[2:].max() > 1 - GAP:
                continue
            if all(_apart(box, other) for other in taken):
                taken.append(box)
                places.append(place)
                break
        else:
            return None
    return places


def scaled(place: Place, outline: Outline) -> Place:
    """A slot's place for one of its objects, with the object's own weight."""
    return place._replace(scale=place.scale * outline.weight)


def _box(slot: Sequence[Outline], view: View, place: Place) -> Array:
    """(4,) left, top, right, bottom in the image, of any of a slot's objects."""
    found = [view.project(posed(one.corners, scaled(place, one))) for one in slot]
    points = np.concatenate(found)
    return np.concatenate([points.min(0), points.max(0)])


def _apart(one: Array, other: Array) -> bool:
    return bool(((one[2:] + GAP < other[:2]) | (other[2:] + GAP < one[:2])).any())


def _in_a_row(places: Sequence[Place], view: View) -> bool:
    """Whether places are level, or (three and more) near one line."""
    at = view.project(np.array([(place.x, place.y, 0) for place in places], np.float32))
    if len(places) > 1 and np.ptp(at[:, 1]) < 0.1:
        return True
    spread = np.linalg.svd(at - at.mean(0), compute_uv=False) / sqrt(len(places))
    return len(places) > 2 and bool(spread[1] < 0.06)
