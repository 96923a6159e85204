"""Patterns: stripes, checks, dots, cloth prints, mosaic."""

from __future__ import annotations

import numpy as np

from gen.render.appearance.body import SOFT, Body, Cells, cells, noise, ranks, step, wave
from gen.render.appearance.colors import Array, paint, ramp, rgb
from gen.render.appearance.finish import even
from gen.render.appearance.surface import Look, Surface


def _over(color: Array, weight: Array, name: str) -> Array:
    """One more coat: `name` where `weight` is 1."""
    return (color + weight[:, None] * (rgb(name) - color)).astype(np.float32)


def striped(body: Body, look: Look) -> Surface:
    """Slanting bands of even width, cut straight through the object."""
    x, y, z = body.points.T
    weight = wave(0.85 * z + 0.45 * x + 0.28 * y, 0.19)
    return Surface(paint(weight, *look.pair))


def zigzag(body: Body, look: Look) -> Surface:
    """Level chevrons."""
    u, v = body.flat()
    tooth = np.abs((u / 0.2) % 1 - 0.5) * 0.2
    return Surface(paint(wave(v + tooth * 0.9, 0.17), *look.pair))


def checkered(body: Body, look: Look) -> Surface:
    """A chessboard."""
    u, v = body.flat()
    across, rise = wave(u, 0.22), wave(v, 0.22)
    weight = across + rise - 2 * across * rise
    return Surface(paint(weight, *look.pair))


def polka_dot(body: Body, look: Look) -> Surface:
    """Round dots of the second color, evenly spread over the first."""
    near = cells(body.points, 0.135, 81).near
    return Surface(paint(1 - step(near, 0.052), *look.pair))


def plaid(body: Body, look: Look) -> Surface:
    """Tartan: broad bands crossing, dark where two meet, with a fine light line."""
    base, band, cross, line = {
        "crimson": ("d0243c", "8c1226", "400a14", "f8e4a0"),
        "navy": ("24407c", "16264e", "0a1024", "e8ecf4"),
    }[look.variant]
    u, v = body.flat()
    a, b = wave(u, 0.24), wave(v, 0.24)
    color = _over(even(body, base), a * (1 - b) + b * (1 - a), band)
    color = _over(color, a * b, cross)
    for at in (u, v):
        color = _over(color, 0.9 * (1 - step(np.abs(at % 0.24 - 0.12), 0.012, SOFT)), line)
    return Surface(color, 0.9)


def floral(body: Body, look: Look) -> Surface:
    """Five-petaled flowers with leaves on a plain ground."""
    ground, petals = {
        "cream": ("f4e8cc", ("d8345c", "e8783c", "b84898")),
        "teal": ("127078", ("ffe4ec", "ffb0c8", "fff0b8")),
    }[look.variant]
    place = cells(body.points, 0.21, 91)
    u, v = body.flat()
    turn = np.arctan2(v - _mean(place, v), u - _mean(place, u)) + place.center * 1.3
    far = place.near
    petal = 0.058 + 0.034 * np.cos(5 * turn)
    leaf = 0.115 * np.maximum(np.cos(2 * turn + 0.6), 0) ** 3
    color = _over(even(body, ground), 1 - step(far - leaf, 0), "2c7a34")
    for index, name in enumerate(petals):
        weight = (1 - step(far - petal, 0)) * (place.center % len(petals) == index)
        color = _over(color, weight, name)
    return Surface(_over(color, 1 - step(far, 0.024), "f8c020"), 0.8)


def _mean(place: Cells, values: Array) -> Array:
    """(V,) for each point the mean of its cell."""
    sizes = np.bincount(place.center, minlength=place.count)
    means = np.bincount(place.center, values, place.count) / np.maximum(sizes, 1)
    return means[place.center].astype(np.float32)


def camouflage(body: Body, look: Look) -> Surface:
    """Blots of four army colors in fixed shares."""
    color = even(body, "5c6a3a")
    for seed, share, name in ((101, 0.3, "2a3a1e"), (102, 0.26, "9a8a5c"), (103, 0.16, "16180f")):
        blot = ranks(noise(body.points, 4.2, 2, seed))
        color = _over(color, step(blot, 1 - share, 0.05), name)
    return Surface(color, 0.9)


def leopard(body: Body, look: Look) -> Surface:
    """Broken dark rings with a brown heart on ochre."""
    spot = cells(body.points, 0.105, 111, 0.05)
    wobble = (noise(body.points, 18, 2, 112) - 0.5) * 0.03
    far = spot.near + wobble
    gap = step(noise(body.points, 15, 1, 113), 0.32, 0.1)
    ring = step(far, 0.024) * (1 - step(far, 0.045)) * gap
    color = _over(even(body, "e2b066"), 1 - step(far, 0.028), "a8662a")
    return Surface(_over(color, ring, "1a0e06"), 0.7)


def tie_dye(body: Body, look: Look) -> Surface:
    """A spiral of bright dyes that run into each other."""
    x, _, z = body.points.T
    up = z - z.mean()
    blur = noise(body.points, 7, 3, 121)
    spin = np.arctan2(up, x) / (2 * np.pi) * 2 + np.hypot(x, up) * 2.4 + 0.35 * blur
    stops = ["e81e4c", "f8981c", "f8ec2c", "22b44e", "1c6ee8", "8a2cc8", "e81e4c"]
    color = ramp(spin % 1, [(k / 6, name) for k, name in enumerate(stops)])
    pale = 0.85 * step(noise(body.points, 9, 3, 122), 0.63, 0.1)
    return Surface(_over(color, pale, "f6f2ee"), 0.9)


def rainbow(body: Body, look: Look) -> Surface:
    """Six clean bands in the order of the rainbow, along the longer axis."""
    bands = ["e01824", "f8860c", "f8e010", "1ea040", "1858d8", "7c28b4"]
    place = body.along() * 6
    color = even(body, bands[0])
    for index, name in enumerate(bands[1:], start=1):
        color = _over(color, step(place, index, 0.12), name)
    return Surface(color)


def mosaic(body: Body, look: Look) -> Surface:
    """Small tiles of many colors, set in pale grout."""
    tile = cells(body.points, 0.072, 131)
    names = ["c8202c", "f09018", "f2d02c", "2c9a4c", "1c64c0", "7a34a0", "18a0a8", "f0ece0"]
    chosen = np.random.default_rng(132).permutation(tile.count) % len(names)  # as many of each
    color = np.stack([rgb(name) for name in names])[chosen][tile.center]
    solid = step(tile.edge, 0.014, 0.01)
    color = _over(color, 1 - solid, "d8d4ca")
    return Surface(color, 0.2, height=0.008 * solid, grooves=0.3)
