"""Colors and finishes: paint, metals, glitter."""

from __future__ import annotations

import numpy as np

from gen.render.appearance.body import Body, cells, step
from gen.render.appearance.colors import PALETTE, Array, paint, rgb, to_linear, to_srgb
from gen.render.appearance.surface import Look, Surface


def even(body: Body, color: str) -> Array:
    """(V, 3) of one color."""
    return np.tile(rgb(color), (len(body.points), 1))


def clay(body: Body, look: Look) -> Surface:
    """No attribute at all: neutral gray, for sheets of shapes and for comparison."""
    return Surface(even(body, "b4b4b4"), 0.6)


def painted(body: Body, look: Look) -> Surface:
    """One color of the palette, like molded plastic."""
    return Surface(even(body, look.colors[0]))


def golden(body: Body, look: Look) -> Surface:
    """Polished gold."""
    return Surface(even(body, "f2b02c"), 0.2, 1.0)


def silver(body: Body, look: Look) -> Surface:
    """Polished silver."""
    return Surface(even(body, "eceef2"), 0.22, 1.0)


def copper(body: Body, look: Look) -> Surface:
    """Polished copper."""
    return Surface(even(body, "e08050"), 0.2, 1.0)


def metallic(body: Body, look: Look) -> Surface:
    """Anodized metal: a palette color that mirrors."""
    color = look.colors[0]
    base = {"black": "2c2c30", "white": "f4f4f4"}.get(color, PALETTE[color])
    return Surface(even(body, base), 0.22, 1.0)


def glittery(body: Body, look: Look) -> Surface:
    """A palette color in fine flakes, each turned its own way, and glints as points of light."""
    name = look.colors[0]
    flakes = cells(body.points, 0.018, 3)
    turned = np.random.default_rng(4).random(flakes.count).astype(np.float32)[flakes.center]
    base = rgb({"black": "2a2a2e", "white": "d4d4d8"}.get(name, name))
    color = np.clip(base * (0.3 + 1.3 * turned[:, None] ** 2), 0, 1)
    glints = cells(body.points, 0.032, 5)
    strong = np.random.default_rng(6).random(glints.count).astype(np.float32)[glints.center]
    strong = np.clip(strong * 2 - 1, 0, 1)  # every other one is turned away
    point = 1 - step(glints.near - 0.008 * strong, 0.004, 0.006)
    point *= strong > 0
    halo = np.clip(1 - glints.near / 0.03, 0, 1) ** 2 * strong
    tint = 0.35 * base / base.max() + 0.65
    if name == "white":  # white light does not show on white
        hue = 6.28 * strong[:, None] + np.array([0.0, 2.1, 4.2])
        tint, color = 0.55 + 0.45 * np.cos(hue), color * 0.8
    glint = tint * (1.3 * point + 0.25 * halo)[:, None]
    color = color * (1 - point[:, None])
    return Surface(color.astype(np.float32), 0.3, 0.4, emission=glint.astype(np.float32))


def two_tone(body: Body, look: Look) -> Surface:
    """One half of each color, with a sharp border across the longer axis."""
    first, second = look.pair
    middle = float(np.median(body.along()))
    weight = np.clip((body.along() - middle) / 0.01 + 0.5, 0, 1)
    return Surface(paint(weight, first, second))


def gradient(body: Body, look: Look) -> Surface:
    """From one color to the other along the longer axis; faster where the body is thicker, so that
    a pointed end does not take all of a color.
    """
    count, edges = np.histogram(body.along(), 48, (0, 1))
    covered = np.interp(body.along(), edges, np.append(0, np.cumsum(count) / count.sum()))
    weight = np.clip(1.5 * (0.3 * body.along() + 0.7 * covered) - 0.25, 0, 1)[:, None]
    first, second = (to_srgb(rgb(name)) for name in look.pair)
    # Mixed as the eye sees it; as light, the brighter color would take most of the way.
    return Surface(to_linear(first + weight * (second - first)))
