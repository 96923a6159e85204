"""What the vocabulary files have in common: TOML with lists of words, and errors in one line."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gen.base.text.words import WORD


def read(path: Path, holds: str) -> tuple[dict[str, Any], bytes]:
    """A file's content, and its bytes for a digest; `holds` says what its folder is to hold.

    Raises:
        ValueError: when the file is missing, unreadable or no TOML.
    """
    try:
        data = path.read_bytes()
        return tomllib.loads(data.decode()), data
    except FileNotFoundError:
        raise ValueError(f"{path}: missing; a vocabulary folder holds {holds}") from None
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{path}: not valid TOML: {error}") from None


def entries(path: Path, field: str, value: object, longest: int) -> tuple[str, ...]:
    """The terms of a list: a string of words, or a list of strings of up to `longest` words.

    Raises:
        ValueError: naming the entry that is wrong.
    """
    if isinstance(value, str):
        found = tuple(value.split())
    elif isinstance(value, list) and all(isinstance(word, str) for word in value):
        found = tuple(value)
    else:
        raise ValueError(f"{path}: {field} must be a string of words or a list of strings")
    if not found:
        raise ValueError(f"{path}: {field} is empty")
    allowed = "one word" if longest == 1 else f"1 to {longest} words"
    for term in found:
        parts = term.split(" ")
        if not (1 <= len(parts) <= longest and all(WORD.fullmatch(part) for part in parts)):
            raise ValueError(
                f"{path}: {field} has {term!r}; an entry is {allowed}"
                " of letters, digits, inner hyphens and apostrophes"
            )
        if term != term.casefold():
            raise ValueError(f"{path}: {field} has {term!r}; entries are lower case")
    return found


def unique(path: Path, lists: Iterable[Iterable[str]]) -> None:
    """Refuse a word that is listed twice.

    Raises:
        ValueError: naming it.
    """
    seen: set[str] = set()
    for words in lists:
        for word in words:
            if word in seen:
                raise ValueError(f"{path}: {word!r} is listed twice; keep it in one place")
            seen.add(word)


def lines(path: Path, data: dict[str, Any], key: str) -> list[str]:
    """The lines of a text that has one group a line.

    Raises:
        ValueError: when it is no text.
    """
    value = data.get(key, "")
    if not isinstance(value, str):
        raise ValueError(f"{path}: {key} must be a string with one group a line")
    return [line.strip() for line in value.splitlines() if line.strip()]


def terms(line: str) -> list[str]:
    """The entries of a line: apart by commas where an entry has several words, else by blanks."""
    return [term.strip() for term in (line.split(",") if "," in line else line.split())]


def tables_of(path: Path, data: dict[str, Any], key: str) -> list[tuple[str, dict[str, Any]]]:
    """The tables [KEY.NAME] of a file, with their names.

    Raises:
        ValueError: when there is none, or one is no table.
    """
    tables = data.get(key)
    if not isinstance(tables, dict) or not tables:
        raise ValueError(f"{path}: needs at least one [{key}.NAME] table")
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise ValueError(f"{path}: {key}.{name} must be a table with `words`")
    return list(tables.items())


def choices(
    path: Path, name: str, table: dict[str, Any], key: str, allowed: tuple[str, ...]
) -> tuple[str, ...]:
    """The words of a list that takes some words alone; all of them where it is left out.

    Raises:
        ValueError: when it has others.
    """
    value = table.get(key, list(allowed))
    if not isinstance(value, list) or not value or not all(item in allowed for item in value):
        raise ValueError(f"{path}: {name}.{key} is {value!r}; choose from {', '.join(allowed)}")
    return tuple(value)
