"""Where objects stand, and how the images of a question go together."""

from __future__ import annotations

from dataclasses import replace
from math import cos, sin
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gen.render.layout import GAP, SMALLEST, SPARE, Outline, Place, layout, outline, posed, scaled
from gen.render.scene import Item, Layout, question
from gen.render.shape import Shape, shape
from gen.render.view import HEIGHT, View, view
from gen.vocab.saber import load
from tests.support.render_shapes import box


def pole(thick: float) -> Shape:
    """A square pole of height 1."""
    cube = box("cube", FINE)
    return replace(cube, vertices=cube.vertices * np.array([thick, thick, 1], np.float32))


SEEDS = st.integers(0, 2**63 - 1)
FINE = 120
"""Grid of a box with edges as short as those of real shapes."""


def boxes(slots: list[list[str]], seed: int) -> np.ndarray:
    """The boxes in the image that all objects of each slot take up."""
    seen = view(seed, seed)
    outlines = [[outline(box(name)) for name in slot] for slot in slots]
    found = []
    for place, slot in zip(layout(outlines, seen, seed), outlines, strict=True):
        points = [seen.project(posed(one.corners, scaled(place, one))) for one in slot]
        whole = np.concatenate(points)
        found.append([*whole.min(0), *whole.max(0)])
    return np.array(found)


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.integers(2, 10))
def test_boxes_are_apart_and_inside_the_image(seed: int, count: int) -> None:
    found = boxes([[("cube", "slab", "post")[n % 3]] for n in range(count)], seed)
    assert found.min() >= GAP - 1e-6
    assert found.max() <= 1 - GAP + 1e-6
    for number, one in enumerate(found):
        for other in found[:number]:
            gap = np.maximum(one[:2] - other[2:], other[:2] - one[2:]).max()
            assert gap > GAP - 1e-6


@settings(max_examples=10, deadline=None)
@given(SEEDS)
def test_objects_do_not_stand_in_a_row(seed: int) -> None:
    found = boxes([["cube"], ["post"], ["slab"], ["cube"]], seed)
    centers = (found[:, :2] + found[:, 2:]) / 2
    spread = np.linalg.svd(centers - centers.mean(0), compute_uv=False) / 2
    assert spread[1] > 0.03
    assert np.ptp(found[:, 3]) > 0.05


def share(one: Outline, seen: View, place: Place) -> float:
    """Of the image, that an object's silhouette covers."""
    extent = scaled(place, one).scale / seen.span((place.x, place.y, 0))
    return one.silhouette * extent**2


@settings(max_examples=6, deadline=None)
@given(SEEDS, st.integers(2, 6))
def test_no_object_is_smaller_than_it_may_be(seed: int, count: int) -> None:
    thin = outline(pole(0.05))
    slots = [[outline(box("cube"))], *[[thin]] * (count - 1)]
    seen = view(seed, seed)
    for place, slot in zip(layout(slots, seen, seed), slots, strict=True):
        assert share(slot[0], seen, place) >= SMALLEST * SPARE


def test_silhouettes_are_those_that_the_camera_sees() -> None:
    front, top = cos(HEIGHT), sin(HEIGHT)
    assert outline(box("cube", FINE)).silhouette == pytest.approx(front + top, rel=0.04)
    assert outline(box("slab", FINE)).silhouette == pytest.approx(0.4 * front + 0.5 * top, rel=0.06)


def test_slender_objects_are_drawn_larger() -> None:
    cube, post, thin = (outline(one) for one in (box("cube", FINE), box("post", FINE), pole(0.1)))
    assert cube.weight < post.weight < thin.weight
    assert thin.silhouette * thin.weight**2 > 0.5 * cube.silhouette * cube.weight**2


