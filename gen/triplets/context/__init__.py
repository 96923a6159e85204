"""What an example is set in: scenes, times of day, weathers, registers, opener styles.

1,000 scenes x (8 times + none) x (8 weathers + none) make the paper's 81,000 contexts;
32 registers, a plain one beside them, and 16 opener styles are drawn besides (B.3). Everything is
data in this folder; each setting file says of its scenes whether they have a roof and what may be
met there, and holds the people and activities that the grammar writer may mention around them.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
PIECES = ("people", "groups", "acts", "events", "origins", "purposes")
"""The phrase lists of a setting."""
PLAIN = "plain"
"""The register of a person who writes a line under a picture; it has no phrases of its own."""


@dataclass(frozen=True)
class Setting:
    """A kind of place with the things one may say about it."""

    name: str
    type: str
    """One of `vocab.triplets.SETTINGS`; where classes that no scene names may be met."""
    pieces: dict[str, tuple[str, ...]]
    """Phrase lists by name: people, groups, acts, events, origins, purposes."""


@dataclass(frozen=True)
class Scene:
    """One place in a setting."""

    setting: str
    text: str
    roof: bool
    """Whether the weather can't reach it."""
    classes: frozenset[str]
    """Classes of objects that nobody would be surprised to see there."""


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
    """What it begins with (scene, time, weather, event), if any; nothing joins an event."""
    subject: bool = True
    """Whether an object may be the subject of a clause of its own behind it."""
    plain: bool = False
    """Whether a line under a picture may begin so."""


@dataclass(frozen=True)
class Contexts:
    """All the context lists, in file order: draws index into them."""

    settings: dict[str, Setting]
    scenes: dict[str, Scene]
    """The 1,000 scenes by their phrase."""
    times: dict[str, Style]
    weathers: dict[str, Style]
    registers: dict[str, Style]
    """Of writing, `PLAIN` apart."""
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
    scenes: dict[str, Scene] = {}
    for path in sorted((FOLDER / "settings").glob("*.toml")):
        data = _read(path)
        pieces = {key: lines(text) for key, text in data.items() if key in PIECES}
        settings[path.stem] = Setting(path.stem, data["type"], pieces)
        for key in ("outdoors", "indoors"):
            for line in lines(data[key]):
                text, _, classes = line.partition(" | ")
                known = frozenset(classes.split())
                scenes[text] = Scene(path.stem, text, key == "indoors", known)
    openers = {row["name"]: Opener(**row) for row in _read(FOLDER / "openers.toml")["openers"]}
    return Contexts(
        settings, scenes, _styles("times"), _styles("weathers"), _styles("registers"), openers
    )
