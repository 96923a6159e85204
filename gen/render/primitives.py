"""The primitives that solids are put together from, as distances to their surface.

A distance is negative inside. It is exact for boxes, rings and outlines, and close for ellipsoids
and tapering tubes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, model_validator

from gen.render.mesh import Doubles, Floats, rotation
from gen.render.outline import Outline, curve

Distance = Callable[[Floats], Floats]
"""From points (..., 3) to (...)."""

Vector = tuple[float, float, float]
Points = tuple[tuple[float, float], ...]

KINDS = ("box", "ball", "ring", "tube", "lathe", "prism")


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
    lathe: Points | None = None
    """(radius, z) of an outline that is turned about z and closed along it."""
    prism: Points | None = None
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
                f"a part is one of {', '.join(KINDS)}, not {' and '.join(given) or 'none'}"
            )
        return self


class Piece(NamedTuple):
    """A convex part of a part, or one of its copies."""

    low: Doubles
    high: Doubles
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


def _moved(piece: Piece, matrix: Doubles, offset: Doubles) -> Piece:
    ends = zip(piece.low, piece.high, strict=True)
    corners = np.stack(np.meshgrid(*ends), -1).reshape(-1, 3) @ matrix + offset
    back, origin = matrix.T.astype(np.float32), offset.astype(np.float32)

    def distance(points: Floats) -> Floats:
        return piece.distance(np.asarray((points - origin) @ back, np.float32))

    return Piece(corners.min(0), corners.max(0), distance)


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
        yield Piece(-reach, reach, lambda p: np.hypot(_radius(p) - circle, p[..., 2]) - tube)
    elif part.tube:
        line = curve(part.tube, part.smooth)
        radii = np.linspace(*part.radius, len(line))
        for k in range(len(line) - 1):
            thick = radii[k : k + 2].max()
            ends = line[k : k + 2]
            distance = _segment(ends[0], ends[1], radii[k], radii[k + 1])
            yield Piece(ends.min(0) - thick, ends.max(0) + thick, distance)
    elif part.lathe:
        half = curve(part.lathe, part.smooth)
        # An outline that meets the axis is mirrored across it; any other goes around a hole.
        whole = half[[0, -1], 0].max() > 0
        profile = Outline(half if whole else np.concatenate([half, half[::-1] * [-1, 1]]))
        radius, top = half.max(0) + part.round
        yield Piece(
            np.array([-radius, -radius, half[:, 1].min() - part.round]),
            np.array([radius, radius, top]),
            lambda p: profile.distance(_radius(p), p[..., 2]) - np.float32(part.round),
        )
    elif part.prism:
        outline = curve((*part.prism, part.prism[0]), part.smooth)[:-1]
        profile = Outline(outline)
        low, high = (
            np.insert(outline.min(0), 1, -part.half),
            np.insert(outline.max(0), 1, part.half),
        )
        yield Piece(
            low - part.round,
            high + part.round,
            _prism(profile, part.half, part.round),
        )


def _radius(points: Floats) -> Floats:
    """From the z axis."""
    away: Floats = np.hypot(points[..., 0], points[..., 1])
    return away


def _box(reach: Doubles, rounding: float) -> Distance:
    half, least = reach.astype(np.float32), np.float32(rounding)

    def distance(points: Floats) -> Floats:
        q = np.abs(points) - half
        outside = np.sqrt((np.maximum(q, 0) ** 2).sum(-1))
        found: Floats = outside + np.minimum(q.max(-1), 0) - least
        return found

    return distance


def _ball(radii: Doubles) -> Distance:
    inverse = (1 / radii).astype(np.float32)

    def distance(points: Floats) -> Floats:
        scaled = points * inverse
        size = np.sqrt((scaled**2).sum(-1))
        slope = np.sqrt(((scaled * inverse) ** 2).sum(-1))
        found: Floats = size * (size - 1) / np.maximum(slope, np.float32(1e-6))
        return found

    return distance


def _segment(start: Doubles, end: Doubles, first: float, last: float) -> Distance:
    origin, along = start.astype(np.float32), (end - start).astype(np.float32)
    square = max(float(along @ along), 1e-12)

    def distance(points: Floats) -> Floats:
        p = points - origin
        share = np.clip(p @ along / np.float32(square), 0, 1)
        away = p - share[..., None] * along
        found: Floats = np.sqrt((away**2).sum(-1)) - (
            np.float32(first) + share * np.float32(last - first)
        )
        return found

    return distance


def _prism(profile: Outline, half: float, rounding: float) -> Distance:
    def distance(points: Floats) -> Floats:
        side = profile.distance(points[..., 0], points[..., 2])
        front = np.abs(points[..., 1]) - np.float32(half)
        corner = np.hypot(np.maximum(side, 0), np.maximum(front, 0))
        found: Floats = corner + np.minimum(np.maximum(side, front), 0) - np.float32(rounding)
        return found

    return distance
