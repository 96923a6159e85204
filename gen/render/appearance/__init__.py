"""The 50 attributes of the benchmark, as surfaces (paper, appendix A.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gen.render.appearance import effect, finish, material, pattern, texture
from gen.render.appearance.body import Body
from gen.render.appearance.colors import PALETTE
from gen.render.appearance.shown import UNPROVEN, shown
from gen.render.appearance.surface import Look, Surface

__all__ = ["NEUTRAL", "PAINTERS", "Body", "Look", "Surface", "surface"]

NEUTRAL = "clay"
"""What stands for no attribute."""
PAINTERS: dict[str, Callable[[Body, Look], Surface]] = {
    NEUTRAL: finish.clay,
    **dict.fromkeys(PALETTE, finish.painted),
    "golden": finish.golden,
    "silver": finish.silver,
    "copper": finish.copper,
    "metallic": finish.metallic,
    "glittery": finish.glittery,
    "two-tone": finish.two_tone,
    "gradient": finish.gradient,
    "wooden": material.wooden,
    "leather": material.leather,
    "cardboard": material.cardboard,
    "wicker": material.wicker,
    "denim": material.denim,
    "stone": material.stone,
    "brick": material.brick,
    "marble": material.marble,
    "glass": material.glass,
    "striped": pattern.striped,
    "zigzag": pattern.zigzag,
    "checkered": pattern.checkered,
    "polka-dot": pattern.polka_dot,
    "plaid": pattern.plaid,
    "floral": pattern.floral,
    "camouflage": pattern.camouflage,
    "leopard-print": pattern.leopard,
    "tie-dye": pattern.tie_dye,
    "rainbow": pattern.rainbow,
    "mosaic": pattern.mosaic,
    "sandy": texture.sandy,
    "rusty": texture.rusty,
    "mossy": texture.mossy,
    "furry": texture.furry,
    "knitted": texture.knitted,
    "quilted": texture.quilted,
    "scaly": texture.scaly,
    "transparent": effect.transparent,
    "icy": effect.icy,
    "soap-bubble": effect.soap_bubble,
    "holographic": effect.holographic,
    "starry": effect.starry,
    "molten": effect.molten,
    "glowing": effect.glowing,
}


def surface(attribute: str, look: str, body: Body) -> Surface:
    """The surface of a body with an attribute, instantiated as `look`.

    Raises:
        ValueError: for an attribute that the renderer does not know, a look it cannot draw, or one
            of which `shown.SHARES` does not say what colors it must show.
    """
    if attribute not in PAINTERS:
        raise ValueError(
            f"attribute {attribute!r} can't be rendered; known are {', '.join(sorted(PAINTERS))}"
        )
    try:
        painted = PAINTERS[attribute](body, Look(look))
    except (KeyError, IndexError) as error:  # no such variant, too few colors
        raise ValueError(
            f"look {look!r} of attribute {attribute!r} can't be rendered; "
            "write it as gen/vocab/saber.toml gives it"
        ) from error
    told = shown(attribute, look)
    if not told and attribute not in (NEUTRAL, *UNPROVEN):
        raise ValueError(
            f"look {look!r} of attribute {attribute!r} can't be checked; give its colors in SHARES "
            "in gen/render/appearance/shown.py, or name the attribute in UNPROVEN"
        )
    return replace(painted, swatches=[color for color, _ in told])
