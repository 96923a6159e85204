"""Where objects stand, and how the images of a question go together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gen.render.layout import GAP, layout, outline, posed, scaled
from gen.render.scene import Item, Layout, question
from gen.render.view import view
from tests.render_shapes import box

SEEDS = st.integers(0, 2**63 - 1)


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


def test_any_object_of_a_slot_has_room_there() -> None:
    assert len(boxes([["cube", "post"], ["slab"]], 5)) == 2


def test_too_many_objects_are_refused() -> None:
    one = outline(box("cube"))
    with pytest.raises(ValueError, match="no room for 400 objects in one image; ask for fewer"):
        layout([[one]] * 400, view(1, 1), 1)


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


@pytest.mark.parametrize("how", ["fixed", "jitter"])
def test_camera_and_light_are_the_question_s(how: Layout) -> None:
    scenes = question(QUESTION, 9, how, shapes=box)
    assert len({scene.view for scene in scenes}) == 1
    assert scenes == question(QUESTION, 9, how, shapes=box)


def test_half_of_all_are_mirrored() -> None:
    flips = [question(QUESTION[:1], seed, shapes=box)[0].flip for seed in range(200)]
    assert 70 < sum(flips) < 130


def test_a_larger_image_than_the_query_is_refused() -> None:
    with pytest.raises(ValueError, match="show 2 objects each, not more"):
        question([QUESTION[0], items("red cube, blue post, green slab")], 1, shapes=box)


@settings(max_examples=50, deadline=None)
@given(SEEDS, st.floats(0.1, 0.9), st.floats(0.2, 0.9))
def test_ground_is_the_inverse_of_project(seed: int, u: float, v: float) -> None:
    seen = view(seed, seed)
    point = np.array([*seen.ground(u, v), 0.0])
    assert seen.project(point) == pytest.approx([u, v], abs=1e-3)
