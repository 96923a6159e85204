"""The frame of every command: what went wrong becomes one line, Ctrl-C a word on what is safe."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor

from gen.base.config import fail

INTERRUPTED, SHORT = 130, 3
"""Exit statuses: after Ctrl-C; after a run that wrote less than was asked for."""


def command(prog: str, work: Callable[[], int], kept: str) -> int:
    """Do a command's work; returns its exit status.

    `kept` says, where the user or the system ends it, what is not lost and how to go on.
    """
    try:
        return work()
    except ValueError as error:
        fail(prog, str(error))
    except BrokenExecutor:
        fail(prog, "a worker process died (out of memory?); try fewer --workers")
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        fail(prog, f"{place}{error.strerror or error}; {kept}", 1)
    except KeyboardInterrupt:
        print(f"\nStopped; {kept}.", file=sys.stderr)
        return INTERRUPTED
