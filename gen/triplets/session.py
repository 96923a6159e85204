"""One run of `gen.triplets` against its folder: start, go on, top up or leave alone."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any, Protocol

from gen.base.command import SHORT
from gen.base.folder import RUN, claimed
from gen.base.log import Log
from gen.base.progress import phase
from gen.triplets.config import TripletsConfig
from gen.triplets.models.record import ANSWERS
from gen.triplets.plan import Slot, slots
from gen.triplets.shards import CONFIGS, write_folder
from gen.triplets.show import progress, summarize
from gen.triplets.state import Run, Tick, restore
from gen.triplets.writers import WRITERS
from gen.vocab.triplets import BUILTIN, Vocabulary, load
from schemas.manifest import Manifest

LOG = "log.jsonl"
WRITTEN = ("README.md", "rejected.jsonl", *CONFIGS, f"{RUN}/{LOG}", f"{RUN}/{ANSWERS}")
"""What a run writes; `--no-resume` removes it and nothing else."""
MAKE = "python -m gen.triplets.plausibility"
"""Makes the table that tells plausible pairs apart within a class."""


class Filler(Protocol):
    """What the module of a writer has (see `gen.triplets.writers`)."""

    def settle(
        self, config: TripletsConfig, vocabulary: Vocabulary
    ) -> tuple[TripletsConfig, dict[str, Any]]:
        """The settings that a run goes by, and its identity: what determines the data.

        Two runs with the same identity (and the same answers of a model) write the same rows.

        Raises:
            ValueError: the settings do not fit what they refer to.
        """
        ...

    def preview(self, config: TripletsConfig, vocabulary: Vocabulary) -> int:
        """Print examples with their bindings marked; how many there were.

        Raises:
            ValueError, ConnectionError: the writer can't write.
        """
        ...

    def fill(self, run: Run, todo: Sequence[Slot], tick: Tick) -> None:
        """Fill slots, calling `tick` after each write to the log.

        Raises:
            ValueError, ConnectionError: the writer can't go on; what is in the log is safe.
        """
        ...


def filler_of(writer: str) -> Filler:
    """What fills slots with a writer."""
    module: Any = import_module(WRITERS[writer].module)
    found: Filler = module
    return found


def preview(config: TripletsConfig) -> int:
    """Print examples with their bindings marked; write nothing. Returns as `run` does.

    Raises:
        ValueError, ConnectionError: for a vocabulary or a model that won't do.
    """
    vocabulary = load(config.vocab or BUILTIN)
    wanted = config.preview or 0
    shown = filler_of(config.writer).preview(config, vocabulary)
    if shown < wanted:
        print(f"{shown} of {wanted} examples could be had; see above", file=sys.stderr)
    return SHORT if shown < wanted else 0


def run(config: TripletsConfig) -> int:
    """Write the dataset; returns 0, or `SHORT` when fewer than n examples could be had.

    Raises:
        ValueError, ConnectionError: for a vocabulary, a folder or a model that won't do.
    """
    vocabulary = load(config.vocab or BUILTIN)
    if vocabulary.table is None:
        print(f"no plausibility table; make one with {MAKE} --vocab {config.vocab or BUILTIN}")
    config, identity = filler_of(config.writer).settle(config, vocabulary)
    with claimed(config.out, identity, WRITTEN, resume=config.resume) as done:
        if done is not None and done.requested > config.n:
            raise ValueError(
                f"{config.out} already holds {done.requested:,} examples asked for; --n can only "
                "grow, choose another --out for a smaller dataset"
            )
        final = done is not None and (done.complete or WRITERS[config.writer].repeats)
        if done is not None and done.requested == config.n and final:
            print(f"{config.out} is finished ({done.examples:,} examples); nothing to do.")
            return summarize(config.out, done)
        return summarize(config.out, _write(config, identity, vocabulary))


def _write(config: TripletsConfig, identity: dict[str, Any], vocabulary: Vocabulary) -> Manifest:
    """Fill the log, then write the dataset from it."""
    log = Log(config.out / RUN / LOG)
    try:
        run = Run(config, identity, vocabulary, log, restore(log))
        _fill(run)
        with phase("written", config.n) as display:
            return write_folder(run, display.advance)
    finally:
        log.close()


def _fill(run: Run) -> None:
    """Fill every slot that the log does not hold yet."""
    config, state = run.config, run.state
    if WRITERS[config.writer].model:
        state.ask_model()
    todo = [slot for slot in slots(config.n, config.weights) if state.open(slot)]
    done = len(state.offsets)
    with phase("accepted", done + len(todo), done) as display:
        tick = partial(progress, display, prices=config.language_model.prices)
        filler_of(config.writer).fill(run, todo, tick)
