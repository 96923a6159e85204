"""Camera and light of a scene, and where points land in the image. Lengths are in world units:
the ground is z = 0, the camera looks along +y and down.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import cos, radians, sin, tan
from random import Random

import numpy as np

from gen.render.appearance.colors import Array

FIELD = 27.0
"""Degrees that the image spans: a long lens, so that what stands behind is not much smaller."""
SPAN = 2 * tan(radians(FIELD / 2))
"""The image's side at a distance of 1."""
TARGET = (0.0, 0.0, 0.35)
HEIGHT = radians(35.0)
"""How high over the ground the camera stands, about: radians."""


@dataclass(frozen=True)
class View:
    """A camera and a light; both are drawn from seeds of their own, or fixed by the same seed."""

    origin: tuple[float, float, float]
    light: tuple[float, float, float]
    """Center of the key light, which is turned to the middle of the scene."""
    warmth: float
    """Share of the key light's blue that goes to its red: -0.04 to 0.04."""

    @cached_property
    def axes(self) -> Array:
        """(3, 3) rows: right, up and forward of the camera, unit vectors in world space."""
        forward = np.array(TARGET) - np.array(self.origin)
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, (0, 0, 1))
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(right, forward), forward]).astype(np.float32)

    def project(self, points: Array) -> Array:
        """(..., 2) places in the image, 0 to 1 from the upper left corner, of (..., 3) points."""
        x, y, depth = np.moveaxis((points - np.array(self.origin)) @ self.axes.T, -1, 0)
        reach = SPAN * depth
        return np.stack([0.5 + x / reach, 0.5 - y / reach], -1).astype(np.float32)

    def span(self, point: tuple[float, float, float]) -> float:
        """The world units that the image's side measures at a point."""
        away = np.subtract(point, self.origin)
        return SPAN * float(away @ self.axes[2])

    def ground(self, u: float, v: float) -> tuple[float, float]:
        """The point of the ground, (x, y), that is seen at a place in the image."""
        ray = self.axes[2] + self.axes[0] * (u - 0.5) * SPAN + self.axes[1] * (0.5 - v) * SPAN
        reach = -self.origin[2] / float(ray[2])
        return self.origin[0] + reach * float(ray[0]), self.origin[1] + reach * float(ray[1])


def view(camera_seed: int, light_seed: int) -> View:
    """The camera and the light of two seeds, varied as little as a photographer's would."""
    draw = Random(f"camera {camera_seed}")
    azimuth, height = radians(draw.uniform(-7, 7)), HEIGHT + radians(draw.uniform(-2, 2))
    distance = draw.uniform(13.2, 13.8)
    flat = distance * cos(height)
    origin = (flat * sin(azimuth), -flat * cos(azimuth), distance * sin(height))
    draw = Random(f"light {light_seed}")
    light = (draw.uniform(3.0, 4.6), draw.uniform(-5.2, -3.6), draw.uniform(6.6, 7.6))
    return View(origin, light, draw.uniform(-0.04, 0.04))
