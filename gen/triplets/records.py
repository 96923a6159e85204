"""The lines of a run's log: an accepted row or a rejection each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json

Call = Mapping[str, Any]
"""What a log line says of the exchange with a language model that it comes from."""


def accepted_line(slot: str, attempt: int, row: dict[str, Any], call: Call | None = None) -> bytes:
    """The log line of an accepted row."""
    record = {"slot": slot, "attempt": attempt, "row": row}
    return to_json(record if call is None else record | {"call": call}) + b"\n"


def rejected_line(
    slot: str, attempt: int, reason: str, draft: dict[str, Any] | None, call: Call | None = None
) -> bytes:
    """The log line of a rejection; `draft` is what the writer answered, if anything."""
    record = {"slot": slot, "attempt": attempt, "reason": reason, "draft": draft}
    return to_json(record if call is None else record | {"call": call}) + b"\n"
