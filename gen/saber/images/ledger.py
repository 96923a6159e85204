"""What images cost: every request on record, and a bound on what is spent."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Self

from pydantic_core import to_json

from gen.base.log import Log
from gen.saber.images.api import Call
from schemas.manifest import Usage

REQUESTS = "requests"


def on_record(folder: Path) -> list[Path]:
    """The files of requests, where images of a folder were paid for."""
    return sorted(folder.glob(f"{REQUESTS}*.jsonl"))


class Ledger:
    """All requests for the images of a folder, in this run and in those before it.

    `<folder>/requests.jsonl` has a line for each; a run of one part has a file of its own, so that
    the parts' folders can be copied together. May be used from several threads.
    """

    def __init__(self, folder: Path, part: str, price: float | None, budget: float | None) -> None:
        """Read what is on record.

        `price` is that of an image, `budget` the most that all of them may cost together.

        Raises:
            ValueError: where a record is damaged before its last line.
        """
        self.path = folder / (f"{REQUESTS}-{part}.jsonl" if part else f"{REQUESTS}.jsonl")
        self.in_flight = 0
        """Requests that are being answered."""
        self._price, self._budget = price, budget
        self._usage, self._paid = Usage(), 0
        self._lock = Lock()
        self._log: Log | None = None
        for path in on_record(folder):
            with closing(Log(path)) as log:
                for number, (_, record) in enumerate(log.records(), 1):
                    try:
                        self._count(Call(**record))
                    except TypeError:
                        raise log.damaged(number, "not a request") from None

    def __enter__(self) -> Self:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._log = Log(self.path)
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:  # a thread that nobody waits for may be writing
            if self._log is not None:
                self._log.close()
            self._log = None

    @property
    def usage(self) -> Usage:
        """What all requests took; the cost, where the price of an image is known."""
        cost = None if self._price is None else round(self._paid * self._price, 6)
        return self._usage.model_copy(update={"cost": cost})

    def reserve(self) -> bool:
        """Count a request that is going to be sent, unless the budget has no room for it."""
        with self._lock:
            cost = (self._paid + self.in_flight + 1) * (self._price or 0.0)
            if self._budget is not None and cost > self._budget + 1e-9:
                return False
            self.in_flight += 1
            return True

    def settle(self, call: Call) -> None:
        """Put a request that was reserved on record, with what came of it."""
        with self._lock:
            self.in_flight -= 1
            self._count(call)
            if self._log is not None:
                self._log.append([to_json(asdict(call)) + b"\n"])

    def _count(self, call: Call) -> None:
        usage = self._usage
        usage.requests += 1
        usage.prompt_tokens += call.prompt_tokens
        usage.completion_tokens += call.completion_tokens
        self._paid += call.paid
        if call.reason:
            usage.faults[call.reason] = usage.faults.get(call.reason, 0) + 1
