"""Scenes drawn: images, masks, checks, ground truth. Tiny ones, but through the real renderer."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from math import isqrt

import numpy as np
import pytest
from PIL import Image

from gen.render import backend, check, truth
from gen.render.draw import Drawn, _world, draw, draw_all, strata
from gen.render.scene import Item, Scene, question
from gen.render.world import World
from tests.support.render_shapes import box

ITEMS = [
    Item("cube", "striped", "red and white striped"),
    Item("post", "transparent", "transparent"),
    Item("slab", "glowing", "blue glowing"),
]


def scene(size: int = 64, samples: int = 4) -> Scene:
    return replace(question([ITEMS], 4, shapes=box)[0], size=size, samples=samples, flip=False)


@cache
def drawn(variant: backend.Variant = "scalar", size: int = 64) -> Drawn:
    return draw(scene(size), variant, box)


def has_llvm() -> bool:
    try:
        backend.load("llvm")
    except ValueError:
        return False
    return True


needs_llvm = pytest.mark.skipif(not has_llvm(), reason="needs libllvm19 or newer")


def test_an_image_with_mask_and_boxes() -> None:
    found = drawn()
    assert found.image.shape == (64, 64, 3)
    assert found.mask.shape == (64, 64)
    assert set(np.unique(found.mask)) == {0, 1, 2, 3}
    for number, (left, top, width, height) in enumerate(found.boxes):
        inside = found.mask[top : top + height, left : left + width] == number + 1
        assert inside.sum() == found.areas[number] == (found.mask == number + 1).sum()
        assert inside.any(0).all()
        assert inside.any(1).all()


DIGEST = """
import hashlib
from tests.render.test_draw import drawn
found = drawn()
print(hashlib.sha256(found.image.tobytes() + found.mask.tobytes()).hexdigest())
"""


def test_scalar_gives_the_same_bytes_in_every_process() -> None:
    command = [sys.executable, "-c", DIGEST]
    other = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    own = drawn()
    assert hashlib.sha256(own.image.tobytes() + own.mask.tobytes()).hexdigest() == other


@needs_llvm
def test_llvm_repeats_itself_within_a_step() -> None:
    one, other = drawn("llvm"), draw(scene(), "llvm", box)
    assert (one.mask == other.mask).all()
    assert np.abs(one.image.astype(int) - other.image).max() <= 1


@needs_llvm
def test_both_variants_show_the_same() -> None:
    one, other = drawn("llvm", 96), drawn("scalar", 96)
    assert (one.mask != other.mask).mean() < 0.001
    assert np.abs(one.image.astype(int) - other.image).mean() < 4  # the noise is not the same


def alike() -> list[Scene]:
    """Images of a question: named in another order, recolored, of other materials and places."""
    cube, post, slab = ITEMS
    changed = [
        [slab, cube, post],
        [cube._replace(attribute="red", look="red"), post, slab],
        [cube, post, slab._replace(attribute="icy", look="icy")],
        [cube, post._replace(attribute="mossy", look="mossy"), slab],
        [cube, post, slab],
    ]
    fixed = question([ITEMS, *changed], 4, "fixed", 48, 4, box)
    return [*fixed, *question([ITEMS, ITEMS], 5, "jitter", 48, 4, box)]


@pytest.mark.parametrize("variant", ["scalar", pytest.param("llvm", marks=needs_llvm)])
def test_scenes_drawn_in_a_row_are_those_drawn_alone(variant: backend.Variant) -> None:
    row = list(draw_all(alike(), variant, box))
    for place in (2, 4, 7):  # recolored, of another form, moved
        one, found = alike()[place], row[place]
        _world.cache_clear()  # as in a process of its own
        alone = draw(one, variant, box)
        assert (found.mask == alone.mask).all()
        steps = np.abs(found.image.astype(int) - alone.image)
        assert steps.max() <= (variant == "llvm")
        assert replace(found, image=alone.image, mask=alone.mask) == alone


def test_scenes_that_differ_in_surfaces_share_their_geometry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _world.cache_clear()
    built = []
    build = World._build
    monkeypatch.setattr(World, "_build", lambda self, *all_: built.append(build(self, *all_)))
    list(draw_all(alike()[:3], "scalar", box))
    assert len(built) == 1


def test_a_shape_that_is_drawn_again_is_made_once() -> None:
    made = []
    list(draw_all([scene(16, 1)] * 3, "scalar", lambda name: made.append(name) or box(name)))
    assert made == ["cube", "post", "slab"]


def test_a_flip_mirrors_everything() -> None:
    plain, mirrored = drawn(), draw(replace(scene(), flip=True), "scalar", box)
    assert (mirrored.image == plain.image[:, ::-1]).all()
    assert (mirrored.mask == plain.mask[:, ::-1]).all()
    for one, other in zip(plain.boxes, mirrored.boxes, strict=True):
        assert (64 - one[0] - one[2], *one[1:]) == other


def test_places_decide_the_mask_whatever_the_attributes() -> None:
    swapped = [Item(item.object, "red", "red") for item in ITEMS]
    other = draw(replace(scene(), items=tuple(swapped)), "scalar", box)
    assert (drawn().mask == other.mask).all()


def test_an_unknown_look_ends_in_one_line() -> None:
    wrong = replace(scene(), items=(ITEMS[0]._replace(look="striped"), *ITEMS[1:]))
    with pytest.raises(ValueError, match="look 'striped' of attribute 'striped'"):
        draw(wrong, "scalar", box)


# --- checks -----------------------------------------------------------------------------


def test_a_good_image_has_no_problems() -> None:
    assert check.problems(scene(96), drawn("scalar", 96)) == []


def test_a_missing_object_is_found() -> None:
    gone = replace(drawn(), areas=[0, *drawn().areas[1:]])
    assert "too_small cube: 0 pixels" in check.problems(scene(), gone)


def test_objects_that_meet_are_found() -> None:
    met = replace(drawn(), boxes=[drawn().boxes[0]] * 3)
    assert "not_apart cube, post: their boxes meet" in check.problems(scene(), met)


def test_a_wrong_color_is_found() -> None:
    image = drawn().image.copy()
    image[drawn().mask == 3] = (20, 160, 40)
    wrong = replace(drawn(), image=image)
    assert check.problems(scene(), wrong) == [
        "wrong_color blue glowing slab: 0% is blue, less than 50%"
    ]


def test_shares_count_pixels_by_hue_and_grays_by_lightness() -> None:
    colors = [[200, 20, 30], [120, 10, 20], [235, 235, 235], [20, 20, 20]]
    pixels = np.array(colors, np.uint8)
    assert check.shares(pixels, ["red", "white", "black"]) == [0.5, 0.25, 0.25]
    assert check.shares(pixels, ["green"]) == [0.0]


def test_attributes_leave_the_rest_of_the_image_alone() -> None:
    for found in check.bleed(scene(), "scalar", box, size=64, samples=16):
        assert not found.bad, found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attribute", "look"),
    [
        ("furry", "gray furry"),
        ("molten", "cracked molten-lava"),
        ("mossy", "moss-covered"),
        ("starry", "starry night-sky"),
        ("glowing", "white glowing"),
    ],
)
def test_what_bleeds_most_stays_within_bounds(attribute: str, look: str) -> None:
    """Of what is no flat mirror: the looks that change most around them."""
    items = [ITEMS[0]._replace(attribute="white", look="white"), Item("post", attribute, look)]
    (one,) = question([items], 4, shapes=box)
    (found,) = check.bleed(one, "scalar", box, size=96, samples=16, only=[1])
    assert not found.bad, found


def test_light_that_reaches_too_far_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "BLEED_MEAN", 0.0)
    found = check.bleed(scene(), "scalar", box, size=48, samples=4)
    assert any(one.bad for one in found)


# --- ground truth -----------------------------------------------------------------------


def unrolled(runs: dict[str, list[int]]) -> np.ndarray:
    """A mask of COCO's run lengths."""
    values = np.repeat(np.arange(len(runs["counts"])) % 2, runs["counts"])
    return values.reshape(runs["size"], order="F").astype(bool)


