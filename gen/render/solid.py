"""Solids: primitives united on a grid, the seams between them darkened so that parts show."""

from __future__ import annotations

import numpy as np
from pydantic import BaseModel, ConfigDict

from gen.render.mesh import VERTICES, Doubles, Floats, Mesh, surface
from gen.render.primitives import Part, Piece, pieces

COARSE, FEWEST, MOST = 40, 85, 220
"""Cells along the largest extent: for a first look at how much surface there is; bounds."""
SEAM = 0.012
"""Width of the darkened seam beside another part, as a share of the largest extent."""
FAR = 1e3


class Solid(BaseModel):
    """A body of parts, in any unit of length."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    solid: tuple[Part, ...]
    blend: float = 0.0
    """Width over which parts flow into each other; there are no seams then."""


def build(settings: Solid) -> tuple[Mesh, Floats]:
    """A solid's mesh, and the darkness of each vertex (V,)."""
    from scipy import ndimage

    parts = [(part, pieces(part)) for part in settings.solid]
    body = [piece for part, own in parts if not (part.cut or part.mark) for piece in own]
    low = np.min([piece.low for piece in body], 0)
    high = np.max([piece.high for piece in body], 0)
    extent = float((high - low).max())

    look = _Grid(low, high, extent / COARSE)
    field, _ = look.union(parts, settings.blend)
    crossings = sum(np.count_nonzero(np.diff(field < 0, axis=axis)) for axis in range(3))
    cells = round(min(max(COARSE * (VERTICES / max(crossings, 1)) ** 0.5, FEWEST), MOST))

    grid = _Grid(low, high, extent / cells)
    field, second = grid.union(parts, settings.blend)
    mesh = surface(-field, grid.origin, grid.step)
    index = ((mesh.vertices - grid.origin.astype(np.float32)) / np.float32(grid.step)).T
    shade = 1 - ndimage.map_coordinates(second, index, order=1) / np.float32(SEAM * extent)
    for part, own in parts:
        if part.mark:
            depth = np.max([-piece.distance(mesh.vertices) for piece in own], 0)
            shade = np.maximum(shade, depth / grid.step + 0.5)
    return mesh, np.clip(shade, 0, 1).astype(np.float32)


class _Grid:
    """Points on which distances are taken, with room around the body."""

    def __init__(self, low: Doubles, high: Doubles, step: float) -> None:
        self.step = step
        self.origin = low - 3 * step
        self.shape = tuple(np.ceil((high - low) / step).astype(int) + 7)

    def union(self, parts: list[tuple[Part, list[Piece]]], blend: float) -> tuple[Floats, Floats]:
        """Distances to the body, and to the nearest part but the one that a point belongs to."""
        body = np.full(self.shape, FAR, np.float32)
        second = body.copy()
        for part, own in parts:
            if part.mark:
                continue
            field = np.full(self.shape, FAR, np.float32)
            for piece in own:
                self._add(field, piece, max(4 * self.step, blend))
            if part.cut:
                body = np.maximum(body, -field)
            elif blend:
                overlap = np.maximum(blend - np.abs(body - field), 0)
                body = np.minimum(body, field) - overlap**2 / (4 * blend)
            else:
                second = np.minimum(second, np.maximum(body, field))
                body = np.minimum(body, field)
        return body, second

    def _add(self, field: Floats, piece: Piece, margin: float) -> None:
        """Distances to a piece, in its box and `margin` around it."""
        first = np.floor((piece.low - margin - self.origin) / self.step).astype(int)
        last = np.ceil((piece.high + margin - self.origin) / self.step).astype(int) + 1
        span = [slice(max(a, 0), max(b, 0)) for a, b in zip(first, last, strict=True)]
        axes = [
            (low + self.step * np.arange(count)[s]).astype(np.float32)
            for low, count, s in zip(self.origin, self.shape, span, strict=True)
        ]
        points = np.stack(np.meshgrid(*axes, indexing="ij"), -1)
        if points.size:
            here = field[tuple(span)]
            np.minimum(here, piece.distance(points), out=here)
