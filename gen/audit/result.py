"""What a part of the audit hands back: figures, rows to look at, plots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from schemas.audit import Finding

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class FlaggedRow(NamedTuple):
    """A row that somebody should look at; all of them go into `sightings.jsonl`."""

    check: str
    """The check that it comes from, as in `Finding.check`."""
    group: str
    id: str
    """The row's id, or its text where it has none."""
    text: str
    why: str
    """What is odd about it, in words."""


class Plot(NamedTuple):
    """A picture, drawn when the results are written."""

    name: str
    """Of its file, without the ending."""
    title: str
    draw: Callable[[Axes], None]
    """Draws into axes of its own; the title is set already."""


@dataclass
class Result:
    """What a part found."""

    findings: list[Finding] = field(default_factory=list)
    flagged: list[FlaggedRow] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)

    def add(self, other: Result) -> None:
        """Put another result behind this one."""
        self.findings += other.findings
        self.flagged += other.flagged
        self.plots += other.plots
