"""A scene in Mitsuba's terms: props in layers of one material each, ground, lights and camera.

All objects of a layer are one mesh, and every layer is always there: scenes then differ in data
alone, so that one compiled kernel serves them all. From one image of a question to the next, meshes
are kept where only surfaces differ, and with them the tree that rays are traced through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gen.render.appearance import Surface
from gen.render.appearance.colors import Array
from gen.render.prop import Prop
from gen.render.view import FIELD, TARGET, View

GROUND = 0.42
"""Reflectance of the ground: neutral gray."""
KEY = 25.0
"""Radiance of the key light."""
LAYERS = ("opaque", "glass", "frost", "film")
FIRST = 2
"""Texture coordinate of the first item; what has none is below."""

Dict = dict[str, Any]


def _attribute(name: str) -> Dict:
    return {"type": "mesh_attribute", "name": f"vertex_{name}"}


def _material(layer: str) -> Dict:
    """The scattering model of a layer."""
    if layer == "glass":
        return {
            "type": "dielectric",
            "int_ior": 1.45,
            "specular_transmittance": _attribute("color"),
        }
    principled: Dict = {
        "type": "principled",
        "base_color": _attribute("color"),
        "roughness": _attribute("roughness"),
    }
    if layer == "frost":
        return principled | {"spec_trans": _attribute("passing"), "eta": 1.31}
    principled |= {"metallic": _attribute("metallic"), "specular": 0.5}
    two_sided = {"type": "twosided", "bsdf": principled}
    if layer == "film":
        return {"type": "mask", "opacity": _attribute("passing"), "bsdf": two_sided}
    return two_sided


def _speck() -> Prop:
    """A triangle below the ground: what a layer without objects is made of."""
    corners = np.array([[0, 0, -1], [0.01, 0, -1], [0, 0.01, -1]], np.float32)
    gray = np.full((3, 3), 0.5, np.float32)
    upward = np.array([[0, 0, 1]] * 3, np.float32)
    return Prop(corners, np.array([[0, 1, 2]], np.int32), upward, Surface(gray))


def _values(prop: Prop, layer: str) -> dict[str, Array]:
    """What a layer's material and light look up for each vertex."""
    surface, count = prop.surface, len(prop.vertices)
    passing = np.ones(count, np.float32) if surface.opacity is None else surface.opacity
    # What passes through glass does so twice, in and out.
    values = {"color": np.sqrt(surface.color) if layer == "glass" else surface.color}
    if layer in ("frost", "film"):
        values["passing"] = 1 - passing if layer == "frost" else passing
    if layer != "glass":
        values["roughness"] = np.full(count, surface.roughness, np.float32)
    if layer not in ("glass", "frost"):
        values["metallic"] = np.full(count, surface.metallic, np.float32)
    return values


@dataclass(frozen=True)
class Layer:
    """All props of one material, as the data of one mesh."""

    vertices: Array
    """(V, 3)."""
    faces: NDArray[np.int32]
    """(F, 3)."""
    data: dict[str, Array]
    """What is known of each vertex, by Mitsuba's names: (V, C). Changing it moves nothing."""
    light: Array
    """(V, 3) what it emits."""

    def fits(self, other: Layer) -> bool:
        """Whether the other has the same triangles."""
        return np.array_equal(self.faces, other.faces) and np.array_equal(
            self.vertices, other.vertices
        )


def _layer(props: Sequence[Prop], items: Sequence[int], kind: str) -> Layer:
    """The layer of some props; its texture coordinates tell the items apart."""
    counts = [len(prop.vertices) for prop in props]
    starts = np.cumsum([0, *counts[:-1]])
    values = [_values(prop, kind) for prop in props]
    data = {
        f"vertex_{name}": np.concatenate([np.atleast_2d(value[name].T).T for value in values])
        for name in values[0]
    }
    labels = np.repeat(np.array(items, np.float32) + FIRST, counts)
    data["vertex_normals"] = np.concatenate([prop.normals for prop in props])
    data["vertex_texcoords"] = np.repeat(labels[:, None], 2, axis=1)
    return Layer(
        np.concatenate([prop.vertices for prop in props]),
        np.concatenate([prop.faces + start for prop, start in zip(props, starts, strict=True)]),
        data,
        np.concatenate([_light(prop) for prop in props]),
    )


def _light(prop: Prop) -> Array:
    """(V, 3) what a prop emits."""
    emission = prop.surface.emission
    return np.zeros_like(prop.vertices) if emission is None else emission


def _flat(values: Array) -> Array:
    """Values as Mitsuba takes them."""
    return values.astype(np.float32, copy=False).ravel()


