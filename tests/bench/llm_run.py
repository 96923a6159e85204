"""Running a client of a language model as a command: its time, CPU, memory and first row."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Job(NamedTuple):
    """What a client is to do."""

    n: int
    in_flight: int
    url: str
    prompts: Path
    """JSON lines (id, prompt), for a client that makes none of its own."""
    folder: Path
    """Empty; for whatever the client writes."""


@dataclass(frozen=True)
class Client:
    """A command that has rows written."""

    name: str
    command: Callable[[Job], Sequence[object]]
    rows: str
    """Where its rows appear: a pattern within its folder."""
    mark: bytes
    """What a row has and nothing else in that file has."""
    environment: dict[str, str] = field(default_factory=dict)


class Run(NamedTuple):
    """How one command went."""

    status: int
    said: str
    seconds: float
    cpu: float
    """CPU seconds, child processes included."""
    first_row: float
    """Seconds from its start to the first row on disk."""
    peak: float
    """Largest resident size in MiB."""


def run(client: Client, job: Job) -> Run:
    """Run a command to its end, watching for its first row."""
    job.folder.mkdir()
    output = job.folder.with_suffix(".txt")
    ended, met = Event(), [0.0]

    def watch() -> None:
        while not ended.wait(0.01):
            if has_row(client, job.folder):
                met[0] = time.perf_counter() - start
                return

    with output.open("wb") as out:
        start = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in client.command(job)],
            cwd=ROOT,
            env={**os.environ, **client.environment},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        watcher = Thread(target=watch)
        watcher.start()
        _, result, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        ended.set()
        watcher.join()
    process.returncode = os.waitstatus_to_exitcode(result)
    return Run(
        process.returncode,
        output.read_text(errors="replace"),
        seconds,
        usage.ru_utime + usage.ru_stime,
        met[0],
        usage.ru_maxrss / 1024,
    )


def has_row(client: Client, folder: Path) -> bool:
    """Whether a row is on disk."""
    for path in folder.glob(client.rows):
        with path.open("rb") as file:
            if client.mark in file.read(1 << 16):
                return True
    return False


class Serving(NamedTuple):
    """A server that is up; `counts` is filled when it ends."""

    url: str
    counts: dict[str, float]


@contextmanager
def server(*options: object) -> Iterator[Serving]:
    """`python -m tests.support.llm_server` with these options, on a port of its own."""
    command = [sys.executable, "-m", "tests.support.llm_server", "--port", "0", *map(str, options)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        serving = Serving(process.stdout.readline().strip(), {})
        try:
            yield serving
        finally:
            process.send_signal(signal.SIGTERM)
            serving.counts.update(json.loads(process.communicate()[0]))
