"""What a scene consists of, in Mitsuba's terms: layers of one material each, lights and camera.

All objects of a layer are one mesh, and every layer is always there: scenes then differ in data
alone, so that one compiled kernel serves them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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


def speck() -> Prop:
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


def layer_of(props: Sequence[Prop], items: Sequence[int], kind: str) -> Layer:
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


def flat(values: Array) -> Array:
    """Values as Mitsuba takes them."""
    return values.astype(np.float32, copy=False).ravel()


def mesh(mi: ModuleType, layer: Layer, kind: str) -> Any:
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
            made.add_attribute(name, values.shape[1], flat(values))
    parameters = mi.traverse(made)
    parameters["vertex_positions"] = flat(layer.vertices)
    parameters["faces"] = layer.faces.astype(np.uint32).ravel()
    for name in own:
        parameters[name] = flat(layer.data[name])
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


def key_light(mi: ModuleType, view: View) -> tuple[Any, list[float]]:
    """Transform and radiance of the key light."""
    aimed = mi.ScalarTransform4f().look_at(view.light, (0, 0, 0.5), (0, 0, 1)).scale(1.1)
    return aimed, [KEY * (1 + view.warmth), KEY, KEY * (1 - view.warmth)]


def stage(mi: ModuleType, view: View) -> Dict:
    """Ground and lights."""
    transform = mi.ScalarTransform4f()
    aimed, radiance = key_light(mi, view)
    return {
        "ground": {
            "type": "rectangle",
            "to_world": transform.scale(60),
            "bsdf": {"type": "diffuse", "reflectance": GROUND},
        },
        "key": {
            "type": "rectangle",
            "to_world": aimed,
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": radiance}},
        },
        "studio": {
            "type": "envmap",
            "bitmap": mi.Bitmap(_studio()),
            "to_world": transform.rotate((1, 0, 0), 90),
        },
    }


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
