"""Contact sheets of what the renderer draws: `python -m gen.render --out gallery`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from pydantic import Field

from schemas.config import Config, fail

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
    variant: Literal["llvm", "scalar"] | None = Field(
        None, description="how Mitsuba runs; the fastest that works here, if not given"
    )


def main(argv: list[str] | None = None) -> None:
    """Draw the sheets; one line of progress for each picture."""
    config = Gallery.from_argv(argv, PROG, __doc__)
    try:
        _draw(config)
    except ValueError as error:
        fail(PROG, str(error))


def _draw(config: Gallery) -> None:
    from gen.render import gallery
    from gen.saber.vocabulary import load

    vocabulary = load()
    wanted = {name.strip() for name in config.only.split(",")} - {""}
    if unknown := wanted - {*vocabulary.objects, *vocabulary.attributes}:
        raise ValueError(f"--only names {min(unknown)!r}, which is not in the vocabulary")

    def told(line: str) -> None:
        print(line, file=sys.stderr)

    if config.sheet != "attributes":
        names = [name for name in vocabulary.objects if not wanted or name in wanted]
        cells = gallery.objects(names, config.size, config.variant)
        print(gallery.sheet(cells, config.out, "objects", told))
    if config.sheet != "objects":
        looks = gallery.examples(vocabulary, config.looks)
        chosen = [(name, look) for name, look in looks if not wanted or name in wanted]
        pictures = gallery.attributes(chosen, config.size, config.variant)
        print(gallery.sheet(pictures, config.out, "attributes", told))


if __name__ == "__main__":
    main()
