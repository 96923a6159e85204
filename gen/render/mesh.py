"""From a field on a grid to a closed triangle mesh: what icons and solids have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int32]

VERTICES = 32_000
"""Vertices that a mesh is to have, about: fine enough for patterns at 150 pixels."""


class Mesh(NamedTuple):
    """A closed surface; faces turn counterclockwise as seen from outside."""

    vertices: Floats
    """(V, 3): x right as seen, y away from the viewer, z up."""
    faces: Ints
    """(F, 3): indices of vertices."""


def surface(field: Floats, origin: Sequence[float] | Doubles, step: float) -> Mesh:
    """The zero surface of a field that is positive inside, given at (x, y, z) on a cubic grid.

    The field's border must be outside. Every edge has two faces: corners within a thousandth of
    a step of the surface are moved off it, so that no two vertices fall into one place.

    Raises:
        ValueError: when nothing is inside.
    """
    from skimage.measure import marching_cubes

    if not field.max() > 0:
        raise ValueError("nothing is inside the surface: its parts are too thin")
    least = np.float32(1e-3 * step)
    field = np.where(np.abs(field) < least, np.where(field < 0, -least, least), field)
    vertices, faces, _, _ = marching_cubes(field, 0.0)
    corners = vertices[faces].astype(np.float64)
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    if volume < 0:
        faces = faces[:, ::-1]
    moved = vertices * np.float32(step) + np.asarray(origin, np.float32)
    return Mesh(moved.astype(np.float32), np.ascontiguousarray(faces, np.int32))


def posed(vertices: Floats, turn: float = 0.0, lean: float = 0.0) -> Floats:
    """Leaned back and then turned (degrees), largest extent 1, centered, resting on z = 0."""
    points = vertices.astype(np.float64) @ rotation(-lean, "x") @ rotation(turn, "z")
    low, high = points.min(0), points.max(0)
    middle = (low + high) / 2
    floor = np.array([middle[0], middle[1], low[2]])
    scaled: Floats = ((points - floor) / (high - low).max()).astype(np.float32)
    return scaled


def rotation(degrees: float, axis: str) -> Doubles:
    """A matrix that turns row vectors (points @ matrix) about the x, y or z axis."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    first, second = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    matrix = np.eye(3)
    matrix[first, [first, second]] = cos, sin
    matrix[second, [first, second]] = -sin, cos
    return matrix
