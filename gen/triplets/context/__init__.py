"""What an example is set in: scenes, times of day, weathers, registers, opener styles.

1,000 scenes x (8 times + none) x (8 weathers + none) make the paper's 81,000 contexts;
32 registers and 16 opener styles are drawn besides (B.3). Everything is data
(`gen/triplets/context`); each setting file also holds the people, activities and places that the
grammar writer may mention around its scenes.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Setting:
    """A kind of place with the things one may say about it."""

    name: str
    type: str
    """One of `vocabulary.SETTINGS`; decides which classes of objects may be met here."""
    pieces: dict[str, tuple[str, ...]]
    """Phrase lists by name: scenes, people, groups, acts, spots, events, origins, purposes."""


@dataclass(frozen=True)
class Style:
    """A register, time or weather: its name and its phrase lists."""

    name: str
    pieces: dict[str, tuple[str, ...]]
    tense: str = "past"


@dataclass(frozen=True)
class Opener:
    """How a caption begins."""

    name: str
    words: int
    """Words that the style takes from a caption, about."""
    hint: str
    """What a language model is told."""
    fronts: str = ""
    """The part of the context that it begins with (scene, time, weather), if any."""


@dataclass(frozen=True)
class Contexts:
    """All the context lists, in file order: draws index into them."""

    settings: dict[str, Setting]
    scenes: tuple[tuple[str, str], ...]
    """(setting, phrase) for each of the 1,000 scenes."""
    times: dict[str, Style]
    weathers: dict[str, Style]
    registers: dict[str, Style]
    openers: dict[str, Opener]


def lines(text: str) -> tuple[str, ...]:
    """The non-blank lines of a data string, stripped."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text())


def _styles(name: str) -> dict[str, Style]:
    rows = _read(FOLDER / f"{name}.toml")[name]
    return {row["name"]: _style(row) for row in rows}


def _style(row: dict[str, str]) -> Style:
    lists = {key: lines(text) for key, text in row.items() if key not in ("name", "tense")}
    return Style(row["name"], lists, row.get("tense", "past"))


@lru_cache(maxsize=1)
def contexts() -> Contexts:
    """The context lists of the package (tests hold their counts and their distinctness)."""
    settings = {}
    for path in sorted((FOLDER / "settings").glob("*.toml")):
        data = _read(path)
        pieces = {key: lines(text) for key, text in data.items() if key != "type"}
        settings[path.stem] = Setting(path.stem, data["type"], pieces)
    scenes = tuple(
        (name, scene) for name, setting in settings.items() for scene in setting.pieces["scenes"]
    )
    openers = {row["name"]: Opener(**row) for row in _read(FOLDER / "openers.toml")["openers"]}
    return Contexts(
        settings, scenes, _styles("times"), _styles("weathers"), _styles("registers"), openers
    )
