"""Progress of a run: a live line in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import rich.live
from rich.console import Console, Group
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from schemas.manifest import Prices, Usage

EVERY = 5.0
"""Seconds between progress lines where there is no terminal."""


class Live(Protocol):
    """A terminal's live display: takes rows done, the rate and a note."""

    def __call__(self, done: int, rate: str, note: str) -> None:
        """Show the state."""
        ...


class Display:
    """Progress of one phase towards a number of rows."""

    def __init__(self, label: str, total: int, before: int, live: Live | None) -> None:
        self._label, self._total, self._live = label, total, live
        self._start = self._shown = time.monotonic()
        self._before = self._done = before

    def advance(self, rows: int, note: str = "") -> None:
        """Count rows that were written; the note takes the place of the last one."""
        self.reach(self._done + rows, note)

    def reach(self, done: int, note: str = "") -> None:
        """Show that so many rows are done in all, with a note beside."""
        now = time.monotonic()
        self._done = done
        pace = (done - self._before) / max(now - self._start, 1e-9)
        rate = f"{pace:,.0f}/s" if pace >= 10 else f"{pace:.2g}/s"
        if self._live is not None:
            self._live(done, rate, note)
        elif now - self._shown >= EVERY or done >= self._total:
            line = f"{self._label} {done:,} of {self._total:,}  {rate} {note}".rstrip()
            left = f"  {duration((self._total - done) / pace)} left" if pace > 0 else ""
            print(f"{line}{left}", flush=True)
            self._shown = now


def usage_note(usage: Usage, prices: Prices | None = None) -> str:
    """What a model took, in a few words; nothing where none was asked."""
    if not usage.requests:
        return ""
    faults, cost = sum(usage.faults.values()), usage.priced(prices) if prices else usage.cost
    return (
        f"; {short(usage.prompt_tokens)}+{short(usage.completion_tokens)} tokens"
        + ("" if cost is None else f", cost {cost:,.2f}")
        + (f", {faults:,} requests sent again" if faults else "")
    )


def short(count: float) -> str:
    """A count in three digits: 950, 12.3k, 4.56M.

    >>> short(950), short(12_345), short(4_560_000)
    ('950', '12.3k', '4.56M')
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.3g}{letter}"
    return f"{count:.0f}"


def duration(seconds: float) -> str:
    """A time in its two largest units.

    >>> duration(40), duration(130), duration(7.3 * 3600)
    ('40 s', '2 min', '7 h 18 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


@contextmanager
def phase(label: str, total: int, before: int = 0) -> Iterator[Display]:
    """A display for a phase that starts with `before` of `total` rows done."""
    console = Console()
    if not console.is_terminal:
        yield Display(label, total, before, None)
        return
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=16),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(compact=True),
    )
    task = progress.add_task(label, total=total, completed=before, rate="")
    below = Text(style="dim", overflow="ellipsis", no_wrap=True)

    def live(done: int, rate: str, note: str) -> None:
        progress.update(task, completed=done, rate=rate)
        below.plain = f"  {note}" if note else ""

    with rich.live.Live(Group(progress, below), console=console):
        yield Display(label, total, before, live)
