"""The openai writer against the bare client and bespokelabs-curator, all on one server.

    python -m tests.bench.llm [--rounds 3] [--curator FOLDER] [--faults]

The server (`tests.support.llm_server`) is a process of its own and answers after 200 ms. The
clients take turns, each at two sizes; rows a second and CPU milliseconds a row are the slope
between these, so that starting up is left out. Curator gets an environment in FOLDER, made when it
is not there. Compare figures of one run with each other, not with figures of another machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

from gen.triplets.accept import NO_GUIDANCE
from gen.triplets.plan import DEFAULT_MIX, make_plan, slots
from gen.triplets.prompts import render
from gen.vocab.triplets import load
from tests.bench.llm_run import Client, Job, Run, Serving, run, server

CURATOR = "bespokelabs-curator==0.1.31"
SMALL, LARGE = 1_000, 3_000
"""Rows of the two runs whose difference is measured."""
LATENCY = 0.2
FAULTY = 2_000
"""Rows asked of a server that fails one time in five."""


def ours(job: Job) -> Sequence[object]:
    """The writer with its defaults."""
    options = ("--writer", "openai", "--model", "m", "--base-url", job.url)
    amounts = ("--n", job.n, "--in-flight", job.in_flight, "--out", job.folder / "out")
    return (sys.executable, "-m", "gen.triplets", *options, *amounts)


def bare(job: Job) -> Sequence[object]:
    """The openai client and a semaphore."""
    options = ("--base-url", job.url, "--in-flight", job.in_flight)
    files = (job.prompts, job.folder / "rows.jsonl")
    return (sys.executable, "-m", "tests.bench.llm_peers", *files, *options)


def naive(job: Job) -> Sequence[object]:
    """The same, each prompt until its answer is valid."""
    return (*bare(job), "--naive")


OURS = Client("ours", ours, "out/.run/log*", b'"row"')
BARE = Client("bare client", bare, "rows.jsonl", b"{")
NAIVE = Client("naive loop", naive, "rows.jsonl", b"{")


def curator(folder: Path) -> Client:
    """Curator in an environment of its own, made when it is not there."""
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"Installing {CURATOR} into {folder} (minutes)", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", CURATOR], check=True)

    def command(job: Job) -> Sequence[object]:
        # An address given as a parameter would be probed with a question of another schema.
        address = ("env", f"OPENAI_BASE_URL={job.url}")
        options = (job.prompts, job.folder, "--in-flight", job.in_flight)
        return (*address, python, "-m", "tests.bench.llm_curator", *options)

    tokenizer = next(folder.glob("lib/python*/site-packages/litellm/**/tokenizers"))
    quiet = {"TELEMETRY_ENABLED": "false", "CURATOR_DISABLE_RICH_DISPLAY": "1"}
    own = {"OPENAI_API_KEY": "none", "TIKTOKEN_CACHE_DIR": str(tokenizer)}
    return Client("curator", command, "*/responses_0.jsonl", b"{", {**own, **quiet})


class Bench:
    """A working folder with the prompts that each number of rows asks for first."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._vocabulary = load()
        self._number = count()

    def run(self, client: Client, n: int, in_flight: int, serving: Serving) -> Run:
        """One command in a fresh folder; says so when it fails."""
        folder = self._folder / f"run{next(self._number)}"
        done = run(client, Job(n, in_flight, serving.url, self._prompts(n), folder))
        print(f"  {client.name} n={n} {done.seconds:.1f} s, status {done.status}", file=sys.stderr)
        if done.status:
            print(done.said[-2000:], file=sys.stderr)
        return done

    def _prompts(self, n: int) -> Path:
        path = self._folder / f"{n}.jsonl"
        if not path.exists():
            with path.open("w") as file:
                for slot in islice(slots(n, DEFAULT_MIX), n):
                    text = render(make_plan(0, slot, 0), NO_GUIDANCE, self._vocabulary)
                    file.write(json.dumps({"id": f"{slot.id}.0", "prompt": text}) + "\n")
        return path


