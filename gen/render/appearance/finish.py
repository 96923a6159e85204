"""Colors and finishes: paint, metals, glitter."""

from __future__ import annotations

import numpy as np

from gen.render.appearance.body import Body, cells, noise
from gen.render.appearance.colors import PALETTE, Array, paint, rgb
from gen.render.appearance.surface import Look, Surface


def even(body: Body, color: str) -> Array:
    """(V, 3) of one color."""
    return np.tile(rgb(color), (len(body.points), 1))


def clay(body: Body, look: Look) -> Surface:
    """No attribute at all: neutral gray, for sheets of shapes and for comparison."""
    return Surface(even(body, "b4b4b4"), 0.6)


def painted(body: Body, look: Look) -> Surface:
    """One color of the palette, like molded plastic."""
    return Surface(even(body, look.colors[0]), swatches=look.colors)


def golden(body: Body, look: Look) -> Surface:
    """Polished gold."""
    return Surface(even(body, "f2b02c"), 0.2, 1.0, swatches=("c8922c",))


def silver(body: Body, look: Look) -> Surface:
    """Polished silver."""
    return Surface(even(body, "eceef2"), 0.12, 1.0)


def copper(body: Body, look: Look) -> Surface:
    """Polished copper."""
    return Surface(even(body, "e08050"), 0.2, 1.0, swatches=("b8643c",))


def metallic(body: Body, look: Look) -> Surface:
    """Anodized metal: a palette color that mirrors."""
    color = look.colors[0]
    base = {"black": "2c2c30", "white": "f4f4f4"}.get(color, PALETTE[color])
    swatches = () if color in ("black", "white") else look.colors
    return Surface(even(body, base), 0.22, 1.0, swatches=swatches)


def glittery(body: Body, look: Look) -> Surface:
    """A palette color full of sparkles: bright and dark flakes, each turned its own way."""
    flakes = cells(body.points, 0.013, 3)
    random = np.random.default_rng(4).random((2, flakes.count)).astype(np.float32)
    spark = (random[0][flakes.center] > 0.88) & (flakes.edge > 0.002)
    base = rgb(look.colors[0])
    strength = 0.35 + 0.85 * random[1][flakes.center]
    color = np.clip(base * strength[:, None] + 0.02, 0, 1)
    bright = 0.25 * base + 0.75
    if look.colors[0] == "white":  # white flakes do not show on white
        hue = noise(body.points, 9, 1, 5)[:, None] * 6.28 + np.array([0.0, 2.1, 4.2])
        bright, color = 0.75 + 0.25 * np.cos(hue), color * 0.72
    color = np.where(spark[:, None], bright, color).astype(np.float32)
    glint = np.where(spark[:, None], bright * 0.5, 0).astype(np.float32)
    return Surface(color, 0.35, 0.2, emission=glint, swatches=look.colors)


def two_tone(body: Body, look: Look) -> Surface:
    """One half of each color, with a sharp border across the longer axis."""
    first, second = look.pair
    middle = float(np.median(body.along()))
    weight = np.clip((body.along() - middle) / 0.01 + 0.5, 0, 1)
    return Surface(paint(weight, first, second), swatches=look.colors)


def gradient(body: Body, look: Look) -> Surface:
    """From one color to the other along the longer axis."""
    first, second = look.pair
    weight = np.clip(body.along() * 1.3 - 0.15, 0, 1)
    return Surface(paint(weight, first, second), swatches=look.colors)