def test_outlines_reach_as_far_as_the_shape() -> None:
    for name in ("duck", "stethoscope", "sphere"):
        whole = shape(name).vertices
        found = outline(shape(name)).corners
        assert len(found) <= 240
        assert found.min(0) == pytest.approx(whole.min(0), abs=0.005)
        assert found.max(0) == pytest.approx(whole.max(0), abs=0.005)


@pytest.mark.slow
def test_ten_objects_of_the_vocabulary_fit() -> None:
    """The ten thinnest and the ten bulkiest, and ten at random, in many layouts."""
    known = {name: outline(shape(name)) for name in load().objects}
    by_weight = sorted(known, key=lambda name: known[name].weight)
    draw = Random(1)
    for seed in range(60):
        any_ten = draw.sample(by_weight, 10)
        names = (by_weight[:10], by_weight[-10:], any_ten)[seed % 3]
        seen = view(seed, seed)
        places = layout([[known[name]] for name in names], seen, seed)
        for name, place in zip(names, places, strict=True):
            assert share(known[name], seen, place) >= SMALLEST * SPARE, name


def test_any_object_of_a_slot_has_room_there() -> None:
    assert len(boxes([["cube", "post"], ["slab"]], 5)) == 2


def test_too_many_objects_are_refused() -> None:
    one = outline(box("cube", FINE))
    with pytest.raises(ValueError, match="no room for 60 objects in one image; ask for fewer"):
        layout([[one]] * 60, view(1, 1), 1)


def items(text: str) -> list[Item]:
    """Items of "red cube, blue post"."""
    pairs = [pair.split() for pair in text.split(", ")]
    return [Item(name, color, color) for color, name in pairs]


QUESTION = [
    items("red cube, blue post"),
    items("blue post, red cube"),
    items("red post, blue cube"),
    items("red cube, blue slab"),
]


def places(image: int, how: Layout, seed: int = 3) -> dict[str, tuple[float, float]]:
    scene = question(QUESTION, seed, how, shapes=box)[image]
    pairs = zip(scene.items, scene.places, strict=True)
    return {item.object: (place.x, place.y) for item, place in pairs}


def test_fixed_keeps_every_object_in_its_place() -> None:
    assert places(0, "fixed") == places(1, "fixed") == places(2, "fixed")


def test_fixed_puts_a_new_object_where_the_old_one_stood() -> None:
    assert places(3, "fixed") == {
        "cube": places(0, "fixed")["cube"],
        "slab": places(0, "fixed")["post"],
    }


def test_jitter_lays_every_image_out_anew() -> None:
    assert len({str(places(image, "jitter")) for image in range(4)}) == 4


def test_apart_keeps_places_in_all_but_the_query() -> None:
    assert places(1, "apart") == places(2, "apart")
    assert places(1, "apart") != places(0, "apart")
    assert places(3, "apart")["slab"] == places(1, "apart")["post"]


@pytest.mark.parametrize("how", ["apart", "fixed", "jitter"])
def test_camera_and_light_are_the_question_s(how: Layout) -> None:
    scenes = question(QUESTION, 9, how, shapes=box)
    assert len({scene.view for scene in scenes}) == 1
    assert scenes == question(QUESTION, 9, how, shapes=box)


def test_half_of_all_are_mirrored() -> None:
    flips = [question(QUESTION[:1], seed, shapes=box)[0].flip for seed in range(200)]
    assert 70 < sum(flips) < 130


def test_a_larger_image_than_the_query_is_refused() -> None:
    with pytest.raises(ValueError, match="show 2 objects each, not more"):
        question([QUESTION[0], items("red cube, blue post, green slab")], 1, "fixed", shapes=box)


@settings(max_examples=50, deadline=None)
@given(SEEDS, st.floats(0.1, 0.9), st.floats(0.2, 0.9))
def test_ground_is_the_inverse_of_project(seed: int, u: float, v: float) -> None:
    seen = view(seed, seed)
    point = np.array([*seen.ground(u, v), 0.0])
    assert seen.project(point) == pytest.approx([u, v], abs=1e-3)
