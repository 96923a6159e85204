"""An icon as a drawing: its outline, and the edges inside it."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from gen.render.mesh import Floats

Mask = NDArray[np.bool_]

FOLDER = Path(__file__).parent / "icons"
PIXELS = 512
"""Size at which icons are drawn."""
SPECK = 0.01
"""Share of the drawing below which a part by itself, or a hole, is left out."""
GRAY = np.array([0.299, 0.587, 0.114], np.float32)
"""Shares of red, green and blue in how light a color is."""


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


class Drawing(NamedTuple):
    """What an icon shows, cropped to its outline; rows go down, as in images."""

    inside: Mask
    edges: Floats
    """Inner edges of the drawing and its small dark parts, 0..1."""


@cache
def bodies() -> dict[str, dict[str, str]]:
    """The icons by `set:name`: `box` (an SVG view box) and `body` (SVG elements)."""
    loaded: dict[str, dict[str, str]] = json.loads((FOLDER / "icons.json").read_text())
    return loaded


def draw(settings: Icon) -> Drawing:
    """Draw an icon.

    Raises:
        ValueError: when there is no such icon, or nothing is drawn.
    """
    from scipy import ndimage
    from skimage.morphology import disk

    pixels = _raster(settings)
    alpha = pixels[..., 3]
    drawn = alpha > 0.5
    if not drawn.any():
        raise ValueError(f"icon {settings.icon!r}: nothing is drawn")
    rows, columns = np.nonzero(drawn)
    larger = int(max(np.ptp(rows), np.ptp(columns))) + 1
    radius = round(settings.close * larger)
    inside = ndimage.binary_closing(np.pad(drawn, radius), disk(radius))
    inside = inside[radius:-radius, radius:-radius] if radius else inside
    area = inside.sum()
    inside |= _parts(~inside, settings.fill * area, larger=False)
    inside = _kept(inside, settings.keep)
    edges = _edges(pixels, inside, larger)
    rows, columns = np.nonzero(inside)
    crop = (slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1))
    return Drawing(inside[crop], edges[crop])


def _kept(mask: Mask, share: float) -> Mask:
    """The parts of at least a share of the mask, and the largest in any case."""
    from scipy import ndimage

    labels, _ = ndimage.label(mask)
    largest = np.bincount(labels.ravel())[1:].max()
    return _parts(mask, min(share * mask.sum(), largest), larger=True)


def _raster(settings: Icon) -> Floats:
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
        return np.asarray(image.convert("RGBA"), np.float32) / np.float32(255)


def _parts(mask: Mask, size: float, *, larger: bool) -> Mask:
    """The connected parts of a mask that have at least, or less than, so many pixels."""
    from scipy import ndimage

    labels, _ = ndimage.label(mask)
    sizes = np.bincount(labels.ravel())
    chosen = (sizes >= size) == larger
    chosen[0] = False  # what is not in the mask
    found: Mask = chosen[labels]
    return found


def _edges(pixels: Floats, inside: Mask, larger: int) -> Floats:
    """Where colors meet inside the outline, or a gap was closed; small dark parts as a whole."""
    from scipy import ndimage

    alpha = pixels[..., 3:]
    # Behind it all is near white: a closed gap shows, whatever the colors beside it.
    colors = pixels[..., :3] * alpha + (1 - alpha) * np.float32(0.9)
    fine = larger / 300
    steps = [ndimage.gaussian_gradient_magnitude(colors[..., k], 1.2 * fine) for k in range(3)]
    edges = np.clip(np.linalg.norm(steps, axis=0) * fine / 0.12, 0, 1)
    dark = inside & (colors @ GRAY < 0.3)
    if dark.sum() < 0.5 * inside.sum():
        edges = np.maximum(edges, _parts(dark, 0.03 * inside.sum(), larger=False))
    rim = np.clip(ndimage.distance_transform_edt(inside) / fine / 5 - 0.6, 0, 1)
    soft: Floats = (ndimage.gaussian_filter(edges, 0.6 * fine) * rim).astype(np.float32)
    return soft
