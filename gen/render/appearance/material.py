"""Materials: wood, leather, cardboard, wicker, denim, stone, brick, marble, glass."""

from __future__ import annotations

import numpy as np

from gen.render.appearance.body import Body, cells, noise, step, wave
from gen.render.appearance.colors import paint, ramp, rgb
from gen.render.appearance.finish import even
from gen.render.appearance.surface import Look, Surface


def wooden(body: Body, look: Look) -> Surface:
    """Boards with grain along the longer axis."""
    light, dark = {
        "light-brown": ("dcae72", "a87238"),
        "dark-brown": ("6e4426", "38200f"),
    }[look.variant]
    stretch = np.full(3, 1.0)
    stretch[body.long_axis] = 0.12
    rings = noise(body.points * stretch, 5, 2, 11) * 9 % 1
    fiber = noise(body.points * np.where(stretch < 1, 3.0, 60.0), 1, 1, 12) - 0.5
    grain = np.abs(rings * 2 - 1) ** 2 + 0.5 * fiber
    return Surface(paint(grain, light, dark), 0.5)


def leather(body: Body, look: Look) -> Surface:
    """Pebbled hide with a soft shine, sewn with a pale saddle stitch."""
    base, crease = {"tan": ("b4763c", "5e3416"), "dark-brown": ("4a2816", "1c0d06")}[look.variant]
    pebble = cells(body.points, 0.048, 21, 0.03)
    worn = 0.35 * noise(body.points, 4, 3, 22)
    crack = 1 - step(pebble.edge, 0.011, 0.014)
    height = 0.009 * step(pebble.edge, 0.01, 0.025)
    color = paint(crack * 0.5 + worn, base, crease)
    u, v = body.flat()
    seam = np.abs((v + 0.1) % 0.4 - 0.2)
    stitch = (1 - step(seam, 0.012, 0.008)) * (wave(u, 0.07) > 0.4)
    color += stitch[:, None] * (rgb("f0e2c4") - color)
    height -= 0.02 * (1 - step(seam, 0.012, 0.02))
    return Surface(color, 0.3, height=height)


def cardboard(body: Body, look: Look) -> Surface:
    """Plain kraft board: flat brown, the flutes showing, two strips of tape."""
    u, _ = body.flat()
    flute = 0.5 + 0.5 * np.sin(u * 2 * np.pi / 0.035)
    speck = noise(body.points, 70, 1, 31)
    color = paint(0.45 * flute + 0.5 * speck, "cba274", "94693c")
    middle = (u.max() + u.min()) / 2
    tape = 1 - step(np.abs(u - middle), 0.055)
    color += tape[:, None] * (rgb("e6d3a8") - color) * 0.9
    return Surface(color, 0.95, height=0.004 * flute)


def wicker(body: Body, look: Look) -> Surface:
    """Canes woven over and under uprights."""
    base, gap = {
        "straw-colored": ("e0bd72", "5a3c14"),
        "dark-brown": ("7a4a26", "1a0c04"),
    }[look.variant]
    u, v = body.flat()
    across, rise = u / 0.085, v / 0.05
    row = np.floor(rise)
    cane = np.sqrt(np.maximum(1 - (2 * (rise - row) - 1) ** 2, 0))
    over = np.abs(np.sin(np.pi * (across / 2 + 0.5 * (row % 2))))
    bulge = cane * (0.25 + 0.75 * over)
    return Surface(paint(bulge * 1.25, gap, base), 0.7, height=0.022 * bulge, grooves=0.4)


