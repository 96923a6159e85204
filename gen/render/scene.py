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

Layout = Literal["fixed", "jitter"]
"""How the images of a question are laid out: alike, or each in its own way (the paper's)."""
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


def question(
    images: Sequence[Sequence[Item]],
    seed: int,
    how: Layout = "fixed",
    size: int = 512,
    samples: int = 16,
    shapes: Shapes = shape,
    attempts: Sequence[int] | None = None,
) -> list[Scene]:
    """The scenes of a question's images. Camera and light are the same in all of them.

    With `fixed` every object keeps its place, so that only attributes move; one that the first
    image lacks takes the place of the one it replaces. With `jitter` every image has places of
    its own. Half of all are mirrored: whole questions with `fixed`, single images with `jitter`.
    `attempts` says of each image how often it was drawn before: places and light paths are others.
    """
    names = sorted({item.object for image in images for item in image})
    outlines = {name: _outline(name, shapes) for name in names}
    slots = [_slots(images)] if how == "fixed" else [_slots([image]) for image in images]
    seen = view(seed, seed)
    own_seeds = [_again(seed, attempt) for attempt in attempts or [0] * len(images)]
    laid = []
    for number, slot in enumerate(slots):
        own = own_seeds[number]
        places = layout([[outlines[name] for name in group] for group in slot], seen, own + number)
        flip = Random(f"flip {own} {number}").random() < 0.5
        laid.append((slot, places, flip))
    scenes = []
    for number, image in enumerate(images):
        slot, places, flip = laid[number if how == "jitter" else 0]
        at = {name: place for names, place in zip(slot, places, strict=True) for name in names}
        noise = Random(f"noise {own_seeds[number]} {number}").getrandbits(31)
        stand = tuple(scaled(at[item.object], outlines[item.object]) for item in image)
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
