"""What an attribute is painted on, and the tools to paint: noise, cells, a flat map of the surface.

Everything is in object space, where the largest extent is 1, so that an attribute looks the same
on every object; what is drawn at random comes from fixed seeds, so that it looks the same in all
images of a question.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from gen.render.appearance.colors import Array

EYE = np.array([0.0, -0.85, 0.53], np.float32)
"""About where the camera is seen from an object: for colors that change with the angle."""
SOFT = 0.012
"""Width of the edges between colors: about two vertices, so that they are smooth."""
FLAT = 0.8
"""A normal's component from which a side counts as facing that axis."""


@dataclass(frozen=True)
class Body:
    """A surface's points, in object space."""

    points: Array
    """(V, 3); z is up, x right and -y to the front."""
    normals: Array
    """(V, 3), unit, outward."""
    _held: dict[str, Array] = field(default_factory=dict, compare=False, repr=False)

    @property
    def facing(self) -> Array:
        """(V,) 1 where the surface faces the camera, 0 where it is seen edge on or not at all."""
        return np.clip(self.normals @ EYE, 0, 1).astype(np.float32)

    @property
    def long_axis(self) -> int:
        """Of the axes seen from the front (0 or 2) the longer one."""
        x, _, z = np.ptp(self.points, axis=0)
        return 0 if x > 1.25 * z else 2

    def along(self) -> Array:
        """(V,) 0 at one end of the longer axis to 1 at the other; from the top, or the left."""
        axis = self.long_axis
        value = self.points[:, axis]
        share = (value - value.min()) / max(float(np.ptp(value)), 1e-6)
        place: Array = 1 - share if axis == 2 else share
        return place.astype(np.float32)

    def flat(self) -> tuple[Array, Array]:
        """Two (V,) coordinates on the surface: a box map that prefers the front view."""
        if "u" not in self._held:
            x, y, z = self.points.T
            side = np.abs(self.normals) > FLAT
            self._held["u"] = np.where(side[:, 0], y * np.sign(self.normals[:, 0]), x)
            self._held["v"] = np.where(side[:, 2], y, z)
        return self._held["u"], self._held["v"]


@cache
def _table(seed: int) -> Array:
    return np.random.default_rng(seed).random((32, 32, 32), np.float32)


def noise(points: Array, frequency: float, octaves: int = 3, seed: int = 0) -> Array:
    """(V,) smooth value noise of mean 0.5, from 0 to 1."""
    from scipy.ndimage import map_coordinates

    total = np.zeros(len(points), np.float32)
    for octave in range(octaves):
        at = points.T * (frequency * 2**octave) + 17.3 * octave
        cell = np.floor(at)
        step = at - cell
        at = cell + step * step * (3 - 2 * step)
        layer = map_coordinates(_table(seed), at % 32, order=1, mode="grid-wrap")
        total += layer.astype(np.float32) * 0.5**octave
    total /= 2 - 0.5 ** (octaves - 1)
    return total


def ranks(values: Array) -> Array:
    """(V,) each value's place among all, 0 to 1: a threshold then takes a known share."""
    order = np.argsort(values, kind="stable")
    place = np.empty(len(values), np.float32)
    place[order] = np.linspace(0, 1, len(values), dtype=np.float32)
    return place


def step(values: Array, at: float, width: float = SOFT) -> Array:
    """(V,) 0 below `at` and 1 above it, with a linear edge of `width`."""
    share: Array = np.clip((values - at) / width + 0.5, 0, 1)
    return share.astype(np.float32)


def wave(values: Array, period: float, width: float = SOFT) -> Array:
    """(V,) 0 in one half of each period and 1 in the other, with edges of `width`."""
    phase = np.abs((values / period) % 1 - 0.5) * period
    return step(phase, period / 4, width)


def scatter(points: Array, spacing: float, seed: int = 0) -> NDArray[np.intp]:
    """(N,) indices of (V, 3) points over a surface, none nearer to another than `spacing`."""
    from scipy.spatial import cKDTree

    order = np.random.default_rng(seed).permutation(len(points))
    keys = np.floor(points[order] / (spacing / 2)).astype(np.int64)
    _, first = np.unique(keys, axis=0, return_index=True)  # few candidates are enough
    order = order[np.sort(first)]
    near = cKDTree(points[order]).query_ball_point(points[order], spacing)
    free = np.ones(len(order), bool)
    kept = []
    for index, others in enumerate(near):
        if free[index]:
            kept.append(index)
            free[others] = False
    return order[kept]


@dataclass(frozen=True)
class Cells:
    """Where each point is among scattered centers."""

    center: NDArray[np.intp]
    """(V,) which center is nearest: 0 to the number of centers."""
    near: Array
    """(V,) the distance to it."""
    edge: Array
    """(V,) how much nearer it is than the next one: 0 on the border of two cells."""
    count: int


def cells(points: Array, spacing: float, seed: int = 0, shake: float = 0) -> Cells:
    """The cells of (V, 3) points around centers scattered over them; `shake` bends the borders."""
    from scipy.spatial import cKDTree

    centers = points[scatter(points, spacing, seed)]
    at = points
    if shake:
        moved = [noise(points, 1 / spacing, 2, seed + k) - 0.5 for k in (1, 2, 3)]
        at = points + shake * np.stack(moved, 1)
    if len(centers) == 1:
        alone = np.linalg.norm(at - centers, axis=1).astype(np.float32)
        return Cells(np.zeros(len(points), np.intp), alone, alone + spacing, 1)
    far, which = cKDTree(centers).query(at, k=2)
    edge = (far[:, 1] - far[:, 0]).astype(np.float32)
    return Cells(which[:, 0], far[:, 0].astype(np.float32), edge, len(centers))
