"""Where objects stand: scattered, apart in the image, turned a little, as large as room allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import cos, pi, sin, sqrt
from random import Random
from typing import NamedTuple

import numpy as np

from gen.render.appearance.colors import Array
from gen.render.shape import Shape
from gen.render.view import HEIGHT, View

GAP = 0.018
"""Least distance between two boxes, and to the image's edge, as a share of the image."""
TRIES, RESTARTS, SHRINK = 60, 12, 0.96
"""Darts for an object, layouts at a size, and how much smaller the next size is."""
SMALLER = 0.75
"""Of the size that a layout starts from, at least: its largest objects then have room to vary."""
LARGEST, CROWDED = 2.6, 5.2
"""Extent that a layout starts from, in world units: of few objects, and of n times √(n + 1)."""
SMALLEST = 0.004
"""The least share of the image's pixels for an object: 32 x 32 at 512."""
SPARE = 1.25
"""How much larger than that a layout makes it: a turned object shows less of itself."""
AREA, EXTENT = 0.36, 0.8
"""What all objects are scaled to: their silhouette, or the box around it if that is large, as
shares of the square that has the layout's extent."""
BACK = 0.2
"""How high in the image, from the top, objects may stand."""
UPWARD = np.array([sin(HEIGHT), cos(HEIGHT)], np.float32)
"""What (y, z) add to the height in the image."""


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
    """(C, 3) the vertices that reach farthest in one direction or another, in object space."""
    silhouette: float
    """Area that it covers as the camera sees it, in object space."""
    weight: float
    """How much larger than others it is drawn, so that slender objects are as easy to see."""

    @property
    def least(self) -> float:
        """The layout's extent, as a share of the image, from which it covers enough of it."""
        return sqrt(SMALLEST * SPARE / self.silhouette) / self.weight


@cache
def _directions(count: int = 240) -> Array:
    """(count, 3) unit vectors to all sides, evenly: a spiral of golden angles."""
    up = np.linspace(-1, 1, count)
    around = np.arange(count) * pi * (3 - sqrt(5))
    flat = np.sqrt(1 - up**2)
    return np.stack([flat * np.cos(around), flat * np.sin(around), up], 1).astype(np.float32)


def outline(shape: Shape) -> Outline:
    """The outline of a shape."""
    corners = shape.vertices[np.unique((shape.vertices @ _directions().T).argmax(0))]
    seen = np.stack([shape.vertices[:, 0], shape.vertices[:, 1:] @ UPWARD], 1)
    corner = shape.vertices[shape.faces]
    edges = np.linalg.norm(corner - np.roll(corner, 1, axis=1), axis=2)
    cell = float(edges.max(1).mean())  # a grid that the vertices leave no holes in
    across, up = (seen // cell).astype(np.int32).T
    silhouette = len(np.unique(across * 10_000 + up)) * cell**2
    box = float(np.ptp(seen, axis=0).prod())
    return Outline(corners, silhouette, min(AREA / silhouette, EXTENT / box) ** 0.5)


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
    size = min(LARGEST, CROWDED / sqrt(len(slots) + 1.0))
    far = view.span((*view.ground(0.5, BACK), 0))
    least = far * max(one.least for slot in slots for one in slot)
    if size > least:  # as large as can be, objects would stand in much the same places each time
        size = max(size * draw.uniform(SMALLER, 1), least)
    while size >= least:
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
            spot = view.ground(draw.uniform(0.05, 0.95), draw.uniform(BACK, 0.97))
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
