"""The parts of an audit, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gen.audit.config import AuditConfig
from gen.audit.data import Data
from gen.audit.result import Result

Part = Callable[[Data, AuditConfig], Result]
"""Looks at the data, which it doesn't change, and says what it found.

It is only called where it applies. It raises ValueError for what its flag or the data lacks,
in one line that names the fix.
"""


def parts(data: Data, config: AuditConfig) -> Iterator[tuple[str, Part]]:
    """The parts that apply to this dataset under these settings, with their names."""
    yield from ()
