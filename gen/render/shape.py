"""The shape of every object of the visual benchmark, made once and kept in a cache.

`objects/*.toml` say of what: an icon that is inflated (`gen.render.icon`) or a solid of primitives
(`gen.render.solid`).
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import tomllib
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from gen.render.drawing import Icon, bodies
from gen.render.icon import inflate
from gen.render.mesh import Floats, Ints, posed
from gen.render.solid import Solid, build

FOLDER = Path(__file__).parent
OBJECTS = FOLDER / "objects"
"""A file a group: what each object is made of."""
MADE_BY = tuple(f"{name}.py" for name in "drawing icon mesh outline primitives shape solid".split())
MADE_WITH = ("numpy", "pillow", "resvg-py", "scikit-image", "scipy")
"""Files and libraries that a shape depends on: a shape of others is made anew."""


@dataclass(frozen=True)
class Shape:
    """A closed surface in object space: x to the right as seen, y away from the viewer, z up.

    It rests on z = 0, is centered in x and y, and its largest extent is 1.
    """

    vertices: Floats
    """(V, 3)."""
    faces: Ints
    """(F, 3): indices of vertices, counterclockwise as seen from outside."""
    shade: Floats
    """(V,): 0..1, how much inner edges, seams and marks darken the surface."""


class Entry(BaseModel):
    """An object in `objects/*.toml`: what it is made of, and how it stands."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: Icon | Solid
    turn: float = 0.0
    """Degrees about z, counterclockwise from above."""
    lean: float = 0.0
    """Degrees that it leans back; 90 lies on its back."""


@cache
def entries() -> dict[str, Entry]:
    """The objects that have a shape, by name."""
    pose = ("turn", "lean")
    found = {}
    for path in sorted(OBJECTS.glob("*.toml")):
        for name, fields in tomllib.loads(path.read_text()).items():
            stands = {key: fields.pop(key) for key in pose if key in fields}
            found[name] = Entry(source=fields, **stands)
    return found


def shape(name: str) -> Shape:
    """An object's shape, from the cache if it is there.

    Raises:
        ValueError: when there is no such object.
    """
    if name not in entries():
        raise ValueError(
            f"object {name!r} has no shape; give it an entry in {OBJECTS}, "
            "or leave it out of the vocabulary's objects"
        )
    entry = entries()[name]
    path = cache_folder() / f"{name.replace(' ', '-')}-{digest(entry)[:20]}.npz"
    kept = _load(path)
    if kept is None:
        kept = make(entry)
        with suppress(OSError):  # where nothing can be kept, shapes are made each time
            _store(path, kept)
    return kept


def make(entry: Entry) -> Shape:
    """Make a shape (0.2 to 1 s)."""
    if isinstance(entry.source, Icon):
        mesh, shade = inflate(entry.source)
    else:
        mesh, shade = build(entry.source)
    return Shape(posed(mesh.vertices, entry.turn, entry.lean), mesh.faces, shade)


def cache_folder() -> Path:
    """Where shapes are kept: `$XDG_CACHE_HOME/saber-toolkit/shapes`, by default in `~/.cache`."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "saber-toolkit" / "shapes"


@cache
def _made_by() -> bytes:
    texts = [(FOLDER / name).read_bytes() for name in MADE_BY]
    return b"\0".join([*texts, *(f"{name} {version(name)}".encode() for name in MADE_WITH)])


def digest(entry: Entry) -> str:
    """The identity of a shape: all that its bytes depend on."""
    drawing = ""
    if isinstance(entry.source, Icon):
        drawing = repr(bodies().get(entry.source.icon))
    text = f"{entry.model_dump_json()}\0{drawing}\0".encode()
    return hashlib.sha256(text + _made_by()).hexdigest()


def _load(path: Path) -> Shape | None:
    """A kept shape; None when there is none, or its file is damaged."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
            return Shape(data["vertices"], data["faces"], data["shade"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        return None


def _store(path: Path, made: Shape) -> None:
    """Keep a shape: whole or not at all, whoever else writes it at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(file, vertices=made.vertices, faces=made.faces, shade=made.shade)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
