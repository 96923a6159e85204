"""The colors that images are checked for: every look passes as itself, and not as another.

Most tests hold the table of colors against paint as it is lit, which takes no rendering; what is
drawn is checked in `test_draw.py`.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np
import pytest

from gen.render import check
from gen.render.appearance import Body, surface
from gen.render.appearance.colors import PALETTE, to_srgb
from gen.render.appearance.shown import SHARES, UNPROVEN, shown
from gen.render.draw import Bytes, draw
from gen.render.prop import normals
from gen.render.scene import Item, question
from gen.render.shape import shape
from gen.vocab.saber import load
from tests.support.render_shapes import box

VOCABULARY = load()
BLENDED = {"glass", "furry", "leopard-print"}
"""Attributes whose colors come about in the image: light passes, hairs and small spots mix."""
LOOKS = [
    (name, look)
    for name, attribute in VOCABULARY.attributes.items()
    for look in list(attribute.looks(VOCABULARY.palette))[:: 7 if attribute.colors > 1 else 1]
    if name not in UNPROVEN
]


@cache
def lit(attribute: str, look: str) -> Bytes:
    """(P, 3) the paint of a duck as seen from the front, in light and shade."""
    duck = shape("duck")
    body = Body(duck.vertices, normals(duck.vertices, duck.faces))
    found = surface(attribute, look, body)
    seen = body.facing > 0.3
    light = found.color * (0.25 + 0.5 * body.facing[:, None])
    if found.emission is not None:
        light = light + found.emission
    return (to_srgb(light[seen]) * 255).astype(np.uint8)


def passes(drawn: tuple[str, str], asked: tuple[str, str]) -> bool:
    """Whether a duck with one look passes as another."""
    return not check.miscolored(Item("duck", *asked), lit(*drawn))


def test_the_table_is_of_the_vocabulary() -> None:
    """Every key is an attribute, or one of its looks; all others are said to be unproven."""
    keys = {key for name, look in LOOKS for key in (name, f"{look.split()[0]} {name}")}
    assert SHARES.keys() <= keys
    bare = {name for name, look in LOOKS if not shown(name, look)}
    assert bare == set()
    assert not any(shown(name, name) for name in UNPROVEN)
    assert VOCABULARY.attributes.keys() >= UNPROVEN


def test_shares_leave_room() -> None:
    """What colors ask for is less than there is, by a quarter at least."""
    for name, look in LOOKS:
        assert sum(least for _, least in shown(name, look)) <= 0.81, look


@pytest.mark.parametrize(("attribute", "look"), [pair for pair in LOOKS if pair[0] not in BLENDED])
def test_a_look_passes_as_itself(attribute: str, look: str) -> None:
    assert check.miscolored(Item("duck", attribute, look), lit(attribute, look)) == []


@pytest.mark.parametrize("attribute", ["", "metallic", "glittery", "glass", "glowing"])
def test_no_color_of_the_palette_passes_as_another(attribute: str) -> None:
    for one, other in permutations(PALETTE, 2):
        plain = (one, one)
        asked = (attribute, f"{other} {attribute}") if attribute else (other, other)
        if attribute in ("", "glittery", "metallic") and "white" not in (one, other):
            assert not passes(plain, asked), (one, asked)


TOLD_APART = """
light-brown wooden / dark-brown leather
tan leather / dark-blue denim
light-gray stone / charcoal stone
terracotta brick / gray brick
cream marble / dark-green marble
straw-colored wicker / dark-brown wicker
crimson plaid / navy plaid
cream floral / teal floral
beige knitted / burgundy knitted
beige quilted / navy quilted
teal scaly / olive-green scaly
shiny golden / shiny silver
shiny golden / polished copper
rainbow-colored / red
camouflage / green
leopard-print / orange
mossy / sandy
rusty / plain cardboard
cracked molten-lava / orange
starry night-sky / black
"""


@pytest.mark.parametrize("pair", TOLD_APART.strip().splitlines())
def test_what_differs_in_color_is_told_apart(pair: str) -> None:
    names = {look: name for name, look in LOOKS}
    one, other = (look.strip() for look in pair.replace("mossy", "moss-covered").split("/"))
    first, second = (names[one], one), (names[other], other)
    assert not passes(first, second)
    assert not passes(second, first)


@pytest.mark.parametrize(
    "pattern", ["striped", "zigzag", "checkered", "polka-dot", "two-tone", "gradient"]
)
def test_two_colors_must_both_be_there(pattern: str) -> None:
    asked = (pattern, f"red and white {pattern}")
    assert passes(asked, asked)
    assert not passes(("red", "red"), asked)
    assert not passes(("white", "white"), asked)
    assert not passes((pattern, f"blue and white {pattern}"), asked)
    assert not passes(asked, ("red", "red"))


def test_a_pattern_in_the_wrong_shares_is_found() -> None:
    pixels = np.array([[200, 20, 30]] * 90 + [[230, 230, 230]] * 10, np.uint8)
    found = check.miscolored(Item("cube", "striped", "red and white striped"), pixels)
    assert found == ["wrong_color red and white striped cube: 10% is white, less than 15%"]


def test_images_of_glass_fur_and_spots_pass() -> None:
    looks = [
        ("glass", "green glass"),
        ("furry", "chestnut furry"),
        ("leopard-print", "leopard-print"),
    ]
    items = [Item(name, *look) for name, look in zip(("cube", "post", "slab"), looks, strict=True)]
    (scene,) = question([items], 4, size=96, samples=8, shapes=box)
    assert check.problems(scene, draw(scene, "scalar", box)) == []
