"""Every look held against the checks, through the real renderer: its colors, and what it changes
beside itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gen.render.appearance import NEUTRAL
from gen.render.backend import Variant
from gen.render.check import Bleed, bleed, problems
from gen.render.draw import draw
from gen.render.gallery import MODELS, SEED
from gen.render.scene import Item, Shapes, question
from gen.render.shape import shape


@dataclass(frozen=True)
class Finding:
    """What was measured of a look."""

    look: str
    problems: list[str]
    """Of an image with the look on every object."""
    bleed: Bleed
    """Of the look on one object among gray ones, which show most of what falls on them."""

    @property
    def bad(self) -> bool:
        """Whether anything is wrong."""
        return bool(self.problems) or self.bleed.bad

    def line(self) -> str:
        """One line for a person."""
        found = [*self.problems, f"changes {self.bleed.mean:.2f} elsewhere, {self.bleed.most:.0f}"]
        return f"{'FAIL' if self.bad else 'ok':<5}{self.look:<34}{'; '.join(found)}"


def prove(
    looks: Iterable[tuple[str, str]],
    size: int,
    variant: Variant | None = None,
    shapes: Shapes = shape,
    models: Sequence[str] = MODELS,
) -> Iterator[Finding]:
    """A finding for each (attribute, look): four small images."""
    middle = len(models) // 2
    for attribute, look in looks:
        items = [Item(model, attribute, look) for model in models]
        (scene,) = question([items], SEED, size=size, shapes=shapes)
        found = problems(scene, draw(scene, variant, shapes))
        gray = [item._replace(attribute=NEUTRAL, look=NEUTRAL) for item in items]
        gray[middle] = items[middle]
        (alone,) = question([gray], SEED, size=size, shapes=shapes)
        (spread,) = bleed(alone, variant, shapes, size=size, only=[middle])
        yield Finding(look, found, spread)
