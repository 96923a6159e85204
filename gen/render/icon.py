"""A flat icon made a body: its outline is inflated, its inner edges become grooves.

The height over the icon's plane is the root of the solution of Poisson's equation on the mask (a
disk becomes a ball), or that of a slab with a round rim. The mesh is the zero surface of
``height² - y²``, which is smooth at the rim, where the height itself is infinitely steep.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gen.render.drawing import Icon, Mask, draw
from gen.render.mesh import VERTICES, Floats, Mesh, surface


def inflate(settings: Icon) -> tuple[Mesh, Floats]:
    """An icon's body, upright and facing the viewer, and the darkness of each vertex (V,).

    Raises:
        ValueError: when there is no such icon, or nothing is left of it.
    """
    from scipy import ndimage
    from skimage.measure import perimeter

    drawing = draw(settings)
    larger = max(drawing.inside.shape)
    # Vertices are as many as there is surface: two faces, and the rim between them.
    thick = settings.slab or 0.6 * settings.most
    faces = 2.2 * drawing.inside.sum() / larger**2
    rim = 1.8 * thick * perimeter(drawing.inside) / larger
    cells = round(min(max((VERTICES / (faces + rim)) ** 0.5, 90), 240))
    zoom = cells / larger
    soft = ndimage.gaussian_filter(drawing.inside.astype(np.float32), 0.4 / zoom)
    inside = np.pad(ndimage.zoom(soft, zoom, order=1) > 0.5, 4)
    # From rows downward to (x, z): x to the right, z upward.
    inside = np.ascontiguousarray(inside[::-1].T)
    edges = np.pad(ndimage.zoom(drawing.edges, zoom, order=1), 4)[::-1].T
    groove = settings.groove * cells * edges
    if settings.slab:
        field = _slab(inside, settings.slab * cells - groove)
    else:
        field = _inflated(inside, groove, settings, cells)
    mesh = surface(field, (0, -(field.shape[1] // 2), 0), 1.0)
    shade = ndimage.map_coordinates(edges, mesh.vertices[:, [0, 2]].T, order=1)
    return mesh, np.clip(shade, 0, 1).astype(np.float32)


def _inflated(inside: Mask, groove: Floats, settings: Icon, cells: int) -> Floats:
    """The field of an inflated mask, (x, y, z)."""
    from scipy import ndimage

    square = _poisson(inside) * settings.depth**2
    most = (settings.most * cells) ** 2
    square = most * np.tanh(square / most)
    height = np.sqrt(square)
    square = np.maximum(height - groove, np.minimum(height, 1)) ** 2
    # The solution is 0 in the first cells outside; from there the slope at the rim goes on.
    slope = np.median(square[inside & ~ndimage.binary_erosion(inside)])
    square -= slope * np.maximum(ndimage.distance_transform_edt(~inside) - 1, 0)
    square = ndimage.gaussian_filter(square, 0.8).astype(np.float32)
    scale = 2 * np.sqrt(np.maximum(square, 1))
    reach = int(np.sqrt(square.max())) + 3
    y = np.arange(-reach, reach + 1, dtype=np.float32)
    # Over twice the height, a difference of squares is close to one of heights.
    field: Floats = (square[:, None] - (y * y)[:, None]) / scale[:, None]
    return field


def _poisson(inside: Mask) -> NDArray[np.float64]:
    """The solution of Poisson's equation with -4 on the mask: r² - x² - y² on a disk."""
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import spsolve

    count = int(inside.sum())
    index = np.where(inside, np.cumsum(inside).reshape(inside.shape) - 1, -1)
    at = np.argwhere(inside)
    rows, columns, values = [np.arange(count)], [np.arange(count)], [np.full(count, 4.0)]
    for step in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        beside = index[tuple((at + step).T)]
        rows.append(np.flatnonzero(beside >= 0))
        columns.append(beside[beside >= 0])
        values.append(np.full(len(columns[-1]), -1.0))
    entries = (np.concatenate(rows), np.concatenate(columns))
    matrix = coo_array((np.concatenate(values), entries), shape=(count, count)).tocsc()
    solution = np.zeros(inside.shape)
    solution[inside] = spsolve(matrix, np.full(count, 4.0))
    return solution


def _slab(inside: Mask, half: Floats) -> Floats:
    """The field of a slab of the mask's outline with round edges: its distance, (x, y, z)."""
    from scipy import ndimage

    depth = ndimage.distance_transform_edt(inside) - ndimage.distance_transform_edt(~inside)
    depth = ndimage.gaussian_filter(depth.astype(np.float32), 0.8)
    bevel = np.float32(0.3 * half.max() + 1)
    reach = int(half.max()) + 3
    y = np.abs(np.arange(-reach, reach + 1, dtype=np.float32))
    side = (bevel - depth)[:, None]
    front = y[:, None] - (half - bevel).astype(np.float32)[:, None]
    corner = np.hypot(np.maximum(side, 0), np.maximum(front, 0))
    field: Floats = bevel - corner - np.minimum(np.maximum(side, front), 0)
    return field
