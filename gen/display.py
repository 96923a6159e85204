"""What a run shows: a live line in a terminal, plain lines elsewhere, and rows to look at."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import rich.live
from rich.console import Console, Group
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from gen.accept import NO_GUIDANCE
from gen.config import SHORT
from gen.constructions import BY_NAME
from gen.pipeline import Pipeline
from gen.plan import Plan, Slot, make_plan
from gen.run import ATTEMPTS, State
from gen.words import pieces, words
from schemas.manifest import Manifest, Prices, Usage
from schemas.triplets import Example

EVERY = 5.0
"""Seconds between progress lines where there is no terminal."""
STYLES = ("bold green", "bold magenta", "bold cyan")
MARKS = "¹²³"
"""How the pairs of an example are told apart, in color and without."""
SAMPLES = 2
LOOK = 50
"""Rows of each file that are looked through for samples."""
SHOWN = (
    ("query", "query"),
    ("positive", "positive"),
    ("attribute", "negative_attribute"),
    ("object", "negative_object"),
)
"""Labels and columns of the four texts of an example."""


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

    def show(self, state: State, prices: Prices | None = None) -> None:
        """Show where filling stands: accepted, rate, acceptance, top reasons, tokens and cost."""
        accepted = len(state.offsets)
        share = f"{accepted / state.attempts:.1%} of attempts" if state.attempts else ""
        top = ", ".join(f"{name} {count:,}" for name, count in state.reasons.most_common(3))
        note = share + (f", rejected: {top}" if top else "")
        self._move(accepted, note + took(state.usage, prices))

    def advance(self, rows: int, note: str = "") -> None:
        """Count rows that were written; the note takes the place of the last one."""
        self._move(self._done + rows, note)

    def _move(self, done: int, note: str) -> None:
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


def took(usage: Usage, prices: Prices | None = None) -> str:
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


def mark(text: str, example: Example) -> Text:
    """`text` with the words of each pair colored and numbered."""
    owner: dict[str, int] = {}
    for number, (noun, row) in enumerate(zip(example.objects, example.attributes, strict=True)):
        for word in (*words(noun), *(attribute.casefold() for attribute in row)):
            owner[word] = number
    marked = Text()
    for place, piece in enumerate(pieces(text)):
        pair = owner.get(piece.casefold()) if place % 2 else None
        if pair is None:
            marked.append(piece)
        else:
            marked.append(piece + MARKS[pair], STYLES[pair])
    return marked


def show_example(pipeline: Pipeline, slot: Slot) -> bool:
    """Print one slot's example with its bindings marked; whether there was one."""
    console = Console(highlight=False)
    for attempt in range(ATTEMPTS):
        plan = make_plan(pipeline.seed, slot, attempt)
        draft = pipeline.writer.write(plan, NO_GUIDANCE)
        example = draft if isinstance(draft, str) else pipeline.judge.example(plan, draft)
        if isinstance(example, str):
            console.print(f"[dim]{slot.id} attempt {attempt} rejected: {example}[/dim]")
            continue
        print_example(console, plan, example)
        return True
    return False


def print_example(console: Console, plan: Plan, example: Example) -> None:
    """Print an example with its bindings marked."""
    asked = f"{example.length_band} words, distance {example.distance_window}"
    console.print(f"[bold]{example.id}[/bold]  {asked}  [dim]{plan.register}; {plan.context}[/dim]")
    for label, column in SHOWN:
        line = Text(f"  {label:<10}").append_text(mark(getattr(example, column), example))
        console.print(line, soft_wrap=True)
    console.print()


def sample_rows(folder: Path, summary: Manifest) -> list[dict[str, str]]:
    """The first row of each of the first few construction types, for a look."""
    import pyarrow.parquet as pq

    rows: dict[str, dict[str, str]] = {}
    columns = ["construction", *(column for _, column in SHOWN)]
    for name in summary.files:
        if name.startswith("examples/"):
            with pq.ParquetFile(folder / name) as file:
                for row in next(file.iter_batches(LOOK, columns=columns)).to_pylist():
                    rows.setdefault(row["construction"], row)
    return [rows[name] for name in BY_NAME if name in rows][:SAMPLES]


def summarize(folder: Path, summary: Manifest) -> int:
    """Say what the folder holds; the exit status of the run."""
    print(f"\n{folder}: {summary.examples:,} examples, {2 * summary.examples:,} triplets")
    for split, rows in summary.splits.items():
        print(f"  {split:<26} {rows:>9,}")
    for row in sample_rows(folder, summary):
        print()
        for label, column in SHOWN:
            print(f"  {label:<10} {row[column]}")
    if summary.usage:
        usage = summary.usage
        cost = f", cost {usage.cost:,.2f}" if usage.cost is not None else ""
        print(
            f"\n{usage.requests:,} requests, {short(usage.prompt_tokens)} prompt tokens "
            f"({short(usage.cached_tokens)} cached), {short(usage.completion_tokens)} completion "
            f"tokens{cost}; {usage.repaired:,} rows accepted after a repair"
        )
    if summary.complete:
        print(f"\nCheck it:  python -m gen.verify {folder}")
        return 0
    missing = summary.requested - summary.examples
    reasons = ", ".join(f"{name} {count:,}" for name, count in summary.rejections.items())
    print(
        f"\nShort of the {summary.requested:,} asked for by {missing:,}: after {ATTEMPTS} attempts "
        f"a slot is given up. Rejected: {reasons}. A larger vocabulary, or a smaller --n, would do."
    )
    return SHORT
