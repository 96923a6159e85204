"""What an example costs, stage by stage, and how a whole run grows with n.

    python -m tests.bench.triplets [--n 10000] [--grow 10000,100000] [--workers 2]

Stages are timed in this process, one after the other over the same examples, after a warm-up;
whole runs are commands of their own. Compare figures of one run with each other, not with
figures of another machine.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from gen.audit.variety import measures
from gen.triplets.accept import NO_GUIDANCE, Acceptor, claim
from gen.triplets.build import build
from gen.triplets.constructions import BY_NAME
from gen.triplets.grammar import GrammarWriter
from gen.triplets.plan import DEFAULT_MIX, make_plan, slots
from gen.triplets.records import accepted_line
from gen.triplets.validate import check_example
from gen.triplets.validate_draft import check_draft
from gen.vocab.triplets import load
from schemas.triplets import Draft, Example, to_record

A = TypeVar("A")
B = TypeVar("B")
WARM_UP = 4_000
"""Examples written before the clock starts: tables are filled and phrases cached by then."""


def timed(label: str, stage: Callable[[A], B], items: Iterable[A]) -> list[B]:
    """Run a stage over all items and print its CPU time an item."""
    pool = list(items)
    start = time.process_time()
    results = [stage(item) for item in pool]
    print(f"  {label:<18} {(time.process_time() - start) / len(pool) * 1e6:7.0f} µs")
    return results


def stages(n: int) -> None:
    """Print what each stage of the pipeline costs an example."""
    vocabulary = load()
    writer = GrammarWriter(vocabulary)
    everything = list(slots(WARM_UP + n, DEFAULT_MIX))
    for slot in everything[:WARM_UP]:
        writer.write(make_plan(0, slot, 0), NO_GUIDANCE)
    print(f"Stages, over {n:,} examples of the default mix:")
    plans = timed("plan", lambda slot: make_plan(0, slot, 0), everything[WARM_UP:])
    answers = timed("write", lambda plan: writer.write(plan, NO_GUIDANCE), plans)
    drafts = [
        (plan, answer)
        for plan, answer in zip(plans, answers, strict=True)
        if isinstance(answer, Draft)
    ]
    timed(
        "check the draft",
        lambda pair: check_draft(pair[1], BY_NAME[pair[0].slot.construction], vocabulary),
        drafts,
    )
    built = timed("build", lambda pair: build(*pair, "grammar", vocabulary), drafts)
    examples = [
        (plan, row)
        for (plan, _), row in zip(drafts, built, strict=True)
        if isinstance(row, Example)
    ]
    verdicts = timed(
        "check the example",
        lambda pair: check_example(pair[1], vocabulary, pair[0].choice),
        examples,
    )
    good = [row for (_, row), reason in zip(examples, verdicts, strict=True) if reason is None]
    timed("log line", lambda row: accepted_line(row.id, 0, to_record(row)), good)
    claims = timed("claim", claim, good)
    timed("accept", Acceptor().offer, claims)
    print(f"  first attempts that pass every check: {len(good) / n:.2%}\n")
    report([row.positive for row in good])


def report(captions: Sequence[str]) -> None:
    """Print every measure of variety that needs captions alone."""
    print(f"Variety, over {len(captions):,} captions:")
    print(f"  distinct captions           {measures.distinct_share(captions):.2%}")
    near = len(measures.near_duplicates(captions)) / len(captions)
    print(f"  with a near-duplicate       {near:.2%}")
    if measures.size(captions) < measures.CHARACTERS:
        print(f"  (too few for the measures over {measures.CHARACTERS:,} characters)")
        return
    text = measures.sample(captions)
    print(f"  gzip ratio                  {measures.gzip_ratio(text):.2f}")
    print(f"  distinct 4-grams            {measures.distinct_ngrams(text):.2%}")


def whole_run(n: int, workers: int) -> None:
    """Print wall time, rate and peak memory of one command that writes n examples."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "gen.triplets", "--n", str(n), "--workers", str(workers)]
        start = time.perf_counter()
        done = subprocess.run(
            [*command, "--out", str(Path(folder) / "out")], capture_output=True, text=True
        )
        wall = time.perf_counter() - start
    found = re.search(r"([\d,]+) examples", done.stdout)
    rows = int(found.group(1).replace(",", "")) if found else 0
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"  {rows:>9,} examples  {workers} workers  {wall:7.1f} s  {rows / wall:7,.0f}/s"
        f"  {wall / max(rows, 1) * 1e6:6.0f} µs each  largest process so far {peak:,.0f} MiB"
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10_000, help="examples for the stages")
    parser.add_argument("--grow", default="10000,40000", help="sizes of whole runs")
    parser.add_argument("--workers", type=int, default=2, help="workers of whole runs")
    options = parser.parse_args()
    stages(options.n)
    print("Whole runs, start-up and shards included:")
    for n in map(int, options.grow.split(",")):
        whole_run(n, options.workers)


if __name__ == "__main__":
    main()
