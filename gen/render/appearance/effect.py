"""Effects: what is seen through, shimmers or shines."""

from __future__ import annotations

import numpy as np

from gen.render.appearance.body import Body, cells, noise, step
from gen.render.appearance.colors import Array, paint, ramp, rgb
from gen.render.appearance.finish import even
from gen.render.appearance.surface import Look, Surface


def _hues(phase: Array, pale: float) -> Array:
    """(V, 3) around the color circle, mixed with white."""
    turn = 2 * np.pi * (phase[:, None] + np.array([0, 1 / 3, 2 / 3]))
    color: Array = pale + (1 - pale) * (0.5 + 0.5 * np.cos(turn))
    return color.astype(np.float32)


def transparent(body: Body, look: Look) -> Surface:
    """Clear glass without a color, grayer at its rims, where light passes through more of it."""
    return Surface(paint((1 - body.facing) ** 3, "fafcfc", "8ca0a6"), kind="glass", grooves=0.3)


def icy(body: Body, look: Look) -> Surface:
    """A block of ice: blue and cloudy inside, cut in facets, white frost on top and in cracks."""
    facet = cells(body.points, 0.11, 181)
    crack = 1 - step(facet.edge, 0.010, 0.012)
    frost = step(body.normals[:, 2] * 0.9 + noise(body.points, 12, 3, 182) - 0.5, 0.55, 0.3)
    white = np.maximum(0.75 * crack * noise(body.points, 8, 2, 183) * 1.6, frost)
    color = even(body, "a4dcfa")
    color += np.clip(white, 0, 1)[:, None] * (rgb("ffffff") - color)
    opacity = np.clip(0.18 + 0.8 * white, 0, 1).astype(np.float32)
    height = 0.016 * step(facet.edge, 0.02, 0.04) + 0.012 * frost
    return Surface(color, 0.08, kind="frost", height=height, opacity=opacity, grooves=0.2)


def soap_bubble(body: Body, look: Look) -> Surface:
    """A thin film: clear where seen straight on, shimmering in all colors at the rims."""
    swirl = noise(body.points, 3, 2, 191)
    color = _hues(1.6 * (1 - body.facing) + 1.8 * swirl, 0.25)
    opacity = 0.22 + 0.68 * (1 - body.facing) ** 1.5
    return Surface(color, 0.06, 0.9, kind="film", opacity=opacity.astype(np.float32), grooves=0.5)


def holographic(body: Body, look: Look) -> Surface:
    """Mirror foil that breaks light into bands of pastel color."""
    x, _, z = body.points.T
    phase = 1.5 * body.facing + 1.4 * (x + 0.6 * z) + 0.5 * noise(body.points, 4, 2, 201)
    return Surface(_hues(phase, 0.5), 0.2, 0.9, grooves=0.6)


def starry(body: Body, look: Look) -> Surface:
    """The night sky: deep blue with a violet haze, and stars of all sizes."""
    haze = noise(body.points, 3.5, 4, 211)
    color = ramp(haze, [(0.3, "060a24"), (0.5, "121a52"), (0.62, "3a2a86"), (0.75, "8a58b8")])
    glow = np.zeros(len(color), np.float32)
    for spacing, size, seed in ((0.17, 0.021, 212), (0.09, 0.011, 213)):
        glow = np.maximum(glow, 1 - step(cells(body.points, spacing, seed).near, size, 0.01))
    color += glow[:, None] * (rgb("fffbe0") - color)
    return Surface(color, 0.5, emission=0.5 * glow[:, None] * color, grooves=0.4)


def molten(body: Body, look: Look) -> Surface:
    """Black crust with glowing cracks."""
    plate = cells(body.points, 0.15, 221, 0.14)
    heat = 1 - plate.edge / 0.05 + 0.5 * (noise(body.points, 14, 2, 222) - 0.5)
    stops = [(0, "000000"), (0.25, "6a0c00"), (0.55, "ff4a00"), (0.9, "ffb01c"), (1, "ffe680")]
    crust = 0.028 * np.clip(plate.edge / 0.04, 0, 1) + 0.012 * noise(body.points, 25, 2, 223)
    return Surface(
        ramp(noise(body.points, 20, 2, 224), [(0.2, "0e0a08"), (0.8, "2e2420")]),
        1.0,
        emission=1.5 * ramp(heat, stops),
        height=crust.astype(np.float32),
        grooves=0.2,
    )


def glowing(body: Body, look: Look) -> Surface:
    """Lit from within: near white where it faces the camera, its full color at the rims."""
    color = rgb(look.colors[0])
    pure = color / max(float(color.max()), 0.2)
    core = (0.7 * body.facing**4)[:, None]
    light = pure * (1 - core) + core * (0.4 + 0.6 * pure)
    emission = (light * (0.7 + 0.45 * body.facing[:, None])).astype(np.float32)
    return Surface(even(body, look.colors[0]) * 0.2, 0.6, emission=emission)