def denim(body: Body, look: Look) -> Surface:
    """Twill: fine slanting threads, faded in places, with double seams in orange thread."""
    base, pale, dark = {
        "light-blue": ("7aa0c8", "d0e2f4", "2e5c94"),
        "dark-blue": ("26406e", "5a7aa8", "12203e"),
    }[look.variant]
    u, v = body.flat()
    twill = 0.5 + 0.5 * np.sin((u + v) * 2 * np.pi / 0.045)
    faded = noise(body.points, 3, 3, 41)
    color = paint(0.75 * twill + 1.1 * (faded - 0.42), dark, pale)
    color = (0.85 * color + 0.15 * rgb(base)).astype(np.float32)
    seam = np.abs((v + 0.06) % 0.33 - 0.16)
    stitch = (1 - step(np.abs(seam - 0.024), 0.012, 0.006)) * (wave(u, 0.06) > 0.4)
    color += stitch[:, None] * (rgb("e08a2c") - color)
    height = 0.004 * twill - 0.008 * (1 - step(seam, 0.004, 0.008))
    return Surface(color, 0.95, height=height)


def stone(body: Body, look: Look) -> Surface:
    """Rough-hewn rock: speckled, with chipped faces."""
    light, dark = {"light-gray": ("b2b0aa", "6c6a66"), "charcoal": ("58585a", "1e1e20")}[
        look.variant
    ]
    coarse = noise(body.points, 6, 3, 51)
    speck = noise(body.points, 50, 2, 52)
    chip = cells(body.points, 0.16, 53, 0.12)
    height = (
        0.035 * (coarse - 0.5) + 0.014 * (speck - 0.5) - 0.02 * (1 - step(chip.edge, 0.02, 0.04))
    )
    shade = (speck - 0.5) * 2.2 + (0.5 - coarse) + 0.45
    return Surface(paint(shade, light, dark), 1.0, height=height, grooves=0.5)


def brick(body: Body, look: Look) -> Surface:
    """Courses of bricks with pale mortar."""
    base, dark, mortar = {
        "terracotta": ("b0502e", "7a2e18", "cfc6b8"),
        "gray": ("8a8a8c", "5c5c60", "d8d6d0"),
    }[look.variant]
    u, v = body.flat()
    high, wide, joint = 0.085, 0.19, 0.011
    row = np.floor(v / high)
    along = u + (row % 2) * wide / 2
    column = np.floor(along / wide)
    inside = np.minimum(
        np.minimum(along - column * wide, (column + 1) * wide - along),
        np.minimum(v - row * high, (row + 1) * high - v),
    )
    solid = step(inside, joint, 0.008)
    tone = np.sin(row * 12.9 + column * 78.2) * 43758.5 % 1
    color = paint(0.7 * tone + 0.5 * noise(body.points, 30, 2, 61) - 0.2, base, dark)
    color += (1 - solid)[:, None] * (rgb(mortar) - color)
    height = 0.014 * solid + 0.006 * noise(body.points, 40, 1, 62)
    return Surface(color, 1.0, height=height, grooves=0.3)


def marble(body: Body, look: Look) -> Surface:
    """Polished marble with veins."""
    stops = {
        "cream": [(0, "6a5a48"), (0.016, "b49c7c"), (0.05, "e6d8bc"), (0.25, "f2e8d2")],
        "dark-green": [(0, "d8e6d6"), (0.014, "7ca088"), (0.045, "1c4a34"), (0.25, "0c2c1e")],
    }[look.variant]
    bend = np.stack([noise(body.points, 3, 3, 70 + k) for k in range(3)], 1)
    vein = np.abs(noise(body.points + 0.35 * bend, 3.2, 4, 73) - 0.5)
    return Surface(ramp(vein, stops), 0.12, grooves=0.5)


def glass(body: Body, look: Look) -> Surface:
    """Clear glass tinted in a palette color; white is milky and black is smoked."""
    color = look.colors[0]
    if color == "white":
        frost = np.full(len(body.points), 0.55, np.float32)
        return Surface(even(body, "fafafa"), 0.12, kind="frost", opacity=frost, grooves=0.25)
    tint = {"black": "4a4a4e", "pink": "ff8cc0", "yellow": "ffdc3c", "red": "e82830"}.get(color)
    return Surface(even(body, tint or color), kind="glass", grooves=0)
