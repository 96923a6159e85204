"""Attributes as surfaces: all of the vocabulary, in every look."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from gen.render.appearance import NEUTRAL, PAINTERS, Body, Surface, surface
from gen.render.appearance.body import cells, noise, ranks, scatter
from gen.render.appearance.colors import PALETTE, Array, rgb, srgb, to_linear, to_srgb
from gen.render.appearance.shown import SHARES
from gen.render.prop import normals
from gen.vocab.saber import load
from tests.support.render_shapes import box

VOCABULARY = load()
CUBE = Body(box("cube").vertices, normals(box("cube").vertices, box("cube").faces))
FIRST = {
    name: next(attribute.looks(VOCABULARY.palette))
    for name, attribute in VOCABULARY.attributes.items()
}


def painted(attribute: str, look: str | None = None) -> Surface:
    return surface(attribute, look or FIRST[attribute], CUBE)


def test_every_attribute_of_the_vocabulary_is_drawn() -> None:
    assert PAINTERS.keys() - {NEUTRAL} == VOCABULARY.attributes.keys()
    assert PALETTE.keys() == set(VOCABULARY.palette)


@pytest.mark.parametrize("attribute", sorted(PAINTERS.keys() - {NEUTRAL}))
def test_every_look_is_a_sound_surface(attribute: str) -> None:
    looks = list(VOCABULARY.attributes[attribute].looks(VOCABULARY.palette))
    for look in looks[::9] if len(looks) > 9 else looks:
        found = painted(attribute, look)
        count = len(CUBE.points)
        assert found.color.shape == (count, 3)
        assert np.isfinite(found.color).all()
        assert -0.01 <= found.color.min() <= found.color.max() <= 1.01
        for part in (found.height, found.opacity):
            assert part is None or (part.shape == (count,) and np.isfinite(part).all())
        if found.height is not None:
            assert np.ptp(found.height) < 0.09  # displacement stays small beside the object
        if found.emission is not None:
            assert found.emission.min() >= 0
            assert found.emission.max() <= 2  # what shines more would light its neighbors
        assert found.opacity is None or 0 <= found.opacity.min() <= found.opacity.max() <= 1


@pytest.mark.parametrize("attribute", sorted(PAINTERS.keys() - {NEUTRAL}))
def test_the_same_look_is_the_same_surface(attribute: str) -> None:
    one, other = painted(attribute), painted(attribute)
    assert one.color.tobytes() == other.color.tobytes()


def test_looks_of_an_attribute_differ() -> None:
    for name, attribute in VOCABULARY.attributes.items():
        looks = list(attribute.looks(VOCABULARY.palette))[:9]
        for one, other in combinations([painted(name, look).color for look in looks], 2):
            assert np.abs(one - other).mean() > 0.01, name


def unlike(one: Surface, other: Surface) -> float:
    """How far two surfaces are from each other: color, light and relief point by point, gloss."""
    nothing = np.zeros(len(CUBE.points))

    def relief(found: Surface) -> Array:
        return nothing if found.height is None else found.height - found.height.mean()

    def light(found: Surface) -> Array:
        return np.zeros_like(found.color) if found.emission is None else found.emission

    gloss = abs(one.roughness - other.roughness) + abs(one.metallic - other.metallic)
    return float(
        np.abs(to_srgb(one.color) - to_srgb(other.color)).mean()
        + np.abs(light(one) - light(other)).mean()
        + 10 * np.abs(relief(one) - relief(other)).mean()
        + gloss / 4
        + (one.kind != other.kind)
    )


def test_attributes_that_may_meet_are_unlike() -> None:
    """A coarse bound; the sheets are for the eye."""
    group = VOCABULARY.group
    told = {name: painted(name) for name in FIRST}
    for one, other in combinations(told, 2):
        if group[one] != group[other]:
            assert unlike(told[one], told[other]) > 0.04, (one, other)


@pytest.mark.parametrize("attribute", ["striped", "zigzag", "checkered", "two-tone"])
def test_patterns_of_two_colors_are_about_half_each(attribute: str) -> None:
    found = painted(attribute, f"red and white {attribute}")
    near = np.abs(found.color - rgb("red")).sum(1) < np.abs(found.color - rgb("white")).sum(1)
    assert 0.4 < near.mean() < 0.6


def test_dots_cover_a_third_or_so() -> None:
    found = painted("polka-dot", "red and white polka-dot")
    white = np.abs(found.color - rgb("white")).sum(1) < 0.5
    assert 0.2 < white.mean() < 0.5


def test_a_color_slot_takes_the_color() -> None:
    for name in ("metallic", "glittery", "glowing", "glass"):
        red, blue = (painted(name, f"{color} {name}") for color in ("red", "blue"))
        assert (red.color.mean(0) - blue.color.mean(0))[0] > 0
        assert (red.color.mean(0) - blue.color.mean(0))[2] < 0


def test_an_unknown_attribute_is_named() -> None:
    with pytest.raises(ValueError, match="attribute 'plastic' can't be rendered; known are black"):
        surface("plastic", "plastic", CUBE)


@pytest.mark.parametrize(
    ("attribute", "look"),
    [("striped", "red striped"), ("wooden", "green wooden"), ("red", "shiny")],
)
def test_a_look_that_is_not_the_attribute_s_is_named(attribute: str, look: str) -> None:
    with pytest.raises(ValueError, match=f"look '{look}' of attribute '{attribute}'"):
        surface(attribute, look, CUBE)


def test_a_look_of_which_nobody_says_what_colors_it_shows_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(SHARES, "gray furry")
    with pytest.raises(ValueError, match="look 'gray furry' of attribute 'furry' can't be checked"):
        surface("furry", "gray furry", CUBE)


# --- the tools --------------------------------------------------------------------------


def test_srgb_and_linear_light_are_inverse() -> None:
    codes = np.stack([srgb(code) for code in PALETTE.values()])
    assert to_srgb(to_linear(codes)) == pytest.approx(codes, abs=1e-5)


def test_scattered_points_keep_their_distance_and_leave_no_gap() -> None:
    chosen = CUBE.points[scatter(CUBE.points, 0.2, 1)]
    between = np.linalg.norm(chosen[:, None] - chosen[None], axis=2)
    assert between[~np.eye(len(chosen), dtype=bool)].min() > 0.2
    assert cells(CUBE.points, 0.2, 1).near.max() < 0.36


def test_noise_is_smooth_and_fills_its_range() -> None:
    values = noise(CUBE.points, 5, 3, 1)
    assert 0 <= values.min() < 0.35 < 0.65 < values.max() <= 1
    moved = noise(CUBE.points + 1e-4, 5, 3, 1)
    assert np.abs(values - moved).max() < 0.02


def test_ranks_give_every_share_its_points() -> None:
    place = ranks(noise(CUBE.points, 5, 3, 1))
    assert (place < 0.3).mean() == pytest.approx(0.3, abs=0.001)
