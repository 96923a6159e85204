"""Outlines: distances to a polygon in the plane, and smooth curves through points."""

from __future__ import annotations

import numpy as np

from gen.render.mesh import Doubles, Floats

TABLE = 240
"""Cells along the larger side of an outline's table of distances."""


class Outline:
    """Distances to a polygon in the plane, looked up in a table."""

    def __init__(self, polygon: Doubles) -> None:
        low, high = polygon.min(0), polygon.max(0)
        self.step = (high - low).max() / TABLE
        self.low = low - 16 * self.step
        counts = np.ceil((high - low) / self.step).astype(int) + 33
        axes = [low + self.step * np.arange(n) for low, n in zip(self.low, counts, strict=True)]
        x, z = np.meshgrid(*axes, indexing="ij")
        square, inside = np.full(x.shape, np.inf), np.zeros(x.shape, bool)
        for (ax, az), (bx, bz) in zip(polygon, np.roll(polygon, -1, 0), strict=True):
            dx, dz = bx - ax, bz - az
            share = np.clip(((x - ax) * dx + (z - az) * dz) / max(dx * dx + dz * dz, 1e-12), 0, 1)
            square = np.minimum(square, (x - ax - share * dx) ** 2 + (z - az - share * dz) ** 2)
            if az != bz:
                inside ^= ((z < az) != (z < bz)) & (x < ax + (z - az) / dz * dx)
        self.table = np.where(inside, -np.sqrt(square), np.sqrt(square)).astype(np.float32)

    def distance(self, x: Floats, z: Floats) -> Floats:
        """At points of the plane; beyond the table, that at its border and the way there."""
        from scipy import ndimage

        low, step = self.low.astype(np.float32), np.float32(self.step)
        at, beyond = [], []
        for value, first, count in zip((x, z), low, self.table.shape, strict=True):
            cell = (value - first) / step
            at.append(np.clip(cell, 0, count - 1))
            beyond.append((cell - at[-1]) * step)
        found = ndimage.map_coordinates(self.table, at, order=1) + np.hypot(*beyond)
        exact: Floats = found.astype(np.float32)
        return exact


def curve(points: tuple[tuple[float, ...], ...], smooth: bool) -> Doubles:
    """The points, or more of them along a smooth curve through them, closed if they are."""
    from scipy.interpolate import CubicSpline

    line = np.array(points, np.float64)
    if not smooth:
        return line
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    closed = points[0] == points[-1]
    spline = CubicSpline(along, line, bc_type="periodic" if closed else "natural")
    found: Doubles = spline(np.linspace(0, along[-1], 6 * len(points)))
    return found
