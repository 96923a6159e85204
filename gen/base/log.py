"""An append-only log of JSON lines.

A line counts once its newline is in the file. Whatever a crash left after the last newline
is cut off when the log is opened again, so a row is never lost, doubled or half there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic_core import from_json

STEP = 1 << 20
"""Bytes read at a time in search of a newline."""


def whole_lines(file: int) -> int:
    """Bytes of an open file up to its last newline; its offset stays."""
    kept = os.fstat(file).st_size
    while kept:
        start = max(kept - STEP, 0)
        newline = os.pread(file, kept - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        kept = start
    return 0


class Log:
    """An open log file; `gen.base.folder` keeps a second run away from it."""

    def __init__(self, path: Path) -> None:
        """Open or create the log."""
        self.path = path
        self._file = path.open("a+b")
        self.end = whole_lines(self._file.fileno())
        if self.end < os.fstat(self._file.fileno()).st_size:
            self._file.truncate(self.end)

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """(offset, record) of every line.

        Raises:
            ValueError: for a line that is not a record, naming its place.
        """
        offset = 0
        self._file.seek(0)
        for number, line in enumerate(self._file, 1):
            try:
                record = from_json(line)
            except ValueError as error:
                raise self.damaged(number, str(error)) from None
            yield offset, record
            offset += len(line)

    def damaged(self, line: int, why: str) -> ValueError:
        """The error for a line that can't be right."""
        return ValueError(
            f"{self.path}: line {line} is damaged ({why}); restore the file, "
            "or start afresh with --no-resume"
        )

    def read(self, offset: int) -> dict[str, Any]:
        """The record that starts at an offset."""
        self._file.seek(offset)
        record: dict[str, Any] = from_json(self._file.readline())
        return record

    def append(self, lines: list[bytes]) -> None:
        """Hand whole lines to the operating system: from here on a kill can't lose them."""
        data = memoryview(b"".join(lines))
        while data:
            written = os.write(self._file.fileno(), data)
            self.end += written
            data = data[written:]

    def close(self) -> None:
        """Make the log durable and let it go."""
        os.fsync(self._file.fileno())
        self._file.close()
