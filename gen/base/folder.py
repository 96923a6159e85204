"""An output folder as one run's: claimed before anything is written, refused to any other run.

`.run/identity.json` says which run a folder belongs to, finished or not; the manifest, written
last, that it is finished.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gen.base.files import read_manifest, write_atomic
from schemas.manifest import MANIFEST, Manifest

RUN = ".run"
"""Sub-folder with the identity of a run; not part of the dataset."""


@contextmanager
def claimed(
    folder: Path, identity: Mapping[str, Any], contents: Iterable[str], *, resume: bool
) -> Iterator[Manifest | None]:
    """Hold a folder for one run; the manifest if the run is finished already.

    `identity` names the dataset and what determines it. `contents` are the files and sub-folders
    that a run writes: without `resume`, those of an earlier run of the same dataset are removed
    first, and nothing else.

    Raises:
        ValueError: when the folder is not this program's, holds another run, or is being written.
    """
    stamp = folder / RUN / "identity.json"
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder}: not a folder; choose another --out")
    if not stamp.exists() and folder.exists() and any(p.name != RUN for p in folder.iterdir()):
        raise ValueError(
            f"{folder} exists and is not an output folder of this program; choose another --out"
        )
    stamp.parent.mkdir(parents=True, exist_ok=True)
    with (stamp.parent / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"{folder}: another run is writing here") from None
        if stamp.exists():
            known = _known(stamp)
            if resume or (known and known.get("dataset") != identity["dataset"]):
                _check_same(folder, known, identity)
            else:
                _discard(folder, contents)
        if not stamp.exists() or _known(stamp) != _as_json(identity):
            write_atomic(stamp, json.dumps(identity, indent=2).encode())
        yield read_manifest(folder)


def _as_json(identity: Mapping[str, Any]) -> dict[str, Any]:
    """An identity as JSON has it: a tuple comes back as a list."""
    found: dict[str, Any] = json.loads(json.dumps(identity))
    return found


def _known(stamp: Path) -> dict[str, Any] | None:
    """The identity that a folder holds; None when it is damaged."""
    try:
        known = json.loads(stamp.read_text())
    except ValueError:
        return None
    return known if isinstance(known, dict) else None


def _check_same(folder: Path, known: dict[str, Any] | None, identity: Mapping[str, Any]) -> None:
    if known is None:
        raise ValueError(f"{folder / RUN}: identity.json is damaged; start afresh with --no-resume")
    if known.get("dataset") != identity["dataset"]:
        raise ValueError(f"{folder} holds another kind of dataset; choose another --out")
    asked = _as_json(identity)
    differing = [key for key in asked if known.get(key) != asked[key]]
    differing = differing or [key for key in known if key not in asked]
    if differing:
        raise ValueError(
            f"{folder} holds a run with another {' and '.join(differing)}; choose another --out, "
            "or discard it with --no-resume"
        )


def _discard(folder: Path, contents: Iterable[str]) -> None:
    """Remove what an earlier run wrote, the manifest first: a kill leaves an unfinished folder."""
    (folder / MANIFEST).unlink(missing_ok=True)
    for name in contents:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
