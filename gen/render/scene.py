"""What one image shows, as plain data: objects with attributes, places, camera, light."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random
from typing import Literal, NamedTuple

from gen.render.layout import Outline, Place, layout, outline, scaled
from gen.render.shape import Shape, shape
from gen.render.view import View, view

Layout = Literal["apart", "fixed", "jitter"]
"""How the images of a question are laid out: all but the first alike, all alike, or each in its own
way (the paper's)."""
Shapes = Callable[[str], Shape]


class Item(NamedTuple):
    """An object with an attribute."""

    object: str
    attribute: str
    look: str
    """The attribute's appearance, slots filled: "red and blue striped"."""


@dataclass(frozen=True)
class Scene:
    """One image to draw. Equal scenes give equal images."""

    items: tuple[Item, ...]
    places: tuple[Place, ...]
    """One for each item."""
    camera_seed: int
    light_seed: int
    noise_seed: int
    """Of the light paths: 32 bits."""
    flip: bool = False
    """Mirror the image, its mask and its boxes from left to right."""
    size: int = 512
    """Pixels of a side."""
    samples: int = 16
    """Light paths for a pixel; drawn are as many as fill a grid (`gen.render.draw.strata`)."""

    @cached_property
    def view(self) -> View:
        """Its camera and light."""
        return view(self.camera_seed, self.light_seed)


def sharing(how: Layout, count: int) -> list[int]:
    """For each image of a question the first of those that it shares its places with.

    >>> sharing("apart", 5), sharing("fixed", 5), sharing("jitter", 5)
    ([0, 1, 1, 1, 1], [0, 0, 0, 0, 0], [0, 1, 2, 3, 4])
    """
    return [
        number if how == "jitter" else int(how == "apart" and number > 0) for number in range(count)
    ]


def question(
    images: Sequence[Sequence[Item]],
    seed: int,
    how: Layout = "apart",
    size: int = 512,
    samples: int = 8,
    shapes: Shapes = shape,
    attempts: Sequence[int] | None = None,
) -> list[Scene]:
    """The scenes of a question's images. Camera and light are the same in all of them.

    Among images that share their places every object keeps its own, so that only attributes move;
    one that the first of them lacks takes the place of the one it replaces. They are mirrored
    together or not at all, half of the time. `attempts` says of each image how often it was drawn
    before (images that share places as often): places and light paths are others.
    """
    names = sorted({item.object for image in images for item in image})
    outlines = {name: _outline(name, shapes) for name in names}
    seen = view(seed, seed)
    shared = sharing(how, len(images))
    seeds = [_again(seed, attempt) for attempt in attempts or [0] * len(images)]
    at: dict[int, dict[str, Place]] = {}
    for first in dict.fromkeys(shared):
        slots = _slots([image for image, own in zip(images, shared, strict=True) if own == first])
        room = [[outlines[name] for name in slot] for slot in slots]
        places = layout(room, seen, seeds[first] + first)
        found = zip(slots, places, strict=True)
        at[first] = {name: place for slot, place in found for name in slot}
    scenes = []
    for number, (image, first, own) in enumerate(zip(images, shared, seeds, strict=True)):
        flip = Random(f"flip {own} {first}").random() < 0.5
        noise = Random(f"noise {own} {number}").getrandbits(31)
        stand = tuple(scaled(at[first][item.object], outlines[item.object]) for item in image)
        scenes.append(Scene(tuple(image), stand, seed, seed, noise, flip, size, samples))
    return scenes


def _again(seed: int, attempt: int) -> int:
    """The seed of an attempt: the first has the question's own."""
    return Random(f"attempt {seed} {attempt}").getrandbits(63) if attempt else seed


@cache
def _outline(name: str, shapes: Shapes) -> Outline:
    """The outline of an object: small, 0.05 s to make, and needed by many questions."""
    return outline(shapes(name))


def _slots(images: Sequence[Sequence[Item]]) -> list[list[str]]:
    """For each place the objects that may stand there, the first image's first."""
    slots = [[item.object] for item in images[0]]
    for image in images[1:]:
        names = {item.object for item in image}
        left = [slot for slot in slots if not names & set(slot)]
        new = [name for name in names if not any(name in slot for slot in slots)]
        if len(new) > len(left):
            raise ValueError(f"the images of a question show {len(slots)} objects each, not more")
        for slot, name in zip(left, sorted(new), strict=False):
            slot.append(name)
    return slots
