"""Every exchange with the model, on record before it is judged: what `--writer replay` reads.

The file is a chain of gzip members, each a batch of JSON lines (`zcat` reads it). A member
that a crash cut off is removed when the file is opened again.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from gen.base.chat.backend import Answer

ANSWERS = "answers.jsonl.gz"
_READ_BYTES = 1 << 20


class Exchange(BaseModel):
    """One request and what came of it."""

    slot: str
    attempt: int
    plan: int
    """The attempt that the plan was made for; an earlier one when this is a repair."""
    round: int
    """0, or which repair of the draft this is."""
    prompt: str
    """BLAKE2b of all messages, 64 bits."""
    text: str | None
    """What the model said; None where no request was answered."""
    finish: str
    """Why it ended, or why the request failed."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    faults: dict[str, int] = {}
    """Failed requests before the answer, by reason."""
    heeded: bool = True
    """Whether it uses no word that its prompt banned."""

    @property
    def answer(self) -> Answer | None:
        """What the model said, with why it ended."""
        return None if self.text is None else Answer(self.text, self.finish)

    @property
    def call(self) -> dict[str, Any]:
        """What the run's log says of it."""
        return self.model_dump(exclude={"slot", "attempt", "text"})


class AnswersFile:
    """The file, open for appending. The run's log holds the lock for both."""

    def __init__(self, path: Path) -> None:
        """Open or create it, and cut off half a batch.

        Raises:
            ValueError: where it is damaged before its end.
        """
        whole = deque(_members(path) if path.exists() else (), maxlen=1)
        [(end, last)] = whole or [(0, b"")]
        self.last = _parse(path, last)
        """The last whole batch: the run may have ended before it was judged."""
        self._file = path.open("a+b")
        if end < self._file.seek(0, os.SEEK_END):
            self._file.truncate(end)

    def append(self, batch: Sequence[Exchange]) -> None:
        """Hand a batch to the operating system.

        Raises:
            OSError: the disk takes no more.
        """
        lines = "".join(exchange.model_dump_json() + "\n" for exchange in batch)
        data = memoryview(gzip.compress(lines.encode("utf-8"), mtime=0) if batch else b"")
        while data:
            data = data[os.write(self._file.fileno(), data) :]

    def close(self) -> None:
        """Make the file durable and let it go."""
        os.fsync(self._file.fileno())
        self._file.close()


def read(path: Path) -> Iterator[Exchange]:
    """All exchanges of a file, in the order in which they were judged.

    Raises:
        ValueError: where it is damaged before its end.
    """
    for _, data in _members(path):
        yield from _parse(path, data)


def _parse(path: Path, data: bytes) -> list[Exchange]:
    try:
        return [Exchange.model_validate_json(line) for line in data.splitlines()]
    except ValidationError:
        raise ValueError(f"{path}: damaged; restore the file") from None


def _members(path: Path) -> Iterator[tuple[int, bytes]]:
    """(offset of the end, content) of each whole member."""
    with path.open("rb") as file:
        start, rest = 0, b""
        while True:
            unpack, parts, size = zlib.decompressobj(zlib.MAX_WBITS | 16), [], 0
            while not unpack.eof:
                chunk = rest or file.read(_READ_BYTES)
                if not chunk:
                    return
                size, rest = size + len(chunk), b""
                try:
                    parts.append(unpack.decompress(chunk))
                except zlib.error:
                    raise ValueError(f"{path}: damaged at {start:,} bytes") from None
            rest = unpack.unused_data
            start += size - len(rest)
            yield start, b"".join(parts)
