"""The primitives that solids are put together from, as distances to their surface.

A distance is negative inside. It is exact for boxes, rings and outlines, and close for ellipsoids
and tapering tubes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, model_validator

from gen.render.mesh import Floats, rotation

Distance = Callable[[Floats], Floats]
"""From points (..., 3) to (...)."""
Corner = NDArray[np.float64]

Vector = tuple[float, float, float]
Outline = tuple[tuple[float, float], ...]

KINDS = ("box", "ball", "ring", "tube", "lathe", "prism")
TABLE = 240
"""Cells along the larger side of an outline's table of distances."""


class Part(BaseModel):
    """One primitive, named by the field that is given, about its own origin; z is up."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    box: Vector | None = None
    """Half sizes."""
    ball: Vector | None = None
    """Radii of an ellipsoid."""
    ring: tuple[float, float] | None = None
    """Radii of a torus that lies flat: of its circle, and of its tube."""
    tube: tuple[Vector, ...] | None = None
    """Points of a line."""
    lathe: Outline | None = None
    """(radius, z) of an outline that is turned about z and closed along it."""
    prism: Outline | None = None
    """(x, z) of an outline that is extruded by `half` to both sides along y."""

    radius: tuple[float, float] = (0.02, 0.02)
    """Of a tube, at its two ends."""
    half: float = 0.05
    """Half the depth of a prism."""
    round: float = 0.0
    """Radius by which edges are rounded, outward."""
    smooth: bool = False
    """Whether the points of a tube, lathe or prism are those of a smooth curve."""
    at: Vector = (0, 0, 0)
    turn: Vector = (0, 0, 0)
    """Degrees about x, then y, then z, before it is moved."""
    mirror: Literal["", "x", "y", "xy"] = ""
    """Axes across which it stands a second time."""
    repeat: int = 1
    """How often it stands in a row."""
    step: Vector = (0, 0, 0)
    """From one of the row to the next."""
    copies: int = 1
    """How often it stands around the z axis."""
    spread: float = 360
    """Degrees around z that the copies share."""
    cut: bool = False
    """Whether it is taken away from the parts before it."""
    mark: bool = False
    """Whether it only darkens the surface inside it."""

    @model_validator(mode="after")
    def _one_kind(self) -> Part:
        given = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ValueError(
                f"a part has one of {', '.join(KINDS)}; this one has {given or 'none'}"
            )
        return self


class Piece(NamedTuple):
    """A convex part of a part, or one of its copies."""

    low: Corner
    high: Corner
    """The box that it fills."""
    distance: Distance


def pieces(part: Part) -> list[Piece]:
    """A part where it stands, with all its copies."""
    turned = rotation(part.turn[0], "x") @ rotation(part.turn[1], "y") @ rotation(part.turn[2], "z")
    own = list(_own(part))
    flips = [(1, -1) if axis in part.mirror else (1,) for axis in "xy"]
    placed = []
    for x, y, copy, place in product(*flips, range(part.copies), range(part.repeat)):
        around = np.diag([x, y, 1.0]) @ rotation(copy * part.spread / part.copies, "z")
        offset = (np.array(part.at) + place * np.array(part.step)) @ around
        placed += [_moved(piece, turned @ around, offset) for piece in own]
    return placed


def _moved(piece: Piece, matrix: Corner, offset: Corner) -> Piece:

    ends = zip(piece.low, piece.high, strict=True)
    corners = np.stack(np.meshgrid(*ends), -1).reshape(-1, 3) @ matrix + offset
    back, origin = matrix.T.astype(np.float32), offset.astype(np.float32)
    return Piece(corners.min(0), corners.max(0), lambda p: piece.distance((p - origin) @ back))


def _own(part: Part) -> Iterator[Piece]:
    """A part about its own origin."""
    if part.box:
        reach = np.array(part.box)
        yield Piece(-reach - part.round, reach + part.round, _box(reach, part.round))
    elif part.ball:
        yield Piece(-np.array(part.ball), np.array(part.ball), _ball(np.array(part.ball)))
    elif part.ring:
        circle, tube = part.ring
        reach = np.array([circle + tube, circle + tube, tube])
        yield Piece(
            -reach, reach, lambda p: _length(_length(p[..., :2]) - circle, p[..., 2]) - tube
        )
    elif part.tube:
        line = np.array(_curve(part.tube, part.smooth))
        radii = np.linspace(*part.radius, len(line))
        for k in range(len(line) - 1):
            thick = radii[k : k + 2].max()
            ends = line[k : k + 2]
            distance = _segment(ends[0], ends[1], radii[k], radii[k + 1])
            yield Piece(ends.min(0) - thick, ends.max(0) + thick, distance)
    elif part.lathe:
        half = np.array(_curve(part.lathe, part.smooth))
        # An outline that meets the axis is mirrored across it; any other goes around a hole.
        whole = half[[0, -1], 0].max() > 0
        profile = _Profile(half if whole else np.concatenate([half, half[::-1] * [-1, 1]]))
        (radius, high), low = half.max(0) + part.round, half[:, 1].min() - part.round
        yield Piece(
            np.array([-radius, -radius, low]),
            np.array([radius, radius, high]),
            lambda p: profile.distance(_length(p[..., :2]), p[..., 2]) - np.float32(part.round),
        )
    elif part.prism:
        outline = _curve((*part.prism, part.prism[0]), part.smooth)[:-1]
        profile = _Profile(np.array(outline))
        low, high = (f(outline, 0) for f in (np.min, np.max))
        yield Piece(
            np.array([low[0], -part.half, low[1]]) - part.round,
            np.array([high[0], part.half, high[1]]) + part.round,
            _prism(profile, part.half, part.round),
        )


def _length(*parts: Floats) -> Floats:

    if len(parts) == 1:
        return np.hypot(parts[0][..., 0], parts[0][..., 1])
    return np.hypot(*parts)


def _box(reach: Corner, rounding: float) -> Distance:

    half, least = reach.astype(np.float32), np.float32(rounding)

    def distance(points: Floats) -> Floats:
        q = np.abs(points) - half
        outside = np.sqrt((np.maximum(q, 0) ** 2).sum(-1))
        return outside + np.minimum(q.max(-1), 0) - least

    return distance


def _ball(radii: Corner) -> Distance:

    inverse = (1 / radii).astype(np.float32)

    def distance(points: Floats) -> Floats:
        scaled = points * inverse
        size = np.sqrt((scaled**2).sum(-1))
        slope = np.sqrt(((scaled * inverse) ** 2).sum(-1))
        return size * (size - 1) / np.maximum(slope, np.float32(1e-6))

    return distance


def _segment(start: Corner, end: Corner, first: float, last: float) -> Distance:

    origin, along = start.astype(np.float32), (end - start).astype(np.float32)
    square = max(float(along @ along), 1e-12)

    def distance(points: Floats) -> Floats:
        p = points - origin
        share = np.clip(p @ along / np.float32(square), 0, 1)
        away = p - share[..., None] * along
        return np.sqrt((away**2).sum(-1)) - (np.float32(first) + share * np.float32(last - first))

    return distance


def _prism(profile: _Profile, half: float, rounding: float) -> Distance:

    def distance(points: Floats) -> Floats:
        side = profile.distance(points[..., 0], points[..., 2])
        front = np.abs(points[..., 1]) - np.float32(half)
        corner = np.hypot(np.maximum(side, 0), np.maximum(front, 0))
        return corner + np.minimum(np.maximum(side, front), 0) - np.float32(rounding)

    return distance


class _Profile:
    """Distances to a polygon in the plane, looked up in a table."""

    def __init__(self, polygon: Corner) -> None:
        import numpy as np

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
        return found.astype(np.float32)


def _curve(points: tuple[tuple[float, ...], ...], smooth: bool) -> tuple[tuple[float, ...], ...]:
    """The points, or more of them along a smooth curve through them, closed if they are."""
    from scipy.interpolate import CubicSpline

    if not smooth:
        return points
    line = np.array(points)
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    closed = points[0] == points[-1]
    spline = CubicSpline(along, line, bc_type="periodic" if closed else "natural")
    return tuple(map(tuple, spline(np.linspace(0, along[-1], 6 * len(points)))))
