"""Plain shapes for the renderer's tests: quick to make, of known form."""

from __future__ import annotations

from functools import cache

import numpy as np

from gen.render.shape import Shape

GRID = 25


@cache
def box(name: str, grid: int = GRID) -> Shape:
    """A closed box as a grid of squares; "slab" is wide and low, "post" tall, all else a cube."""
    size = {"slab": (1.0, 0.5, 0.4), "post": (0.3, 0.3, 1.0)}.get(name, (1.0, 1.0, 1.0))
    line = np.linspace(-0.5, 0.5, grid, dtype=np.float32)
    a, b = (axis.ravel() for axis in np.meshgrid(line, line, indexing="ij"))
    corner = np.arange(grid * grid).reshape(grid, grid)
    first, right, above, both = (
        part.ravel()
        for part in (corner[:-1, :-1], corner[1:, :-1], corner[:-1, 1:], corner[1:, 1:])
    )
    triangles = np.concatenate(
        [np.stack([first, right, both], 1), np.stack([first, both, above], 1)]
    )
    points, faces = [], []
    for axis in range(3):
        for sign in (-1, 1):
            side = np.empty((grid * grid, 3), np.float32)
            side[:, axis], side[:, (axis + 1) % 3], side[:, (axis + 2) % 3] = sign / 2, a, b
            faces.append((triangles if sign > 0 else triangles[:, ::-1]) + len(points) * grid**2)
            points.append(side)
    vertices = np.concatenate(points) * np.array(size, np.float32)
    vertices[:, 2] -= vertices[:, 2].min()
    shade = np.zeros(len(vertices), np.float32)
    return Shape(vertices, np.concatenate(faces).astype(np.int32), shade)
