"""The colors that an object must show for each look, and in what shares: for the checks.

They are stated apart from the painters, so that a painter's slip does not pass unseen. Shares are
about two thirds of the least that was measured on objects of all kinds in the scene's light.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gen.render.appearance.surface import Look


class Shown(NamedTuple):
    """A color, and the least share of an object's pixels that have it."""

    color: str
    """A palette word, or sRGB in hexadecimal."""
    least: float


Shares = Mapping[str, float]
FIRST, SECOND = "first", "second"
"""The colors that fill a look's slots."""

PLAIN: Shares = {FIRST: 0.8}
HALVES: Shares = {FIRST: 0.15, SECOND: 0.15}

SHARES: dict[str, Shares] = {
    **dict.fromkeys(
        ("red", "orange", "yellow", "green", "blue", "purple", "pink", "white", "black"), PLAIN
    ),
    "golden": {"c8922c": 0.8},
    "silver": {"9a9a9c": 0.7},
    "copper": {"b8643c": 0.8},
    "metallic": {FIRST: 0.65},
    "white metallic": {"9a9a9c": 0.6},
    "glittery": {FIRST: 0.55},
    "white glittery": {"white": 0.2},
    "light-brown wooden": {"c89258": 0.8},
    "dark-brown wooden": {"5a3820": 0.5},
    "tan leather": {"a86c38": 0.75},
    "dark-brown leather": {"4a2816": 0.4},
    "cardboard": {"bb925f": 0.8},
    "straw-colored wicker": {"c8a45c": 0.75},
    "dark-brown wicker": {"6a4022": 0.75},
    "light-blue denim": {"7aa0c8": 0.6},
    "dark-blue denim": {"2c4674": 0.6},
    "light-gray stone": {"98968f": 0.8},
    "charcoal stone": {"3c3c3e": 0.8},
    "terracotta brick": {"b0502e": 0.4},
    "gray brick": {"8a8a8c": 0.8},
    "cream marble": {"e6d8b8": 0.6},
    "dark-green marble": {"1c4a34": 0.5},
    "glass": {FIRST: 0.55},
    "white glass": {"a8a8a8": 0.8},
    **dict.fromkeys(("striped", "zigzag", "checkered", "two-tone"), HALVES),
    "polka-dot": {FIRST: 0.4, SECOND: 0.06},
    "gradient": {FIRST: 0.1, SECOND: 0.08},
    "crimson plaid": {"b81c34": 0.3, "f0d890": 0.05},
    "navy plaid": {"24407c": 0.25, "d0d4dc": 0.06},
    "cream floral": {"f4e8cc": 0.4, "2c7a34": 0.008},
    "teal floral": {"127078": 0.4, "f4c8d4": 0.03, "2c7a34": 0.008},
    "camouflage": {"4a5a30": 0.4, "9a8a5c": 0.08},
    "leopard-print": {"d8a862": 0.5, "402c18": 0.03},
    "tie-dye": {"e81e4c": 0.04, "f8ec2c": 0.04, "22b44e": 0.015, "1c6ee8": 0.04},
    "rainbow": {"red": 0.04, "yellow": 0.04, "green": 0.04, "blue": 0.04},
    "mosaic": {"d8d4ca": 0.2, "f2d02c": 0.02, "1c64c0": 0.02},
    "sandy": {"d8b878": 0.8},
    "rusty": {"9a4416": 0.55},
    "mossy": {"6c8c28": 0.75},
    "gray furry": {"80807e": 0.8},
    "chestnut furry": {"8a4a24": 0.75},
    "beige knitted": {"d0b890": 0.75},
    "burgundy knitted": {"8c1c38": 0.4},
    "beige quilted": {"dcc8a4": 0.75},
    "navy quilted": {"24346c": 0.7},
    "teal scaly": {"188a8c": 0.7},
    "olive-green scaly": {"66702a": 0.7},
    "starry": {"2a3070": 0.4},
    "molten": {"241c18": 0.15, "ff5a08": 0.1},
    "glowing": {FIRST: 0.5},
}
"""By look, as its first word and the attribute, or else by attribute. Every look needs an entry."""
UNPROVEN = frozenset({"transparent", "icy", "soap-bubble", "holographic"})
"""Attributes without one: they take their colors from around them; nothing is proven of them."""


def shown(attribute: str, look: str) -> tuple[Shown, ...]:
    """The colors that a look shows; none where nothing can be said (see `UNPROVEN`)."""
    said = Look(look)
    shares = SHARES.get(f"{said.variant} {attribute}", SHARES.get(attribute, {}))
    slots = dict(zip((FIRST, SECOND), said.colors, strict=False))
    return tuple(Shown(slots.get(color, color), least) for color, least in shares.items())
