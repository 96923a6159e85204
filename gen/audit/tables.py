"""Rows of Parquet, JSON Lines and CSV files."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def parquet(path: Path, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """The rows of a Parquet file, or of some columns of it.

    Raises:
        ValueError: when it is not a Parquet file, or has no such columns.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=columns):
                yield from batch.to_pylist()
    except pa.ArrowException as error:
        raise ValueError(f"{path}: {error}") from None


def json_lines(path: Path) -> Iterator[Row]:
    """The rows of a file with a JSON object a line.

    Raises:
        ValueError: naming the line that is none.
    """
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not isinstance(row, dict):
                raise ValueError(f"{path}: line {number} is not a JSON object")
            yield row


def comma_separated(path: Path) -> Iterator[Row]:
    """The rows of a CSV file whose first line names the columns."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from csv.DictReader(file)


READERS: dict[str, Callable[[Path], Iterator[Row]]] = {
    ".jsonl": json_lines,
    ".csv": comma_separated,
    ".parquet": parquet,
}
"""What reads a file, by the ending of its name."""