def _mesh(mi: ModuleType, layer: Layer, kind: str) -> Any:
    """The Mitsuba mesh of a layer."""
    properties = mi.Properties()
    properties["bsdf"] = mi.load_dict(_material(kind), parallel=False)
    made = mi.Mesh(
        kind,
        len(layer.vertices),
        len(layer.faces),
        has_vertex_normals=True,
        has_vertex_texcoords=True,
        props=properties,
    )
    own = ("vertex_normals", "vertex_texcoords")
    for name, values in layer.data.items():
        if name not in own:
            made.add_attribute(name, values.shape[1], _flat(values))
    parameters = mi.traverse(made)
    parameters["vertex_positions"] = _flat(layer.vertices)
    parameters["faces"] = layer.faces.astype(np.uint32).ravel()
    for name in own:
        parameters[name] = _flat(layer.data[name])
    parameters.update()
    return made


def _studio() -> Array:
    """(H, W, 3) radiance of the surroundings: brighter above, with soft boxes for metal and glass
    to mirror, which are what tells those from paint.
    """
    rows, columns = 32, 64
    height = np.linspace(90, -90, rows)[:, None]
    around = np.linspace(-180, 180, columns, endpoint=False)[None, :]
    sky = np.broadcast_to(0.1 + 0.2 * np.clip(height / 90, 0, 1), (rows, columns)).copy()
    for middle in (-115, -20, 115):
        sky += 1.5 * ((np.abs(around - middle) < 16) & (height > 14) & (height < 60))
    return np.repeat(sky[..., None], 3, axis=2).astype(np.float32)


def _stage(mi: ModuleType, view: View) -> Dict:
    """Ground and lights."""
    transform = mi.ScalarTransform4f()
    key = [KEY * (1 + view.warmth), KEY, KEY * (1 - view.warmth)]
    return {
        "ground": {
            "type": "rectangle",
            "to_world": transform.scale(60),
            "bsdf": {"type": "diffuse", "reflectance": GROUND},
        },
        "key": {
            "type": "rectangle",
            "to_world": transform.look_at(view.light, (0, 0, 0.5), (0, 0, 1)).scale(1.1),
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": key}},
        },
        "studio": {
            "type": "envmap",
            "bitmap": mi.Bitmap(_studio()),
            "to_world": transform.rotate((1, 0, 0), 90),
        },
    }


class World:
    """The Mitsuba scene of a view, for one set of props after the other."""

    def __init__(self, mi: ModuleType, view: View) -> None:
        self._mi, self._view = mi, view
        self._layers: dict[str, Layer] = {}
        self._meshes: dict[str, Any] = {}
        self._parameters: Any = None
        self.scene: Any = None
        """What Mitsuba draws."""

    def show(self, props: Mapping[int, Prop]) -> None:
        """Fill the scene with props, numbered by their items, and with nothing else."""
        moved = []
        for kind in LAYERS:
            items = [number for number, prop in props.items() if prop.surface.kind == kind]
            own = [props[number] for number in items] or [_speck()]
            layer, old = _layer(own, items or [-1], kind), self._layers.get(kind)
            if old is None or not layer.fits(old):
                self._meshes[kind] = _mesh(self._mi, layer, kind)
                moved.append(kind)
            self._layers[kind] = layer
        if moved:
            self._build()
        kept = {kind: self._layers[kind].data for kind in LAYERS if kind not in moved}
        self._paint(kept, GROUND)

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

    def _build(self) -> None:
        """The scene of the meshes.

        Parts are made one by one: made in parallel they take an order that differs between runs,
        and the image with them.
        """
        load = partial(self._mi.load_dict, parallel=False)
        stage = {name: load(part) for name, part in _stage(self._mi, self._view).items()}
        meshes = {kind: self._meshes[kind] for kind in LAYERS}
        self.scene = load({"type": "scene", **meshes, **stage})
        self._parameters = self._mi.traverse(self.scene)

    def _paint(self, data: Mapping[str, Mapping[str, Array]], ground: float) -> None:
        """Change what is known of the vertices of layers, and the reflectance of the ground."""
        for kind, columns in data.items():
            for name, values in columns.items():
                self._parameters[f"{kind}.{name}"] = _flat(values)
        self._parameters["ground.bsdf.reflectance.value"] = ground
        self._parameters.update()


def sensor(mi: ModuleType, view: View, size: int, sampler: Dict) -> Any:
    """The camera. A box filter, so that pixels are drawn apart and give the same bytes."""
    return mi.load_dict(
        {
            "type": "perspective",
            "fov": FIELD,
            "to_world": mi.ScalarTransform4f().look_at(view.origin, TARGET, (0, 0, 1)),
            "film": {
                "type": "hdrfilm",
                "width": size,
                "height": size,
                "rfilter": {"type": "box"},
                "component_format": "float32",
            },
            "sampler": sampler,
        },
        parallel=False,
    )
