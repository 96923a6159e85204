"""Colors: the palette and named variants, and the way between sRGB and linear light."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.floating[Any]]
"""Real numbers; single precision unless a formula made it double."""

PALETTE = {
    "red": "c4121c",
    "orange": "f0700c",
    "yellow": "f4c60c",
    "green": "1c8a38",
    "blue": "1240b8",
    "purple": "a044cc",
    "pink": "f478b0",
    "white": "f0f0f0",
    "black": "121212",
}
"""sRGB of the palette's words; a look is recognized by these words."""


def srgb(code: str) -> Array:
    """The (3,) sRGB value, 0 to 1, of six hexadecimal digits."""
    return np.array([int(code[i : i + 2], 16) for i in (0, 2, 4)], np.float32) / 255


def to_linear(values: Array) -> Array:
    """Linear light of sRGB values (IEC 61966-2-1), any shape."""
    low = values / 12.92
    return np.where(values <= 0.04045, low, ((values + 0.055) / 1.055) ** 2.4).astype(np.float32)


def to_srgb(values: Array) -> Array:
    """SRGB values of linear light (IEC 61966-2-1), any shape; what is out of range is clipped."""
    light = np.clip(values, 0, 1)
    high = 1.055 * np.maximum(light, 1e-6) ** (1 / 2.4) - 0.055
    return np.where(light <= 0.0031308, 12.92 * light, high).astype(np.float32)


def rgb(name: str) -> Array:
    """The (3,) linear value of a palette word or of six hexadecimal digits."""
    return to_linear(srgb(PALETTE.get(name, name)))


def paint(weight: Array, low: str, high: str) -> Array:
    """(V, 3): from the color `low` where `weight` (V,) is 0 to `high` where it is 1."""
    a, b = rgb(low), rgb(high)
    return (a + (b - a) * np.clip(weight, 0, 1)[:, None]).astype(np.float32)


def ramp(value: Array, stops: list[tuple[float, str]]) -> Array:
    """(V, 3): colors interpolated between stops of rising value."""
    at = [place for place, _ in stops]
    table = np.stack([rgb(code) for _, code in stops])
    return np.stack([np.interp(value, at, table[:, k]) for k in range(3)], 1).astype(np.float32)
