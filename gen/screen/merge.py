"""Decisions from elsewhere, put beside those of a folder."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from gen.saber.images.screening import SCREENING, append, read
from gen.screen.folder import Folder


def merge(folder: Folder, source: Path) -> dict[str, int]:
    """Add the decisions in a file, or in all files of a folder; how many were new, by reviewer.

    All is checked before anything is added, and what is there already is not added again.

    Raises:
        ValueError: where there are no decisions, or one is wrong.
    """
    paths = [source]
    if source.is_dir():
        inner = source / SCREENING if (source / SCREENING).is_dir() else source
        paths = sorted(inner.glob("*.jsonl"))
    if not paths or not all(path.is_file() for path in paths):
        raise ValueError(f"{source}: no decisions; name a reviewer's .jsonl file, or a folder")
    ids = {item.id for item in folder.items()}
    given = defaultdict(list)
    for path in paths:
        for one in read(path)[0]:
            if one.id not in ids:
                raise ValueError(
                    f"{path} is about {one.id!r}, which is no image of {folder.path}; another run?"
                )
            given[one.reviewer].append(one)
    added = {}
    for reviewer, found in given.items():
        own = folder.path / SCREENING / f"{reviewer}.jsonl"
        there = set(read(own)[0]) if own.exists() else set()
        new = [one for one in dict.fromkeys(found) if one not in there]
        if new:
            append(folder.path, new)
        added[reviewer] = len(new)
    return added
