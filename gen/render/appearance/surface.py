"""What a surface looks like: the one form that all attributes come in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gen.render.appearance.colors import PALETTE, Array

Kind = Literal["opaque", "glass", "frost", "film"]
"""How light passes: not at all, clearly with refraction, roughly, or as through a thin skin."""


@dataclass(frozen=True)
class Look:
    """An instantiated attribute: what fills its slots."""

    text: str
    """The appearance, as images are asked for: "red and blue striped"."""

    @property
    def colors(self) -> tuple[str, ...]:
        """Palette words of the text, in order."""
        return tuple(word for word in self.text.split() if word in PALETTE)

    @property
    def pair(self) -> tuple[str, str]:
        """The first two colors."""
        return self.colors[0], self.colors[1]

    @property
    def variant(self) -> str:
        """The first word: what a closed set is chosen by."""
        return self.text.split()[0]


@dataclass(frozen=True)
class Fur:
    """Hairs on a surface."""

    color: str
    length: float = 0.065
    count: int = 15_000


@dataclass(frozen=True)
class Surface:
    """A surface of V vertices."""

    color: Array
    """(V, 3) linear: what is reflected, or what passes through glass."""
    roughness: float = 0.4
    metallic: float = 0.0
    kind: Kind = "opaque"
    emission: Array | None = None
    """(V, 3) linear radiance."""
    height: Array | None = None
    """(V,) displacement along the normal, in object space."""
    opacity: Array | None = None
    """(V,) of a film, or how little of the light passes through frost."""
    fur: Fur | None = None
    grooves: float = 0.7
    """How much the object's inner edges darken."""
    swatches: Sequence[str] = ()
    """Colors that must be found on it (palette words or hexadecimal), for the checks."""