class Slope(NamedTuple):
    """What one more row takes."""

    rate: float
    """Rows a second."""
    cpu: float
    """Milliseconds."""


def slope(small: Run, large: Run) -> Slope:
    """The difference of two runs, a row."""
    rows = LARGE - SMALL
    seconds = large.seconds - small.seconds
    return Slope(rows / seconds, (large.cpu - small.cpu) / rows * 1000)


def speed(bench: Bench, clients: Sequence[Client], rounds: int, in_flight: int) -> None:
    """Print what a row takes at each client, and ours against the others."""
    runs: dict[str, list[tuple[Run, Run]]] = {client.name: [] for client in clients}
    with server("--prepare", LARGE, "--latency", LATENCY) as serving:
        for _ in range(rounds):
            for client in clients:
                small = bench.run(client, SMALL, in_flight, serving)
                runs[client.name].append((small, bench.run(client, LARGE, in_flight, serving)))
    print(f"{in_flight} in flight, {LATENCY * 1000:.0f} ms; medians of {rounds} rounds in turn:")
    print("               rows/s  CPU ms/row  first row s  peak MiB  rows/s of each round")
    rates: dict[str, float] = {}
    for name, pairs in runs.items():
        if any(one.status for pair in pairs for one in pair):
            print(f"  {name:<12} failed")
            continue
        slopes = [slope(*pair) for pair in pairs]
        rates[name] = median(one.rate for one in slopes)
        cpu = median(one.cpu for one in slopes)
        first = median(one.first_row for pair in pairs for one in pair)
        peak = max(one.peak for pair in pairs for one in pair)
        each = ", ".join(f"{one.rate:.0f}" for one in slopes)
        print(f"  {name:<12} {rates[name]:>6.0f} {cpu:>11.2f} {first:>12.2f} {peak:>9.0f}  {each}")
    for name, rate in rates.items():
        if OURS.name in rates and name != OURS.name:
            print(f"  ours is {rates[OURS.name] / rate:.2f} times {name}")
    print()


def crowd(bench: Bench, clients: Sequence[Client], in_flight: int) -> None:
    """Print what goes wrong when very many requests are in flight."""
    print(f"{in_flight:,} in flight, {LARGE:,} rows:")
    for client in clients:
        with server("--prepare", LARGE, "--latency", LATENCY) as serving:
            done = bench.run(client, LARGE, in_flight, serving)
        report(client, done, serving)
    print()


def faulty(bench: Bench, clients: Sequence[Client], in_flight: int) -> None:
    """Print how the clients get through a server that fails one time in five."""
    print(f"10 % 429, 5 % 500, 5 % broken drafts, 2 % after 30 s; {FAULTY:,} rows:")
    for client in clients:
        with server("--prepare", FAULTY, "--latency", LATENCY, "--faults") as serving:
            done = bench.run(client, FAULTY, in_flight, serving)
        report(client, done, serving)
    print()


def report(client: Client, done: Run, serving: Serving) -> None:
    """Print one run and what the server counted of it."""
    counts = ", ".join(f"{name} {value:g}" for name, value in serving.counts.items())
    print(f"  {client.name:<12} {done.seconds:.1f} s, exit status {done.status}; server: {counts}")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="turns of each client (3)")
    parser.add_argument("--in-flight", type=int, default=256, help="requests at a time (256)")
    parser.add_argument("--curator", type=Path, help="folder of curator's environment")
    parser.add_argument("--faults", action="store_true", help="also with a server that fails")
    options = parser.parse_args()
    peers = [curator(options.curator.resolve())] if options.curator else []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        speed(bench, [OURS, BARE, *peers], options.rounds, options.in_flight)
        crowd(bench, [OURS, BARE], 1_000)
        if options.faults:
            faulty(bench, [OURS, NAIVE], options.in_flight)


if __name__ == "__main__":
    main()
