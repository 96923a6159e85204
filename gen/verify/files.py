"""What is proved of every dataset: files and sums, columns and rows, settings and vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gen.base.files import describe
from gen.verify.report import Report
from schemas.manifest import Manifest

if TYPE_CHECKING:
    import pyarrow as pa


def check_vocabulary(folder: Path, found: Manifest, digest: str) -> None:
    """Refuse a vocabulary that isn't the data's own.

    Raises:
        ValueError: saying how to name the right one.
    """
    if digest != found.config.get("vocabulary"):
        raise ValueError(f"{folder} was made with another vocabulary; name its folder with --vocab")


def check_files(folder: Path, found: Manifest, needed: Sequence[str], report: Report) -> None:
    """The manifest's sums hold, and no data file stands beside the listed ones."""
    for name, entry in found.files.items():
        path = folder / name
        same = path.is_file() and describe(path, entry.rows) == entry
        report.check("file as in manifest", name, same)
    tables = [str(path.relative_to(folder)) for path in sorted(folder.glob("*/*.parquet"))]
    for name in (*tables, *needed):
        report.check("file listed in manifest", name, name in found.files)


def check_tables(
    folder: Path, found: Manifest, schemas: Mapping[str, pa.Schema], report: Report
) -> dict[str, list[int]]:
    """Every Parquet file has the columns of its config and its rows; the rows of its groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    groups: dict[str, list[int]] = {}
    for name, entry in found.files.items():
        config = name.partition("/")[0]
        if config not in schemas:
            continue
        try:
            with pq.ParquetFile(folder / name) as file:
                meta = file.metadata
                groups[name] = [meta.row_group(i).num_rows for i in range(meta.num_row_groups)]
                same = file.schema_arrow.equals(schemas[config])
        except (pa.ArrowException, OSError):
            same = False
        report.check("columns as declared", name, same)
        report.check("rows as in manifest", name, sum(groups.get(name, ())) == entry.rows)
    return groups
