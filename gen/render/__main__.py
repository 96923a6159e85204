"""What the renderer draws, as contact sheets or held against its checks:
`python -m gen.render --out gallery`, `python -m gen.render --check`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from pydantic import Field

from gen.base.command import command
from gen.base.config import Config

PROG = "python -m gen.render"


class Gallery(Config):
    """Settings of the contact sheets."""

    out: Path = Field(Path("gallery"), description="folder for the sheets, PNG and HTML")
    sheet: Literal["objects", "attributes", "both"] = Field(
        "both", description="objects in clay, attributes on three objects, or both"
    )
    size: int = Field(192, ge=64, le=1024, description="pixels of a picture's side")
    looks: int = Field(4, ge=1, le=72, description="looks of each attribute, at most")
    only: str = Field("", description="objects or attributes to show, separated by commas; or all")
    check: bool = Field(
        False,
        description="instead of drawing sheets, measure each attribute: whether objects have its "
        "colors, and what it changes beside itself",
    )
    variant: Literal["llvm", "scalar"] | None = Field(
        None, description="how Mitsuba runs; the fastest that works here, if not given"
    )


def main(argv: list[str] | None = None) -> int:
    """Draw the sheets, or check: a line for each. Returns 1 when a check fails."""
    config = Gallery.from_argv(argv, PROG, __doc__)
    work = _check if config.check else _draw
    return command(PROG, lambda: work(config), "what is drawn is kept")


def _looks(config: Gallery) -> tuple[list[str], list[tuple[str, str]]]:
    """The objects, and the looks of attributes, that are wanted."""
    from gen.render import gallery
    from gen.vocab.saber import load

    vocabulary = load()
    wanted = {name.strip() for name in config.only.split(",")} - {""}
    if unknown := wanted - {*vocabulary.objects, *vocabulary.attributes}:
        raise ValueError(f"--only names {min(unknown)!r}, which is not in the vocabulary")
    names = [name for name in vocabulary.objects if not wanted or name in wanted]
    looks = gallery.examples(vocabulary, config.looks)
    return names, [(name, look) for name, look in looks if not wanted or name in wanted]


def _draw(config: Gallery) -> int:
    from gen.render import gallery

    def told(line: str) -> None:
        print(line, file=sys.stderr)

    names, looks = _looks(config)
    if config.sheet != "attributes":
        cells = gallery.objects(names, config.size, config.variant)
        print(gallery.sheet(cells, config.out, "objects", told))
    if config.sheet != "objects":
        pictures = gallery.attributes(looks, config.size, config.variant)
        print(gallery.sheet(pictures, config.out, "attributes", told))
    return 0


def _check(config: Gallery) -> int:
    """Print what is found of each look; 1 when any fails, else 0."""
    from gen.render.prove import prove

    bad = 0
    for found in prove(_looks(config)[1], config.size, config.variant):
        print(found.line(), flush=True)
        bad += found.bad
    print(f"{bad} looks fail" if bad else "every look passes")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
