"""Whole runs for tests: the commands as a user calls them, and the same within this process."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from gen.base.files import read_manifest
from gen.triplets import __main__ as triplets
from gen.verify import __main__ as verify
from schemas.manifest import Manifest
from schemas.triplets import Record
from tests.support import ROOT, TESTS

TINY = TESTS / "data" / "vocab_tiny"
"""10 nouns and 15 adjectives: a run of 180 meets caps, one of 1,000 can't be filled."""


class Done(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one line on standard error; fails when there are more or none."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert self.status != 0
        return lines[0]


def arguments(settings: dict[str, object]) -> list[str]:
    """Flags: `n=3` is --n 3, `resume=False` is --no-resume."""
    flags: list[str] = []
    for name, value in settings.items():
        if value is False:
            flags.append(f"--no-{name}")
        elif value is not True:
            flags += [f"--{name}", str(value)]
    return flags


def cli(main: Callable[[Sequence[str]], int], *argv: object) -> Done:
    """A command within this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main([str(value) for value in argv])
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else 1
    return Done(status, out.getvalue(), err.getvalue())


def run(out: Path, **settings: object) -> Done:
    """`gen.triplets` within this process; with the tiny vocabulary unless told otherwise."""
    return cli(triplets.main, *arguments({"out": out, "vocab": TINY, "workers": 1, **settings}))


def made(out: Path, **settings: object) -> dict[str, bytes]:
    """The files of a run that is to succeed."""
    done = run(out, **settings)
    assert done.status == 0, done.err
    return files(out)


def check(folder: Path, *more: object) -> Done:
    """`gen.verify` within this process; with the tiny vocabulary."""
    return cli(verify.main, folder, "--vocab", TINY, "--workers", 1, *more)


def command(*argv: object, program: str = "gen.triplets") -> subprocess.Popen[str]:
    """A command in a process group of its own, as a shell starts it.

    A `program` with a blank in it is Python text instead of a module.
    """
    how = ["-c", program] if " " in program else ["-m", program]
    process = subprocess.Popen(
        [sys.executable, *how, *map(str, argv)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    _started.append(process)
    return process


_started: list[subprocess.Popen[str]] = []


def end_commands() -> None:
    """Kill what a test that failed did not wait for, lest it disturb the tests after it."""
    while _started:
        process = _started.pop()
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def finish(process: subprocess.Popen[str], timeout: float = 120) -> Done:
    """Wait for a command."""
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"not done after {timeout} s\n{out}\n{err}") from None
    return Done(process.returncode, out, err)


def until(condition: Callable[[], bool], timeout: float = 60) -> None:
    """Wait for something that another process is to do."""
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


def die(job: object) -> None:
    """What a worker does when the kernel takes it for its memory."""
    os._exit(1)


def log_of(folder: Path) -> Path:
    """The log of a run."""
    return folder / ".run" / "log.jsonl"


def files(folder: Path) -> dict[str, bytes]:
    """Name and bytes of every file of a dataset."""
    found = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return {name: data for name, data in found.items() if not name.startswith(".run/")}


def summary(folder: Path) -> Manifest:
    """The manifest of a finished folder."""
    found = read_manifest(folder)
    assert found is not None
    return found


def rows(folder: Path, config: str = "examples") -> dict[str, list[Record]]:
    """The rows of each split, over all its shards."""
    import pyarrow.parquet as pq

    found: dict[str, list[Record]] = {}
    for path in sorted((folder / config).glob("*.parquet")):
        split = path.name.rsplit("-", 3)[0]
        with pq.ParquetFile(path) as file:
            found.setdefault(split, []).extend(file.read().to_pylist())
    return found


def rejections(folder: Path) -> list[Record]:
    """The rejected attempts."""
    return json_lines(folder / "rejected.jsonl")


def json_lines(path: Path) -> list[Record]:
    """What a file of JSON lines holds that nobody is writing to any more."""
    data = path.read_bytes()
    assert not data or data.endswith(b"\n"), f"{path} ends with half a line: is it being written?"
    return [json.loads(line) for line in data.splitlines()]


def loading(code: str, folder: Path, home: Path, *argv: str) -> str:
    """What a program prints that loads a dataset as a user does.

    It runs in the folder's parent, offline, with an empty cache in `home`.
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *argv],
        cwd=folder.parent,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
