"""Textures: what is felt as well as seen. The surface itself is displaced."""

from __future__ import annotations

import numpy as np

from gen.render.appearance.body import Body, cells, noise, ranks, step
from gen.render.appearance.colors import paint, ramp, rgb
from gen.render.appearance.finish import even
from gen.render.appearance.surface import Fur, Look, Surface


def sandy(body: Body, look: Look) -> Surface:
    """Packed sand: every grain its own tone, loose and rough."""
    grain = cells(body.points, 0.011, 141)
    tone = np.random.default_rng(142).random(grain.count).astype(np.float32)[grain.center]
    color = ramp(tone, [(0, "7c5c30"), (0.2, "c09a5c"), (0.8, "e4c88e"), (1, "f6e6bc")])
    height = 0.012 * (tone - 0.5) + 0.03 * (noise(body.points, 9, 2, 143) - 0.5)
    return Surface(color, 1.0, height=height, grooves=0.4)


def rusty(body: Body, look: Look) -> Surface:
    """Iron eaten by rust: flaking orange and dark brown over a little bare gray."""
    depth = ranks(noise(body.points, 6, 4, 151))
    stops = [(0, "2c140a"), (0.25, "5a2610"), (0.5, "9a4416"), (0.75, "c86a26"), (0.86, "a8501c")]
    color = ramp(depth + 0.25 * (noise(body.points, 45, 2, 152) - 0.5), stops)
    bare = step(ranks(noise(body.points, 5, 3, 153)), 0.84, 0.03)
    color += bare[:, None] * (rgb("74767a") - color)
    height = 0.022 * (1 - bare) * noise(body.points, 22, 3, 154)
    return Surface(color, 0.95, height=height, grooves=0.5)


def mossy(body: Body, look: Look) -> Surface:
    """Cushions of moss, deep between and bright on top."""
    cushion = cells(body.points, 0.06, 161, 0.05)
    dome = np.maximum(1 - (cushion.near / 0.055) ** 2, 0).astype(np.float32)
    leaf = noise(body.points, 60, 2, 162)
    tone = 0.55 * dome + 0.9 * (leaf - 0.3)
    color = ramp(tone, [(0, "14240a"), (0.35, "3a5a16"), (0.7, "6c9022"), (1, "a6bc48")])
    height = 0.035 * dome + 0.02 * (leaf - 0.5)
    return Surface(color, 1.0, height=height, fur=Fur("78982c", 0.022, 9_000), grooves=0.2)


def furry(body: Body, look: Look) -> Surface:
    """A coat of soft hair."""
    color = {"gray": "8c8a88", "chestnut": "8a4a24"}[look.variant]
    return Surface(even(body, color) * 0.55, 1.0, fur=Fur(color), grooves=0.6)


def knitted(body: Body, look: Look) -> Surface:
    """Rows of V stitches in thick yarn."""
    yarn, gap = {"beige": ("e2cda6", "6e5a3c"), "burgundy": ("8c1c38", "2c040e")}[look.variant]
    u, v = body.flat()
    across = u / 0.11
    lean = np.abs(across % 1 - 0.5)
    row = (v / 0.085 - 1.1 * lean) % 1
    strand = np.sqrt(np.maximum(np.sin(np.pi * row), 0))
    bulge = (strand * np.abs(np.sin(2 * np.pi * across)) ** 0.5).astype(np.float32)
    fuzz = 0.3 * (noise(body.points, 60, 1, 171) - 0.5)
    return Surface(paint(bulge + fuzz, gap, yarn), 1.0, height=0.03 * bulge, grooves=0.4)


def quilted(body: Body, look: Look) -> Surface:
    """Padded diamonds held by stitches, like a winter coat."""
    cloth, seam = {"beige": ("dcc8a4", "8a7450"), "navy": ("24346c", "0a1230")}[look.variant]
    u, v = body.flat()
    size = 0.2
    a, b = (u + v) / size % 1, (u - v) / size % 1
    inside = np.minimum(np.minimum(a, 1 - a), np.minimum(b, 1 - b)) * 2
    puff = np.sqrt(np.clip(inside, 0, 1)).astype(np.float32)
    line = 1 - step(inside, 0.09, 0.08)
    return Surface(paint(line, cloth, seam), 0.45, height=0.05 * puff, grooves=0.2)


def scaly(body: Body, look: Look) -> Surface:
    """Overlapping scales in staggered rows, bright at the middle and dark at the rim."""
    base, rim, shine = {
        "teal": ("188a8c", "06343c", "74d8cc"),
        "olive-green": ("66702a", "242a08", "b4bc62"),
    }[look.variant]
    u, v = body.flat()
    wide, high = 0.15, 0.1
    best = np.full(len(u), -1, np.float32)
    tone = np.zeros(len(u), np.float32)
    for below in (2, 1, 0):  # the upper row hangs over the lower one
        row = np.floor(v / high) + below
        middle = (np.floor(u / wide + (row % 2) / 2) + 0.5 - (row % 2) / 2) * wide
        far = np.hypot((u - middle) / (wide * 0.56), (v - row * high - high * 0.6) / (high * 1.35))
        cover = (far < 1) & (v < (row + 0.6) * high)
        best = np.where(cover, 0.6 + 0.4 * np.clip(((row + 0.6) * high - v) / high, 0, 1.5), best)
        tone = np.where(cover, far, tone)
    color = ramp(tone, [(0, shine), (0.4, base), (0.7, base), (0.9, rim)])
    return Surface(color, 0.25, 0.3, height=0.022 * np.maximum(best, 0), grooves=0.4)
