"""A scene in Mitsuba's terms: meshes with their materials, ground, lights and camera."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from gen.render.prop import Prop
from gen.render.view import FIELD, TARGET, View

GROUND = 0.42
"""Reflectance of the ground: neutral gray."""
SKY, KEY, FILL = 0.34, 26.0, 2.6
"""Radiance of the surroundings, of the key light and of the fill light."""

Dict = dict[str, Any]


def _attribute(name: str) -> Dict:
    return {"type": "mesh_attribute", "name": f"vertex_{name}"}


def _material(mesh: Prop) -> Dict:
    """The scattering model for a surface."""
    surface = mesh.surface
    if surface.kind == "glass":
        return {
            "type": "dielectric",
            "int_ior": 1.45,
            "specular_transmittance": _attribute("color"),
        }
    principled: Dict = {
        "type": "principled",
        "base_color": _attribute("color"),
        "roughness": surface.roughness,
    }
    if surface.kind == "frost":
        return principled | {"spec_trans": _attribute("passing"), "eta": 1.31}
    principled |= {"metallic": surface.metallic, "specular": 0.5}
    two_sided = {"type": "twosided", "bsdf": principled}
    if surface.kind == "film":
        return {"type": "mask", "opacity": _attribute("opacity"), "bsdf": two_sided}
    return two_sided


def _mesh(mi: ModuleType, mesh: Prop, name: str) -> Any:
    """A Mitsuba mesh."""
    surface = mesh.surface
    props = mi.Properties()
    props["bsdf"] = mi.load_dict(_material(mesh), parallel=False)
    if surface.emission is not None:
        light = {"type": "area", "radiance": _attribute("light")}
        props["emitter"] = mi.load_dict(light, parallel=False)
    made = mi.Mesh(
        name, len(mesh.vertices), len(mesh.faces), has_vertex_normals=True, props=props
    )
    # What passes through glass does so twice, in and out.
    color = np.sqrt(surface.color) if surface.kind == "glass" else surface.color
    made.add_attribute("vertex_color", 3, color.ravel())
    if surface.emission is not None:
        made.add_attribute("vertex_light", 3, surface.emission.astype(np.float32).ravel())
    if surface.opacity is not None:
        share = surface.opacity if surface.kind == "film" else 1 - surface.opacity
        wanted = "opacity" if surface.kind == "film" else "passing"
        made.add_attribute(f"vertex_{wanted}", 1, share.astype(np.float32))
    parameters = mi.traverse(made)
    parameters["vertex_positions"] = mesh.vertices.ravel()
    parameters["vertex_normals"] = mesh.normals.ravel()
    parameters["faces"] = mesh.faces.astype(np.uint32).ravel()
    parameters.update()
    return made


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


def assemble(mi: ModuleType, meshes: Sequence[Prop], view: View) -> Any:
    """The scene. Its shapes are the meshes in order, then ground and lights.

    Parts are made one by one: made in parallel they take an order that differs between runs,
    and the image with them.
    """
    transform = mi.ScalarTransform4f()
    key = [KEY * (1 + view.warmth), KEY, KEY * (1 - view.warmth)]
    parts: Dict = {f"item{n:02d}": _mesh(mi, mesh, f"item{n:02d}") for n, mesh in enumerate(meshes)}
    plain: Dict = {
        "sky": {"type": "constant", "radiance": SKY},
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
        "fill": {
            "type": "rectangle",
            "to_world": transform.look_at((-6, -5, 4), (0, 0, 0.5), (0, 0, 1)).scale(2),
            "emitter": {"type": "area", "radiance": FILL},
        },
    }
    parts |= {name: mi.load_dict(part, parallel=False) for name, part in plain.items()}
    return mi.load_dict({"type": "scene", **parts}, parallel=False)
