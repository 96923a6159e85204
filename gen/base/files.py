"""Files that are whole or not there, their sums, and the manifest of a complete folder."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from pydantic import ValidationError

from schemas.manifest import MANIFEST, File, Manifest


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a folder, or None where there is none.

    Raises:
        ValueError: where the file is there and is not a manifest of this schema.
    """
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "file"
        raise ValueError(f"{path}: not a manifest: {place}: {first['msg']}") from None


def finished_manifest(folder: Path) -> Manifest:
    """The manifest of a folder that has to have one.

    Raises:
        ValueError: where there is none, or it is not a manifest of this schema.
    """
    found = read_manifest(folder)
    if found is None:
        raise ValueError(
            f"{folder}: no manifest.json, so this is not a finished dataset; "
            "run the command that writes it again"
        )
    return found


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Put the manifest in place in one step."""
    write_atomic(folder / MANIFEST, (manifest.model_dump_json(indent=2) + "\n").encode())


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file under a temporary name, make it durable and rename it into place."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def sha256(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def describe(path: Path, rows: int) -> File:
    """The manifest's entry for a file."""
    return File(sha256=sha256(path), bytes=path.stat().st_size, rows=rows)
