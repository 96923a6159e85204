"""A scene drawn: image, instance mask and boxes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil, isqrt
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gen.render.appearance.colors import Array, to_srgb
from gen.render.assemble import FIRST, sensor
from gen.render.backend import Variant, load
from gen.render.prop import Prop, prop
from gen.render.scene import Scene, Shapes
from gen.render.shape import shape
from gen.render.world import World

DEPTH, ROULETTE = 8, 3
"""Bounces of a light path, and from which on it may end early."""
BRIGHTEST = 8.0
"""Radiance at which single bright samples are cut, before noise is removed."""

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Drawn:
    """An image with its exact ground truth."""

    image: Bytes
    """(H, W, 3) sRGB."""
    mask: Bytes
    """(H, W): 0 for the ground, else 1 + the item's place in the scene. What a ray through the
    pixel's center meets."""
    boxes: list[tuple[int, int, int, int]]
    """For each item left, top, width and height of its pixels; all 0 where it has none."""
    areas: list[int]
    """For each item its pixels."""
    swatches: list[tuple[str, ...]]
    """For each item the colors that it must show, as palette words or sRGB in hexadecimal."""


def draw(scene: Scene, variant: Variant | None = None, shapes: Shapes = shape) -> Drawn:
    """Draw a scene.

    The scalar variant gives the same bytes in every process on a machine; llvm gives the same
    mask, and an image that differs by single steps of a channel.

    Raises:
        ValueError: for an object, attribute or look that can't be drawn, or a missing library.
    """
    return next(draw_all([scene], variant, shapes))


def draw_all(
    scenes: Iterable[Scene], variant: Variant | None = None, shapes: Shapes = shape
) -> Iterator[Drawn]:
    """Draw scenes as `draw` does, for less where those that follow each other have much in common.

    A prop is made once, and scenes with the same props but for their surfaces share their
    geometry: so it is with the images of a question, laid out alike.
    """
    mi = load(variant)
    make = cache(lambda item, place: prop(item, shapes(item.object), place))
    for scene in scenes:
        props = [make(*pair) for pair in zip(scene.items, scene.places, strict=True)]
        yield _drawn(mi, _world(mi.variant()), scene, props)


@cache
def _world(variant: str) -> World:
    """The one scene of a process: another would be compiled anew (0.7 CPU seconds)."""
    import mitsuba

    return World(mitsuba)


def _drawn(mi: ModuleType, world: World, scene: Scene, props: Sequence[Prop]) -> Drawn:
    """Draw a scene, given its props."""
    # In an order that images share, whatever order they name their objects in.
    order = sorted(range(len(props)), key=scene.places.__getitem__)
    world.show(scene.view, {number: props[number] for number in order})
    mask, image = _mask(mi, world, scene), _image(mi, world, scene)
    if scene.flip:
        image, mask = image[:, ::-1].copy(), mask[:, ::-1].copy()
    found = [mask == number + 1 for number in range(len(props))]
    return Drawn(
        image,
        mask,
        boxes=[box(one) for one in found],
        areas=[int(one.sum()) for one in found],
        swatches=[tuple(prop.surface.swatches) for prop in props],
    )


def strata(samples: int) -> int:
    """The least number from `samples` on that a pixel can be divided by evenly, in a grid.

    >>> [strata(samples) for samples in (1, 4, 5, 8, 12, 16)]
    [1, 4, 6, 8, 12, 16]
    """
    rows = isqrt(samples)
    return rows * ceil(samples / rows)


def _image(mi: ModuleType, world: World, scene: Scene) -> Bytes:
    """(H, W, 3): paths traced, noise removed with the help of colors and normals.

    Light and help are drawn apart: Mitsuba traces every path twice when one integrator has to
    give both. The same seed sends both through the same points of a pixel. Samples are spread
    over the pixel and over the directions evenly: half of them are as good as independent ones.
    """
    sampler = {"type": "multijitter", "sample_count": strata(scene.samples)}

    def render(integrator: dict[str, Any]) -> Array:
        camera = sensor(mi, scene.view, scene.size, sampler)
        how = mi.load_dict(integrator, parallel=False)
        seed = scene.noise_seed
        return np.array(mi.render(world.scene, sensor=camera, integrator=how, seed=seed))

    light = render({"type": "path", "max_depth": DEPTH, "rr_depth": ROULETTE})
    help_ = render({"type": "aov", "aovs": "color:albedo,normal:sh_normal"})
    shine = render({"type": "aov", "aovs": "color:albedo"})[..., -3:] if world.glow() else 0
    return to_bytes(denoised(light[..., :3] + shine, help_[..., -6:-3], help_[..., -3:]))


def denoised(light: Array, color: Array, normal: Array) -> Array:
    """(H, W, 3) linear light without noise, of linear light, colors and normals of that shape."""
    from pyoidn import denoise

    light = np.ascontiguousarray(np.minimum(light, BRIGHTEST))
    color = np.ascontiguousarray(np.clip(color, 0, 1))
    normal = np.ascontiguousarray(normal)
    return np.asarray(denoise(light, albedo=color, normal=normal, hdr=True), np.float32)


def to_bytes(light: Array) -> Bytes:
    """(H, W, 3) sRGB bytes of linear light."""
    return (to_srgb(light) * 255 + 0.5).astype(np.uint8)


def _mask(mi: ModuleType, world: World, scene: Scene) -> Bytes:
    """(H, W): which item is seen at each pixel's center."""
    integrator = mi.load_dict({"type": "aov", "aovs": "label:uv"}, parallel=False)
    sampler = {"type": "stratified", "sample_count": 1, "jitter": False}
    camera = sensor(mi, scene.view, scene.size, sampler)
    labels = np.array(mi.render(world.scene, sensor=camera, integrator=integrator))[..., -1]
    mask: Bytes = np.maximum(np.rint(labels) - FIRST + 1, 0).astype(np.uint8)
    return mask


def box(found: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """Left, top, width and height of what is true; all 0 where nothing is."""
    rows, columns = np.flatnonzero(found.any(1)), np.flatnonzero(found.any(0))
    if not len(rows):
        return (0, 0, 0, 0)
    left, top = int(columns[0]), int(rows[0])
    return left, top, int(columns[-1]) - left + 1, int(rows[-1]) - top + 1
