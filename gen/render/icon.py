"""A flat icon made a body: its outline is inflated, its inner edges become grooves.

The height over the icon's plane is the root of the solution of Poisson's equation on the mask (a
disk becomes a ball), or that of a slab with a round rim. The mesh is the zero surface of
``height² - y²``, which is smooth at the rim, where the height itself is infinitely steep.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from gen.render.mesh import VERTICES, Floats, Mesh, surface

Mask = NDArray[np.bool_]

FOLDER = Path(__file__).parent / "icons"
PIXELS = 512
"""Size at which icons are drawn."""
SPECK = 0.01
"""Share of the drawing below which a part by itself, or a hole, is left out."""


class Icon(BaseModel):
    """How an icon becomes a body; lengths are shares of the larger side of its outline."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    icon: str
    """`set:name`, as in `icons/icons.json`."""
    spin: float = 0.0
    """Degrees to turn the drawing by, clockwise."""
    close: float = 0.012
    """Gaps up to twice this are closed; grooves stay where they were."""
    fill: float = SPECK
    """Holes up to this share of the drawing are closed."""
    keep: float = SPECK
    """Smaller parts by themselves are left out; 1 keeps the largest alone."""
    depth: float = 0.75
    """Thickness against that of a round body; 1 makes a disk a ball."""
    most: float = 0.2
    """Half the thickness that an inflated body nears at most."""
    slab: float = 0.0
    """Half the thickness of a slab with a round rim; 0 inflates."""
    groove: float = 0.015
    """Depth of grooves."""


class _Drawing(NamedTuple):
    inside: Mask
    edges: Floats
    """Inner edges of the drawing and its small dark parts, 0..1."""


@cache
def bodies() -> dict[str, dict[str, str]]:
    """The icons by `set:name`: `box` (an SVG view box) and `body` (SVG elements)."""
    loaded: dict[str, dict[str, str]] = json.loads((FOLDER / "icons.json").read_text())
    return loaded


def inflate(settings: Icon) -> tuple[Mesh, Floats]:
    """An icon's body, upright and facing the viewer, and the darkness of each vertex (V,).

    Raises:
        ValueError: when there is no such icon, or nothing is left of it.
    """
    from scipy import ndimage
    from skimage.measure import perimeter

    drawing = _draw(settings)
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


def _draw(settings: Icon) -> _Drawing:
    from scipy import ndimage
    from skimage.morphology import disk

    pixels = _raster(settings)
    alpha = pixels[..., 3]
    drawn = alpha > 0.5
    if not drawn.any():
        raise ValueError(f"icon {settings.icon!r}: nothing is drawn")
    rows, columns = np.nonzero(drawn)
    larger = max(np.ptp(rows), np.ptp(columns)) + 1
    radius = round(settings.close * larger)
    inside = ndimage.binary_closing(np.pad(drawn, radius), disk(radius))
    inside = inside[radius:-radius, radius:-radius] if radius else inside
    area = inside.sum()
    inside |= _parts(~inside, settings.fill * area, larger=False)
    sizes = ndimage.sum_labels(inside, *_labels(inside))
    inside = _parts(inside, min(settings.keep * area, sizes.max()), larger=True)
    edges = _edges(pixels, inside, larger)
    rows, columns = np.nonzero(inside)
    crop = (slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1))
    return _Drawing(inside[crop], edges[crop])


def _raster(settings: Icon) -> Floats:
    import io

    import resvg_py
    from PIL import Image

    try:
        icon = bodies()[settings.icon]
    except KeyError:
        raise ValueError(f"icon {settings.icon!r} is not in {FOLDER / 'icons.json'}") from None
    left, top, width, height = map(float, icon["box"].split())
    x, y, side = left + width / 2, top + height / 2, 1.42 * max(width, height)
    text = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="{x - side / 2} {y - side / 2} {side} {side}" width="{PIXELS}" height="{PIXELS}" '
        f'color="#000"><g transform="rotate({settings.spin} {x} {y})">{icon["body"]}</g></svg>'
    )
    drawn = bytes(resvg_py.svg_to_bytes(svg_string=text, width=PIXELS, height=PIXELS))
    with Image.open(io.BytesIO(drawn)) as image:
        return np.asarray(image.convert("RGBA"), np.float32) / 255


def _labels(mask: Mask) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    from scipy import ndimage

    labels, number = ndimage.label(mask)
    return labels, np.arange(1, number + 1)


def _parts(mask: Mask, size: float, *, larger: bool) -> Mask:
    """The connected parts of a mask that have at least, or less than, so many pixels."""
    from scipy import ndimage

    labels, numbers = _labels(mask)
    sizes = ndimage.sum_labels(mask, labels, numbers)
    chosen = numbers[(sizes >= size) == larger]
    return np.isin(labels, chosen)


def _edges(pixels: Floats, inside: Mask, larger: int) -> Floats:
    """Where colors meet inside the outline, or a gap was closed; small dark parts as a whole."""
    from scipy import ndimage

    alpha = pixels[..., 3:]
    colors = pixels[..., :3] * alpha + (1 - alpha) * (0.9 if pixels[..., :3].max() > 0.1 else 1)
    fine = larger / 300
    steps = [ndimage.gaussian_gradient_magnitude(colors[..., k], 1.2 * fine) for k in range(3)]
    edges = np.clip(np.sqrt(sum(step**2 for step in steps)) * fine / 0.12, 0, 1)
    dark = inside & (colors @ np.float32([0.3, 0.59, 0.11]) < 0.3)
    if dark.sum() < 0.5 * inside.sum():
        edges = np.maximum(edges, _parts(dark, 0.03 * inside.sum(), larger=False))
    rim = np.clip(ndimage.distance_transform_edt(inside) / fine / 5 - 0.6, 0, 1)
    return (ndimage.gaussian_filter(edges, 0.6 * fine) * rim).astype(np.float32)


def _inflated(inside: Mask, groove: Floats, settings: Icon, cells: int) -> Floats:
    """The field of an inflated mask, (x, y, z)."""
    from scipy import ndimage

    square = _poisson(inside) * settings.depth**2
    most = (settings.most * cells) ** 2
    square = most * np.tanh(square / most)
    height = np.sqrt(square)
    square = np.maximum(height - groove, np.minimum(height, 1)) ** 2
    # Outside the slope at the rim goes on, so that the rim is where the mask ends.
    slope = np.median(square[inside & ~ndimage.binary_erosion(inside)])
    square -= slope * ndimage.distance_transform_edt(~inside)
    square = ndimage.gaussian_filter(square, 0.8).astype(np.float32)
    scale = 2 * np.sqrt(np.maximum(square, 1))
    reach = int(np.sqrt(square.max())) + 3
    y = np.arange(-reach, reach + 1, dtype=np.float32)
    # Over twice the height, a difference of squares is close to one of heights.
    field: Floats = ((square / scale)[:, None] - (y * y)[:, None] / scale[:, None]).astype(
        np.float32
    )
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
    return bevel - corner - np.minimum(np.maximum(side, front), 0)
