"""Shapes of objects: closed bodies of one size, made once, always the same, licensed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from gen.render import drawing, shape
from gen.render.drawing import Icon
from gen.render.icon import inflate
from gen.render.mesh import posed, surface
from gen.render.primitives import Part, pieces
from gen.render.shape import Entry, Shape
from gen.render.solid import Solid
from gen.vocab.saber import load

OBJECTS = load().objects
SAMPLE = ("cube", "whisk", "chair", "lion", "hammer", "car", "butterfly", "donut")
"""Of every way that a shape is made: solid, thin, flowing, inflated, slab; with holes."""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return shape.cache_folder()


def edges(made: Shape) -> Counter[tuple[int, int]]:
    """How often each edge is gone along, in this direction."""
    f = made.faces
    both = np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]])
    return Counter(map(tuple, both.tolist()))


def check(made: Shape) -> None:
    """What every shape keeps to."""
    vertices, faces, shade = made.vertices, made.faces, made.shade
    assert (vertices.dtype, faces.dtype, shade.dtype) == (np.float32, np.int32, np.float32)
    assert vertices.shape == (len(vertices), 3)
    assert faces.shape == (len(faces), 3)
    assert shade.shape == (len(vertices),)
    assert 5_000 <= len(vertices) <= 60_000
    assert np.isfinite(vertices).all()
    assert 0 <= shade.min() <= shade.max() <= 1
    low, high = vertices.min(0), vertices.max(0)
    assert (high - low).max() == pytest.approx(1, abs=1e-5)
    assert low[2] == pytest.approx(0, abs=1e-6)
    assert (low + high)[:2] == pytest.approx(0, abs=1e-5)
    # Closed and two-sided: each edge once in each direction; outward: a positive volume.
    gone = edges(made)
    assert set(gone.values()) == {1}
    assert all((b, a) in gone for a, b in gone)
    assert np.array_equal(np.unique(faces), np.arange(len(vertices)))
    a, b, c = np.moveaxis(vertices[faces].astype(np.float64), 1, 0)
    assert np.einsum("ij,ij->", a, np.cross(b, c)) > 0


# --- the objects ------------------------------------------------------------------------


def test_every_object_of_the_vocabulary_has_a_shape() -> None:
    assert set(shape.entries()) == set(OBJECTS)


@pytest.mark.parametrize("name", SAMPLE)
def test_a_shape_is_a_closed_body_of_size_one_that_rests_on_the_floor(name: str) -> None:
    check(shape.make(shape.entries()[name]))


@pytest.mark.slow
@pytest.mark.parametrize("name", OBJECTS)
def test_so_is_every_shape(name: str) -> None:
    check(shape.make(shape.entries()[name]))


def test_an_object_without_a_shape_is_told_with_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"'teapots' has no shape; give it an entry in .*objects"):
        shape.shape("teapots")


# --- always the same, made once ---------------------------------------------------------


@pytest.mark.parametrize("name", ["hammer", "lion"])
def test_a_shape_is_the_same_in_every_process(name: str) -> None:
    code = (
        "import hashlib; from gen.render import shape; "
        f"s = shape.make(shape.entries()[{name!r}]); "
        "print(hashlib.sha256(s.vertices.tobytes() + s.faces.tobytes() + s.shade.tobytes())"
        ".hexdigest())"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout


def same(a: Shape, b: Shape) -> bool:
    return all(
        np.array_equal(getattr(a, field), getattr(b, field))
        for field in ("vertices", "faces", "shade")
    )


def test_a_shape_is_made_once(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = shape.shape("fork")
    monkeypatch.setattr(shape, "make", None)  # it would be called
    assert same(first, shape.shape("fork"))
    assert len(list(own_cache.iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", b"no archive", None])
def test_a_damaged_file_is_made_anew(own_cache: Path, damage: bytes | None) -> None:
    first = shape.shape("fork")
    (file,) = own_cache.iterdir()
    whole = file.read_bytes()
    cut = whole[: len(whole) // 2] if damage is None else damage
    file.write_bytes(cut)
    assert same(first, shape.shape("fork"))
    assert file.read_bytes() != cut


def test_a_flipped_byte_is_found_out(own_cache: Path) -> None:
    first = shape.shape("fork")
    (file,) = own_cache.iterdir()
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0x10
    file.write_bytes(data)
    assert same(first, shape.shape("fork"))


def test_a_kill_while_it_is_written_leaves_no_half_file(own_cache: Path) -> None:
    """The process dies between the last byte and the new name."""
    code = (
        "import os, signal; from gen.render import shape\n"
        f"os.replace = lambda *_: os.kill(os.getpid(), {signal.SIGKILL})\n"
        "shape.shape('fork')"
    )
    killed = subprocess.run([sys.executable, "-c", code], env=os.environ.copy())
    assert killed.returncode == -signal.SIGKILL
    assert not list(own_cache.glob("[!.]*"))
    check(shape.shape("fork"))


def test_other_settings_are_another_shape(own_cache: Path) -> None:
    fork, other = shape.entries()["fork"], shape.entries()["fork"].model_copy(update={"turn": 5.0})
    assert shape.digest(fork) != shape.digest(other)


def test_a_folder_that_cannot_be_written_costs_the_cache_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    check(shape.shape("fork"))


# --- solids -----------------------------------------------------------------------------

length = st.floats(0.2, 1)
place = st.tuples(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5), st.floats(-0.5, 0.5))


@st.composite
def parts(draw: st.DrawFn) -> Part:
    sizes = (draw(length), draw(length), draw(length))
    kinds = {
        "box": sizes,
        "ball": sizes,
        "ring": (sizes[0], 0.15),
        "tube": ((0, 0, 0), sizes),
        "lathe": ((0, 0), (sizes[0], 0), (0, sizes[1])),
        "prism": ((0, 0), (sizes[0], 0), (0, sizes[1])),
    }
    kind = draw(st.sampled_from(sorted(kinds)))
    turn = draw(st.tuples(*[st.floats(-180, 180)] * 3))
    flips = draw(st.sampled_from(["", "x", "xy"]))
    made = {kind: kinds[kind], "at": draw(place), "turn": turn, "mirror": flips}
    return Part(**made, radius=(0.15, 0.1), half=0.2, round=0.02)


@settings(max_examples=15)
@given(st.lists(parts(), min_size=1, max_size=3), st.sampled_from([0, 0.1]))
def test_any_parts_make_a_closed_body(chosen: list[Part], blend: float) -> None:
    check(shape.make(Entry(source=Solid(solid=tuple(chosen), blend=blend))))


@settings(max_examples=50)
@given(parts())
def test_a_part_is_inside_the_box_that_it_says_it_fills(part: Part) -> None:
    points = np.random.default_rng(0).uniform(-4, 4, (4000, 3)).astype(np.float32)
    for low, high, distance in pieces(part):
        beyond = ((points < low - 1e-3) | (points > high + 1e-3)).any(1)
        assert (distance(points[beyond]) > 0).all()


@pytest.mark.parametrize(
    ("part", "point", "distance"),
    [
        (Part(box=(1, 1, 1)), (3, 0, 0), 2),
        (Part(box=(1, 1, 1), round=0.5), (3, 0, 0), 1.5),
        (Part(box=(1, 1, 1), at=(1, 0, 0)), (3, 0, 0), 1),
        (Part(box=(1, 1, 1)), (0, 0, 0), -1),
        (Part(ball=(1, 1, 1)), (0, 3, 0), 2),
        (Part(ring=(1, 0.25)), (1, 0, 0), -0.25),
        (Part(ring=(1, 0.25), turn=(90, 0, 0)), (0, 0, 2), 0.75),
        (Part(tube=((0, 0, 0), (0, 0, 2)), radius=(0.5, 0.5)), (2, 0, 1), 1.5),
        (Part(lathe=((0, 0), (1, 0), (1, 1), (0, 1))), (3, 0, 0.5), 2),
        (Part(lathe=((0, 0), (1, 0), (1, 1), (0, 1))), (0, 0, 0.5), -0.5),
        (Part(lathe=((1, 0), (2, 0), (2, 1), (1, 1))), (0, 0, 0.5), 1),
        (Part(prism=((0, 0), (1, 0), (1, 1), (0, 1)), half=0.5), (0.5, 2, 0.5), 1.5),
    ],
)
def test_distances(part: Part, point: tuple[float, ...], distance: float) -> None:
    at = np.array([point], np.float32)
    found = min(float(piece.distance(at)[0]) for piece in pieces(part))
    assert found == pytest.approx(distance, abs=0.02)


def test_copies_go_round_and_rows_go_on() -> None:
    part = Part(ball=(0.1, 0.1, 0.1), at=(1, 0, 0), copies=4, repeat=2, step=(0, 0, 1))
    centers = {tuple(np.round((p.low + p.high) / 2, 6) + 0.0) for p in pieces(part)}
    around = {(1, 0), (0, 1), (-1, 0), (0, -1)}
    assert centers == {(x, y, z) for x, y in around for z in (0, 1)}


def test_cuts_take_away_and_marks_darken() -> None:
    box = {"box": (0.5, 0.5, 0.5)}
    hole = {"box": (0.2, 2, 0.2)}
    plain, cut, marked = (
        shape.make(Entry(source=Solid(solid=(Part(**box), *more))))
        for more in ((), (Part(**hole, cut=True),), (Part(**hole, mark=True),))
    )
    through = np.abs(cut.vertices[:, 0]) + np.abs(cut.vertices[:, 2] - 0.5) < 0.15
    assert not through.any()
    assert plain.shade.max() == 0
    assert 0.02 < (marked.shade > 0.5).mean() < 0.2


@pytest.mark.parametrize("fields", [{}, {"box": (1, 1, 1), "ball": (1, 1, 1)}, {"cube": 1}])
def test_a_part_is_one_primitive(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Part.model_validate(fields)


def test_nothing_inside_is_no_body() -> None:
    with pytest.raises(ValueError, match="nothing is inside"):
        surface(np.full((5, 5, 5), -1, np.float32), (0, 0, 0), 1)


def test_a_pose_turns_counterclockwise_and_leans_back() -> None:
    arrow = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0.5]], np.float32)
    turned = posed(arrow, turn=90)
    assert turned[1] - turned[0] == pytest.approx([0, 1, 0], abs=1e-6)
    leaned = posed(arrow, lean=90)
    assert leaned[2] - leaned[0] == pytest.approx([0, 0.5, 0], abs=1e-6)


# --- icons ------------------------------------------------------------------------------


def used() -> set[str]:
    sources = (entry.source for entry in shape.entries().values())
    return {source.icon for source in sources if isinstance(source, Icon)}


def test_the_icons_that_ship_are_those_in_use() -> None:
    assert set(drawing.bodies()) == used()


def test_an_icon_that_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="icon 'mdi:nothing' is not in"):
        inflate(Icon(icon="mdi:nothing"))


def test_the_notice_names_every_icon_under_its_set_and_license() -> None:
    """No copyleft: MIT and Apache-2.0 alone."""
    notice = (shape.FOLDER / "NOTICE").read_text()
    listed = set()
    for section in re.split(r"^=+\n", notice, flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        prefix, license_ = re.fullmatch(r"(\S+), (MIT|Apache-2\.0)", heading).groups()
        names = re.search(r"^Icons: ([^.]+)\.", text, re.MULTILINE)[1]
        listed |= {f"{prefix}:{name}" for name in names.replace("\n", " ").split(", ")}
        assert "Copyright" in text
        assert license_ != "MIT" or "Permission is hereby granted" in text
    assert listed == used()


def test_a_disk_becomes_a_ball(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = {"box": "0 0 10 10", "body": '<circle cx="5" cy="5" r="4" fill="#c00"/>'}
    monkeypatch.setattr(drawing, "bodies", lambda: {"test:disk": disk})
    made = shape.make(Entry(source=Icon(icon="test:disk", depth=1, most=9)))
    away = np.linalg.norm(made.vertices - [0, 0, 0.5], axis=1)
    assert np.abs(away - 0.5).max() < 0.01
    check(made)


def test_where_colors_meet_is_darker_and_lower(monkeypatch: pytest.MonkeyPatch) -> None:
    body = '<path fill="#c00" d="M1 1h4v8H1z"/><path fill="#0c0" d="M5 1h4v8H5z"/>'
    monkeypatch.setattr(drawing, "bodies", lambda: {"test:two": {"box": "0 0 10 10", "body": body}})
    made = shape.make(Entry(source=Icon(icon="test:two", slab=0.1)))
    x, y, z = made.vertices.T
    front = (y < 0) & (np.abs(z - 0.5) < 0.3)
    seam, beside = front & (np.abs(x) < 0.006), front & (np.abs(x) > 0.1) & (np.abs(x) < 0.3)
    assert made.shade[seam].min() > 0.5
    assert made.shade[beside].max() < 0.05
    assert y[seam].min() > y[beside].max() + 0.005
