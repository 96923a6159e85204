"""Worker processes that leave Ctrl-C to the main process and don't outlive it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any


@contextmanager
def pool(
    workers: int, initializer: Callable[..., None], *args: Any
) -> Iterator[ProcessPoolExecutor]:
    """A pool of fresh processes; what it has not begun is dropped when the block ends."""
    executor = ProcessPoolExecutor(
        workers, get_context("spawn"), initializer=_start, initargs=(initializer, args)
    )
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def sigint_blocked() -> Iterator[None]:
    """Hold Ctrl-C back while processes may start: they inherit the mask, and so never see it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(initializer: Callable[..., None], args: tuple[Any, ...]) -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    initializer(*args)


def _end_with_parent() -> None:
    """After kill -9 of the main process its workers would wait for work forever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def cpus() -> int:
    """CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
