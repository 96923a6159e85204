"""What can be proven of an image without people: that every object is there, apart from the
others, in its colors, and that its attribute leaves everything else as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gen.render.appearance import NEUTRAL
from gen.render.appearance.colors import PALETTE, Array, srgb
from gen.render.appearance.shown import shown
from gen.render.backend import Variant
from gen.render.draw import Bytes, Drawn, draw
from gen.render.layout import SMALLEST
from gen.render.scene import Item, Scene, Shapes
from gen.render.shape import shape

HUE, GRAY = 16.0, 12.0
"""Greatest difference of hue (degrees), and the chroma (CIELAB) below which a color is gray."""
LIGHTNESS, DIMMED = (27.0, 52.0), 0.85
"""Greatest differences of lightness, of gray colors and of others, from what is left of a color's
own lightness under the scene's light."""
BLEED_MEAN, BLEED_MOST = 1.5, 14.0
"""Greatest change that an attribute may make elsewhere, in steps of a channel: mean, and the 99th
percentile of pixels. Attributes on a round object stay below 0.5 and 5; flat faces of polished
metal are above: they throw the key light on the ground."""
SHADOW = 5
"""Steps of a channel that an object changes the ground by where its shadow lies."""


def problems(scene: Scene, drawn: Drawn) -> list[str]:
    """What is wrong with an image, each as a slug with the item: nothing, if all is well."""
    found = []
    pixels = drawn.mask.size
    for item, area in zip(scene.items, drawn.areas, strict=True):
        if area < SMALLEST * pixels:
            found.append(f"too_small {item.object}: {area} pixels")
    for number, one in enumerate(drawn.boxes):
        for other in range(number):
            if overlap(one, drawn.boxes[other]):
                pair = f"{scene.items[other].object}, {scene.items[number].object}"
                found.append(f"not_apart {pair}: their boxes meet")
    for number, item in enumerate(scene.items):
        found += miscolored(item, drawn.image[inner(drawn.mask == number + 1)])
    return found


def miscolored(item: Item, pixels: Bytes) -> list[str]:
    """The colors that an item must show and does not, in its (P, 3) pixels."""
    told = shown(item.attribute, item.look)
    parts = shares(pixels, [color for color, _ in told])
    return [
        f"wrong_color {item.look} {item.object}: {part:.0%} is {color}, less than {least:.0%}"
        for (color, least), part in zip(told, parts, strict=True)
        if part < least
    ]


def overlap(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    """Whether two boxes (left, top, width, height) share a pixel."""
    across = one[0] < other[0] + other[2] and other[0] < one[0] + one[2]
    return across and one[1] < other[1] + other[3] and other[1] < one[1] + one[3]


def inner(found: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A mask without its rim, where colors mix with the ground's; whole if nothing were left."""
    from scipy.ndimage import binary_erosion

    core: NDArray[np.bool_] = binary_erosion(found)
    return core if core.any() else found


def shares(pixels: Bytes, colors: Sequence[str]) -> list[float]:
    """For each color (a palette word, or sRGB in hexadecimal) the share of (P, 3) pixels with it.

    Light and shade change how bright a color is, and little of its hue: so colors have a wide range
    of lightness and chroma, and a narrow one of hue. A pixel has the nearest of those in range.
    """
    if not colors or not len(pixels):
        return [0.0] * len(colors)
    lightness, chroma, hue = _lch(pixels.astype(np.float32) / 255)
    far = np.full((len(colors), len(pixels)), 2.0)
    for number, color in enumerate(colors):
        light, colorful, angle = (
            float(value[0]) for value in _lch(srgb(PALETTE.get(color, color))[None])
        )
        off = np.abs(lightness - DIMMED * light)
        if colorful < GRAY:
            far[number] = np.where(chroma < GRAY, off / LIGHTNESS[0], 2)
            continue
        turn = np.abs((hue - angle + 180) % 360 - 180) / HUE
        low, high = max(0.3 * colorful, GRAY / 2), 1.35 * colorful + 10
        within = (chroma > low) & (chroma < high) & (off < LIGHTNESS[1])
        far[number] = np.where(within, turn, 2)
    nearest = np.where(far.min(0) <= 1, far.argmin(0), -1)
    return [float((nearest == number).mean()) for number in range(len(colors))]


def _lch(colors: Array) -> tuple[Array, Array, Array]:
    """Lightness, chroma and hue in degrees (CIELAB, D65) of (P, 3) sRGB values."""
    from skimage.color import rgb2lab

    lab = rgb2lab(colors)
    hue = np.degrees(np.arctan2(lab[:, 2], lab[:, 1]))
    return lab[:, 0], np.hypot(lab[:, 1], lab[:, 2]), hue


@dataclass(frozen=True)
class Bleed:
    """What an item's attribute changes outside of the item and its shadow."""

    item: Item
    mean: float
    """Mean change of a pixel's most changed channel, in steps."""
    most: float
    """Its 99th percentile."""

    @property
    def bad(self) -> bool:
        """Whether it is more than may be."""
        return self.mean > BLEED_MEAN or self.most > BLEED_MOST


def bleed(
    scene: Scene,
    variant: Variant | None = None,
    shapes: Shapes = shape,
    size: int = 192,
    samples: int = 32,
    only: Sequence[int] | None = None,
) -> list[Bleed]:
    """For each item (or those of some places) the scene against itself with it in plain gray.

    Costs two images for each item and one more, small ones. The shadow is where the gray item
    itself changes the image.
    """
    from scipy.ndimage import binary_dilation

    scene = replace(scene, size=size, samples=samples)
    full = draw(scene, variant, shapes)
    found = []
    for number in range(len(scene.items)) if only is None else only:
        item, plain = scene.items[number], list(scene.items)
        plain[number] = item._replace(attribute=NEUTRAL, look=NEUTRAL)
        gray = draw(replace(scene, items=tuple(plain)), variant, shapes)
        without = draw(_drop(scene, number), variant, shapes)
        own = (full.mask == number + 1) | (gray.mask == number + 1)
        away = ~binary_dilation(own, iterations=2)
        away &= _change(gray.image, without.image) < SHADOW
        change = _change(full.image, gray.image)[away]
        found.append(Bleed(item, float(change.mean()), float(np.percentile(change, 99))))
    return found


def _drop(scene: Scene, number: int) -> Scene:
    """The scene without one of its items."""
    items, places = list(scene.items), list(scene.places)
    del items[number], places[number]
    return replace(scene, items=tuple(items), places=tuple(places))


def _change(one: Bytes, other: Bytes) -> Array:
    """(H, W) the greatest difference of a channel, in steps."""
    steps: Array = np.abs(one.astype(np.float32) - other.astype(np.float32)).max(-1)
    return steps
