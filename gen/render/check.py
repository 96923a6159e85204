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
from gen.render.backend import Variant
from gen.render.draw import Bytes, Drawn, draw
from gen.render.scene import Item, Scene, Shapes
from gen.render.shape import shape

SMALLEST = 0.0025
"""The least share of the image's pixels for an object: 26 x 26 at 512."""
LEAST = (0.0, 0.4, 0.14, 0.06)
"""The least share of an object's pixels for each of its colors, by how many it has."""
HUE, LIGHTNESS, GRAY = 32.0, 55.0, 16.0
"""Greatest differences of hue (degrees) and lightness (of gray colors) under the scene's light,
and the chroma (CIELAB) below which a color is gray."""
BLEED_MEAN, BLEED_MOST = 1.5, 14.0
"""Greatest change that an attribute may make elsewhere, in steps of a channel: mean, and the 99th
percentile of pixels."""
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
        swatches = drawn.swatches[number]
        parts = shares(drawn.image[inner(drawn.mask == number + 1)], swatches)
        for swatch, part in zip(swatches, parts, strict=True):
            if part < LEAST[len(swatches)]:
                found.append(f"wrong_color {item.look} {item.object}: {part:.0%} is {swatch}")
    return found


def overlap(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    """Whether two boxes (left, top, width, height) share a pixel."""
    across = one[0] < other[0] + other[2] and other[0] < one[0] + one[2]
    return across and one[1] < other[1] + other[3] and other[1] < one[1] + one[3]


def inner(found: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A mask without its rim, where colors mix with the ground's; whole if nothing were left."""
    from scipy.ndimage import binary_erosion

    core: NDArray[np.bool_] = binary_erosion(found)
    return core if core.any() else found


def shares(pixels: Bytes, swatches: Sequence[str]) -> list[float]:
    """For each swatch the share of (P, 3) pixels that are nearer to it than to the others.

    Light and shade change how bright a color is, and little of its hue: chromatic swatches are
    compared by hue, gray ones by lightness.
    """
    if not swatches or not len(pixels):
        return [0.0] * len(swatches)
    lightness, chroma, hue = _lch(pixels.astype(np.float32) / 255)
    far = np.full((len(swatches), len(pixels)), 2.0)
    for number, swatch in enumerate(swatches):
        light, colorful, angle = (
            float(value[0]) for value in _lch(srgb(PALETTE.get(swatch, swatch))[None])
        )
        if colorful < GRAY:
            far[number] = np.where(chroma < GRAY, np.abs(lightness - light) / LIGHTNESS, 2)
        else:
            turn = np.abs((hue - angle + 180) % 360 - 180) / HUE
            far[number] = np.where(chroma > GRAY / 2, turn, 2)
    nearest = np.where(far.min(0) <= 1, far.argmin(0), -1)
    return [float((nearest == number).mean()) for number in range(len(swatches))]


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
) -> list[Bleed]:
    """For each item the scene against itself with that item in plain gray (no attribute).

    Costs two images for each item and one more, small ones. The shadow is where the gray item
    itself changes the image.
    """
    from scipy.ndimage import binary_dilation

    scene = replace(scene, size=size, samples=samples)
    full = draw(scene, variant, shapes)
    found = []
    for number, item in enumerate(scene.items):
        plain = list(scene.items)
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
