"""Contact sheets: every object in a neutral color, every attribute on three objects."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from gen.render.appearance import NEUTRAL
from gen.render.backend import Variant
from gen.render.draw import Bytes, draw
from gen.render.scene import Item, Shapes, question
from gen.render.shape import shape

if TYPE_CHECKING:
    from gen.vocab.saber import SaberVocabulary

MODELS = ("cube", "teapot", "duck")
"""The objects that attributes are shown on: flat faces, a round body with thin parts, an animal."""
SEED = 2
"""Of the places in the sheets."""
LOOKS = 4
"""Looks of an attribute that are shown."""
COLUMNS = 6
LABEL = 16
"""Height of a caption, in pixels."""


@dataclass(frozen=True)
class Cell:
    """A picture with what it is to show."""

    name: str
    image: Bytes


def objects(
    names: Iterable[str], size: int, variant: Variant | None = None, shapes: Shapes = shape
) -> Iterable[Cell]:
    """A cell for each object."""
    for name in names:
        (scene,) = question([[Item(name, NEUTRAL, NEUTRAL)]], SEED, size=size, shapes=shapes)
        yield Cell(name, draw(scene, variant, shapes).image)


def attributes(
    looks: Iterable[tuple[str, str]],
    size: int,
    variant: Variant | None = None,
    shapes: Shapes = shape,
    models: Sequence[str] = MODELS,
) -> Iterable[Cell]:
    """A cell for each (attribute, look)."""
    for attribute, look in looks:
        items = [Item(model, attribute, look) for model in models]
        (scene,) = question([items], SEED, size=size, shapes=shapes)
        yield Cell(look, draw(scene, variant, shapes).image)


def examples(vocabulary: SaberVocabulary, count: int = LOOKS) -> list[tuple[str, str]]:
    """Up to `count` looks of each attribute, spread over all that it has."""
    chosen = []
    for name, attribute in vocabulary.attributes.items():
        looks = list(attribute.looks(vocabulary.palette))
        pace = max(1, -(-len(looks) // count))
        chosen += [(name, look) for look in islice(looks[::pace], count)]
    return chosen


def sheet(cells: Iterable[Cell], folder: Path, title: str, told: Callable[[str], None]) -> Path:
    """Write `<title>.png` and `<title>.html` with a folder of pictures; returns the page.

    The page is there last, so that it names no picture that is missing.
    """
    from PIL import Image, ImageDraw

    pictures = folder / title
    pictures.mkdir(parents=True, exist_ok=True)
    kept = []
    for cell in cells:
        picture = Image.fromarray(cell.image)
        picture.save(pictures / f"{cell.name.replace(' ', '-')}.png")
        kept.append((cell.name, picture))
        told(f"{title} {len(kept)}: {cell.name}")
    if not kept:
        raise ValueError(f"nothing to show in the sheet {title!r}")
    side = kept[0][1].width
    rows = -(-len(kept) // COLUMNS)
    whole = Image.new("RGB", (COLUMNS * side, rows * (side + LABEL)), "white")
    pen = ImageDraw.Draw(whole)
    for number, (name, picture) in enumerate(kept):
        left, top = number % COLUMNS * side, number // COLUMNS * (side + LABEL)
        whole.paste(picture, (left, top))
        pen.text((left + 3, top + side + 1), name, fill="black")
    whole.save(folder / f"{title}.png")
    page = folder / f"{title}.html"
    page.write_text(_page(title, [name for name, _ in kept], side), encoding="utf-8")
    return page


def _page(title: str, names: Sequence[str], side: int) -> str:
    figures = "\n".join(
        f'<figure><img loading="lazy" width="{side}" height="{side}" alt="{html.escape(name)}" '
        f'src="{title}/{name.replace(" ", "-")}.png">'
        f"<figcaption>{html.escape(name)}</figcaption></figure>"
        for name in names
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        "<style>body{font:14px sans-serif;display:flex;flex-wrap:wrap}figure{margin:4px}</style>\n"
        f"{figures}\n</html>\n"
    )
