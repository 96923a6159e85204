"""Jinja templates: prompts, cards. An undefined name is an error, never a blank."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

PROMPTS = Path(__file__).resolve().parents[2] / "prompts"
"""What models are asked."""
IMAGE = "saber/image.j2"
"""The template for images, which captions don't depend on."""


@lru_cache(maxsize=4)
def environment(folder: Path = PROMPTS, *, final_newline: bool = False) -> Environment:
    """The templates of a folder; `final_newline` keeps the one that a template ends with."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # imported late: 60 ms

    return Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=final_newline,
    )