def test_annotations_hold_masks_boxes_and_attributes() -> None:
    found = truth.coco_annotations(scene(), drawn(), ["cube", "post", "slab"])
    assert [note["category_id"] for note in found] == [1, 2, 3]
    for number, note in enumerate(found):
        assert (unrolled(note["segmentation"]) == (drawn().mask == number + 1)).all()
        assert note["bbox"] == list(drawn().boxes[number])
        assert note["look"] == ITEMS[number].look


def test_runs_begin_with_what_is_false() -> None:
    assert truth.runs(np.array([[True, False], [True, True]]))["counts"] == [0, 2, 1, 1]
    assert truth.runs(np.zeros((2, 2), bool))["counts"] == [4]


def test_a_category_that_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match=r"^object 'post' is not among the categories"):
        truth.coco_annotations(scene(), drawn(), ["cube"])


def test_a_mask_survives_its_file() -> None:
    with Image.open(io.BytesIO(truth.png(drawn().mask))) as picture:
        assert (np.asarray(picture) == drawn().mask).all()


def test_ground_truth_gives_the_scene_back() -> None:
    """As a file has it: the record's fields, and those of the annotations."""
    known = json.loads(json.dumps(truth.record(scene(), drawn())))
    entry = known | {"width": known["size"]}
    assert truth.scene(entry, known["items"]) == scene()
    del entry["flip"]
    with pytest.raises(ValueError, match="lacks or garbles 'flip'"):
        truth.scene(entry, known["items"])


def test_the_record_has_all_that_draws_the_image_again() -> None:
    found = truth.record(scene(), drawn())
    assert found["seeds"] == {"camera": 4, "light": 4, "noise": scene().noise_seed}
    assert [item["place"]["x"] for item in found["items"]] == [p.x for p in scene().places]


# --- variants ---------------------------------------------------------------------------


def test_without_llvm_the_scalar_variant_is_taken_and_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DRJIT_LIBLLVM_PATH", raising=False)
    monkeypatch.setattr(backend, "_libraries", lambda: iter(()))
    backend._say.cache_clear()
    assert backend.load().variant() == "scalar_rgb"
    assert "drawing with the scalar variant" in capsys.readouterr().err
    with pytest.raises(ValueError, match="variant 'llvm' needs LLVM 19 or newer; install"):
        backend.load("llvm")


def test_the_estimate_grows_with_pixels_samples_and_objects() -> None:
    few = backend.seconds("llvm", 256, 8, 2)
    assert few < backend.seconds("llvm", 256, 8, 10) < backend.seconds("llvm", 256, 16, 10)
    assert 3 * few < backend.seconds("llvm", 512, 8, 2) < 4 * few
    assert backend.seconds("scalar", 256, 8, 2) > few


def test_samples_fill_a_grid() -> None:
    for samples in range(1, 70):
        found = strata(samples)
        assert samples <= found == strata(found) <= samples + isqrt(samples)
