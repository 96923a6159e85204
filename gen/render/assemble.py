"""A scene in Mitsuba's terms: props in layers of one material each, ground, lights and camera.

All objects of a layer are one mesh, and every layer is always there: scenes then differ in data
alone, so that one compiled kernel serves them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

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


def _mesh(mi: ModuleType, props: Sequence[Prop], items: Sequence[int], layer: str) -> Any:
    """One Mitsuba mesh of all props of a layer; its texture coordinates tell the items apart."""
    properties = mi.Properties()
    properties["bsdf"] = mi.load_dict(_material(layer), parallel=False)
    starts = np.cumsum([0, *(len(prop.vertices) for prop in props)])
    faces = [prop.faces + start for prop, start in zip(props, starts, strict=False)]
    made = mi.Mesh(
        layer,
        int(starts[-1]),
        sum(map(len, faces)),
        has_vertex_normals=True,
        has_vertex_texcoords=True,
        props=properties,
    )
    values = [_values(prop, layer) for prop in props]
    for name in values[0]:
        column = np.concatenate([np.atleast_2d(value[name].T).T for value in values])
        made.add_attribute(f"vertex_{name}", column.shape[1], column.astype(np.float32).ravel())
    parameters = mi.traverse(made)
    parameters["vertex_positions"] = np.concatenate([prop.vertices for prop in props]).ravel()
    parameters["vertex_normals"] = np.concatenate([prop.normals for prop in props]).ravel()
    labels = np.repeat(np.array(items, np.float32) + FIRST, np.diff(starts))
    parameters["vertex_texcoords"] = np.repeat(labels, 2)
    parameters["faces"] = np.concatenate(faces).astype(np.uint32).ravel()
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


def assemble(mi: ModuleType, props: Sequence[Prop], view: View) -> Any:
    """The Mitsuba scene of some props.

    Parts are made one by one: made in parallel they take an order that differs between runs,
    and the image with them.
    """
    parts: Dict = {}
    for layer in LAYERS:
        members = [n for n, prop in enumerate(props) if prop.surface.kind == layer]
        own = [props[number] for number in members]
        parts[layer] = _mesh(mi, own or [_speck()], members or [-1], layer)
    stage = _stage(mi, view).items()
    parts |= {name: mi.load_dict(part, parallel=False) for name, part in stage}
    return mi.load_dict({"type": "scene", **parts}, parallel=False)


def lit(mi: ModuleType, scene: Any, props: Sequence[Prop]) -> bool:
    """Make a scene's colors what its objects emit, and all else black; False if nothing shines.

    What shines is drawn as a color of its own, after the rest, and lights nothing: no light can
    bleed over, and no time goes into sampling it. (Mitsuba 3.9 can't sample a mesh whose radiance
    varies: its scalar variant crashes.)
    """
    if all(prop.surface.emission is None for prop in props):
        return False
    parameters = mi.traverse(scene)
    for layer in LAYERS[:1] + LAYERS[2:]:
        own = [prop for prop in props if prop.surface.kind == layer] or [_speck()]
        light = [
            np.zeros_like(prop.surface.color)
            if prop.surface.emission is None
            else prop.surface.emission
            for prop in own
        ]
        parameters[f"{layer}.vertex_color"] = np.concatenate(light).astype(np.float32).ravel()
    parameters["ground.bsdf.reflectance.value"] = 0.0
    parameters.update()
    return True


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
