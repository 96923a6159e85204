"""The triangles of a scene: shapes displaced by their attributes, with fur, in their places."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gen.render.appearance import Body, Surface, surface
from gen.render.appearance.body import noise
from gen.render.appearance.colors import Array, rgb
from gen.render.appearance.surface import Fur
from gen.render.layout import Place, posed
from gen.render.scene import Item
from gen.render.shape import Shape


@dataclass(frozen=True)
class Prop:
    """An object of the scene with its attribute on: triangles in world space."""

    vertices: Array
    faces: NDArray[np.int32]
    normals: Array
    surface: Surface


def normals(vertices: Array, faces: NDArray[np.int32]) -> Array:
    """(V, 3) unit normals, faces weighted by area."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    corner = faces.ravel(order="F")
    total = np.stack([np.bincount(corner, np.tile(face[:, k], 3), len(vertices)) for k in range(3)])
    unit: Array = total / (np.linalg.norm(total, axis=0) + 1e-12)
    return unit.T.astype(np.float32)


def prop(item: Item, shape: Shape, place: Place) -> Prop:
    """The prop of an item.

    Raises:
        ValueError: for an attribute or a look that can't be drawn.
    """
    across = normals(shape.vertices, shape.faces)
    found = surface(item.attribute, item.look, Body(shape.vertices, across))
    dark = (1 - found.grooves * shape.shade)[:, None].astype(np.float32)
    light = None if found.emission is None else found.emission * dark
    found = replace(found, color=np.clip(found.color * dark, 0, 1), emission=light)
    vertices, faces = shape.vertices, shape.faces
    if found.height is not None:
        vertices = vertices + across * (found.height - found.height.mean())[:, None]
        vertices[:, 2] -= vertices[:, 2].min()
        across = normals(vertices, faces)
    if found.fur is not None:
        vertices, faces, across, color = _furred(vertices, faces, across, found.color, found.fur)
        found = replace(found, color=color)
    unit = Place(0, 0, place.yaw, 1)
    return Prop(posed(vertices, place), faces, posed(across, unit), found)


def _furred(
    vertices: Array, faces: NDArray[np.int32], across: Array, color: Array, fur: Fur
) -> tuple[Array, NDArray[np.int32], Array, Array]:
    """A skin with hairs: ribbons of three triangles that bend down, dark at the root."""
    draw = np.random.default_rng(7)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    which = np.searchsorted(np.cumsum(area) / area.sum(), np.sort(draw.random(fur.count)))
    which = np.minimum(which, len(faces) - 1)
    one, two = np.sqrt(draw.random(fur.count)), draw.random(fur.count)
    weights = np.stack([1 - one, one * (1 - two), one * two], 1)[..., None]
    root = (vertices[faces[which]] * weights).sum(1)
    out = (across[faces[which]] * weights).sum(1)
    lean = draw.normal(0, 0.33, (fur.count, 3)) + np.array([0, 0, -0.35])
    length = fur.length * draw.uniform(0.7, 1.2, (fur.count, 1))
    middle, tip = root + 0.5 * length * out, root + length * (0.8 * out + 0.75 * lean)
    middle += 0.2 * length * lean
    wide = np.cross(out, draw.normal(0, 1, (fur.count, 3)))
    wide *= 0.004 / (np.linalg.norm(wide, axis=1, keepdims=True) + 1e-9)
    root = root - 0.15 * length * out
    hairs = np.stack([root - wide, root + wide, middle - 0.8 * wide, middle + 0.8 * wide, tip], 1)
    hairs[..., 2] = np.maximum(hairs[..., 2], 0.001)
    start = len(vertices) + 5 * np.arange(fur.count)[:, None, None]
    ribbon = start + np.array([[0, 1, 3], [0, 3, 2], [2, 3, 4]])
    clump = 0.4 + 1.2 * noise(root.astype(np.float32), 14, 2, 8)
    tone = rgb(fur.color) * clump[:, None] * draw.uniform(0.7, 1.3, (fur.count, 1))
    shades = np.array([0.35, 0.35, 0.8, 0.8, 1.15])[:, None]
    return (
        np.concatenate([vertices, hairs.reshape(-1, 3)]).astype(np.float32),
        np.concatenate([faces, ribbon.reshape(-1, 3)]).astype(np.int32),
        np.concatenate([across, np.repeat(out, 5, axis=0)]).astype(np.float32),
        np.clip(np.concatenate([color, (tone[:, None] * shades).reshape(-1, 3)]), 0, 1).astype(
            np.float32
        ),
    )
