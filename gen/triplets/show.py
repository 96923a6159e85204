"""What a run of `gen.triplets` shows: how far it is, examples with bindings marked, a summary."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.text import Text

from gen.base.command import SHORT
from gen.base.progress import Display, short, usage_note
from gen.base.text.words import pieces, words
from gen.triplets.accept import NO_GUIDANCE
from gen.triplets.constructions import BY_NAME
from gen.triplets.pipeline import Pipeline
from gen.triplets.plan import Plan, Slot, make_plan
from gen.triplets.state import ATTEMPTS, State
from schemas.manifest import Manifest, Prices
from schemas.triplets import Example, Rejected

STYLES = ("bold green", "bold magenta", "bold cyan")
MARKS = "¹²³"
"""How the pairs of an example are told apart, in color and without."""
SAMPLES = 2
LOOK = 50
"""Rows of each file that are looked through for samples."""
TEXTS = (
    ("query", "query"),
    ("positive", "positive"),
    ("attribute", "negative_attribute"),
    ("object", "negative_object"),
)
"""Labels and columns of the four texts of an example."""


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


def example_of(pipeline: Pipeline, slot: Slot) -> tuple[Plan, Example] | None:
    """One slot's example with its plan, or None; prints the attempts that gave none."""
    console = Console(highlight=False)
    for attempt in range(ATTEMPTS):
        plan = make_plan(pipeline.seed, slot, attempt)
        draft = pipeline.writer.write(plan, NO_GUIDANCE)
        example = draft if isinstance(draft, Rejected) else pipeline.judge.example(plan, draft)
        if isinstance(example, Rejected):
            console.print(f"[dim]{slot.id} attempt {attempt} rejected: {example.reason}[/dim]")
            continue
        return plan, example
    return None


def print_grouped(found: Iterable[tuple[Plan, Example]]) -> None:
    """Print examples, those of a construction and a register in a row, under a heading."""
    console = Console(highlight=False)
    order = list(BY_NAME)

    def group(row: tuple[Plan, Example]) -> tuple[int, str]:
        return order.index(row[1].construction), row[0].register

    for (construction, register), rows in groupby(sorted(found, key=group), group):
        console.rule(f"{order[construction]}: {register}")
        for plan, example in rows:
            print_example(console, plan, example)


def print_example(console: Console, plan: Plan, example: Example) -> None:
    """Print an example with its bindings marked."""
    asked = f"{example.length_band} words, distance {example.distance_window}"
    console.print(f"[bold]{example.id}[/bold]  {asked}  [dim]{plan.register}; {plan.context}[/dim]")
    for label, column in TEXTS:
        line = Text(f"  {label:<10}").append_text(mark(getattr(example, column), example))
        console.print(line, soft_wrap=True)
    console.print()


def sample_rows(folder: Path, summary: Manifest) -> list[dict[str, str]]:
    """The first row of each of the first few construction types, for a look."""
    import pyarrow.parquet as pq

    rows: dict[str, dict[str, str]] = {}
    columns = ["construction", *(column for _, column in TEXTS)]
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
        for label, column in TEXTS:
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


def progress(display: Display, state: State, prices: Prices | None = None) -> None:
    """Show where filling stands: accepted, rate, acceptance, top reasons, tokens and cost."""
    accepted = len(state.offsets)
    share = f"{accepted / state.attempts:.1%} of attempts" if state.attempts else ""
    top = ", ".join(f"{name} {count:,}" for name, count in state.reasons.most_common(3))
    note = share + (f", rejected: {top}" if top else "")
    display.reach(accepted, note + usage_note(state.usage, prices))
