"""The Mitsuba scene that all images are drawn from.

The compiled variant changes its data in place, since a new scene would need a new kernel; and what
has not moved keeps the tree that rays are traced through.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from gen.render.appearance.colors import Array
from gen.render.assemble import (
    GROUND,
    LAYERS,
    Layer,
    flat,
    key_light,
    layer_of,
    mesh,
    speck,
    stage,
)
from gen.render.prop import Prop
from gen.render.view import View


class World:
    """A Mitsuba scene, for one set of props after the other."""

    def __init__(self, mi: ModuleType) -> None:
        self._mi = mi
        self._compiled = "llvm" in mi.variant()
        self._layers: dict[str, Layer] = {}
        self._view: View | None = None
        self._parameters: Any = None
        self.scene: Any = None
        """What Mitsuba draws."""

    def show(self, view: View, props: Mapping[int, Prop]) -> None:
        """Light the scene for a view, and fill it with props, numbered by their items."""
        layers = {}
        for kind in LAYERS:
            items = [number for number, prop in props.items() if prop.surface.kind == kind]
            own = [props[number] for number in items] or [speck()]
            layers[kind] = layer_of(own, items or [-1], kind)
        old, seen = self._layers, self._view
        moved = [kind for kind in LAYERS if kind not in old or not layers[kind].fits(old[kind])]
        self._layers, self._view = {}, None  # unknown, should this be interrupted
        if self.scene is None or (not self._compiled and (moved or view != seen)):
            self._build(view, layers)
        else:
            if view != seen:
                aimed, radiance = key_light(self._mi, view)
                self._parameters["key.to_world"] = aimed
                self._parameters["key.emitter.radiance.value"] = radiance
            for kind in moved:
                self._parameters[f"{kind}.vertex_positions"] = flat(layers[kind].vertices)
                self._parameters[f"{kind}.faces"] = layers[kind].faces.astype(np.uint32).ravel()
            self._paint({kind: layer.data for kind, layer in layers.items()}, GROUND)
        self._layers, self._view = layers, view

    def glow(self) -> bool:
        """Make all colors what the props emit, hence most black; False if nothing shines.

        What shines is drawn as a color of its own, after the rest, and lights nothing: no light
        can bleed over, and no time goes into sampling it. (Mitsuba 3.9 can't sample a mesh whose
        radiance varies: its scalar variant crashes.)
        """
        light = {kind: layer.light for kind, layer in self._layers.items() if kind != "glass"}
        if not any(values.any() for values in light.values()):
            return False
        self._paint({kind: {"vertex_color": values} for kind, values in light.items()}, 0.0)
        return True

    def _build(self, view: View, layers: Mapping[str, Layer]) -> None:
        """A new scene. The scalar variant needs it for a mesh of another size (Mitsuba 3.9).

        Parts are made one by one: made in parallel they take an order that differs between runs,
        and the image with them.
        """
        load = partial(self._mi.load_dict, parallel=False)
        meshes = {kind: mesh(self._mi, layer, kind) for kind, layer in layers.items()}
        parts = {name: load(part) for name, part in stage(self._mi, view).items()}
        self.scene = load({"type": "scene", **meshes, **parts})
        self._parameters = self._mi.traverse(self.scene)

    def _paint(self, data: Mapping[str, Mapping[str, Array]], ground: float) -> None:
        """Change what is known of the vertices of layers, and the reflectance of the ground."""
        for kind, columns in data.items():
            for name, values in columns.items():
                self._parameters[f"{kind}.{name}"] = flat(values)
        self._parameters["ground.bsdf.reflectance.value"] = ground
        self._parameters.update()
