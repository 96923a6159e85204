"""Render the dataset card (README.md) of an output folder from its template."""

from __future__ import annotations

from pathlib import Path

from gen.base.files import describe, write_atomic
from gen.base.templates import environment
from schemas.manifest import File, Manifest

FOLDER = Path(__file__).parent


def size_category(rows: int) -> str:
    """The Hub's `size_categories` tag for a number of rows."""
    bounds = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
    for bound, name in bounds:
        if rows < bound:
            return name
    return "100K<n<1M" if rows < 1_000_000 else "1M<n<10M"


def write_card(folder: Path, manifest: Manifest, *, rows: int, **values: object) -> File:
    """Write the card from the dataset's template and return its manifest entry.

    `rows` are those of the default config; `values` is what else the template shows.
    """
    template = environment(FOLDER, final_newline=True).get_template(f"{manifest.dataset}.md.j2")
    text = template.render(manifest=manifest, size_category=size_category(rows), **values)
    path = folder / "README.md"
    write_atomic(path, text.encode())
    return describe(path, 0)
