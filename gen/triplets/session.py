"""One run of `gen.triplets` against its folder: start, go on, top up or leave alone."""

from __future__ import annotations

import sys
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import TYPE_CHECKING, Any

from gen import __version__
from gen.base.command import SHORT
from gen.base.folder import RUN, claimed
from gen.base.log import Log
from gen.base.progress import phase
from gen.base.workers import cpus
from gen.triplets.config import MODELS, TripletsConfig, parse_mix
from gen.triplets.models.record import NAME as ANSWERS
from gen.triplets.offsets import Offsets
from gen.triplets.pipeline import Pipeline
from gen.triplets.plan import DEFAULT_MIX, Slot, quotas, slots
from gen.triplets.run import INLINE, State, attempts_in_workers, attempts_inline, fill, restore
from gen.triplets.shards import CONFIGS, write_folder
from gen.triplets.show import progress, show_example, summarize
from gen.triplets.writers import make_writer
from gen.vocab.triplets import BUILTIN, Vocabulary, load
from schemas.manifest import Manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LOG = "log.jsonl"
CONTENTS = ("README.md", "rejected.jsonl", *CONFIGS, f"{RUN}/{LOG}", f"{RUN}/{ANSWERS}")
"""What a run writes; `--no-resume` removes it and nothing else."""
MAKE = "python -m gen.triplets.plausibility"
"""Makes the table that tells plausible pairs apart within a class."""


def mix_of(config: TripletsConfig) -> dict[str, int]:
    """The construction weights of a run."""
    return parse_mix(config.mix) if config.mix else DEFAULT_MIX


def identity_of(config: TripletsConfig, vocabulary: Vocabulary) -> dict[str, Any]:
    """What determines the data: two runs with the same identity write the same rows.

    With a language model: the same answers give the same rows.
    """
    known: dict[str, Any] = {
        "dataset": "binding-triplets",
        "version": __version__,
        "seed": config.seed,
        "writer": config.writer,
        "mix": mix_of(config),
        "vocabulary": vocabulary.digest,
    }
    if config.writer in MODELS:
        from gen.triplets.prompts import digest

        model = config.language_model
        known |= {"model": model.model, "sampling": model.request, "repair": model.repair}
        known |= {"prompts": digest()} | ({"engine": [*model.engine]} if model.engine else {})
    return known


def preview(config: TripletsConfig) -> int:
    """Print examples with their bindings marked; write nothing. Returns as `run` does."""
    vocabulary = load(config.vocab or BUILTIN)
    wanted = config.preview or 0
    if config.writer in MODELS:
        from gen.triplets.models.session import preview as preview_model

        left = wanted - preview_model(config, vocabulary, mix_of(config))
    else:
        left = _preview(config, vocabulary)
    if left:
        print(f"{wanted - left} of {wanted} examples could be had; see above", file=sys.stderr)
    return SHORT if left else 0


def _preview(config: TripletsConfig, vocabulary: Vocabulary) -> int:
    """Print what a local writer writes; how many examples could not be had."""
    pipeline = Pipeline(make_writer(config.writer, vocabulary), vocabulary, config.seed)
    left = config.preview or 0
    for slot in slots(max(left, len(mix_of(config))), mix_of(config)):
        if not left:
            break
        left -= show_example(pipeline, slot)
    return left


def run(config: TripletsConfig) -> int:
    """Write the dataset; returns 0, or `SHORT` when fewer than n examples could be had.

    Raises:
        ValueError: for a vocabulary, a folder or a model that won't do.
    """
    vocabulary = load(config.vocab or BUILTIN)
    if vocabulary.table is None:
        print(f"no plausibility table; make one with {MAKE} --vocab {config.vocab or BUILTIN}")
    if config.writer == "replay":
        from gen.triplets.models.session import recorded

        config, identity = recorded(config, vocabulary)
    else:
        identity = identity_of(config, vocabulary)
    with claimed(config.out, identity, CONTENTS, resume=config.resume) as done:
        if done is not None and done.requested > config.n:
            raise ValueError(
                f"{config.out} already holds {done.requested:,} examples asked for; --n can only "
                "grow, choose another --out for a smaller dataset"
            )
        # A model may do better next time; the grammar writer would only do the same again.
        final = done is not None and (done.complete or config.writer not in MODELS)
        if done is not None and done.requested == config.n and final:
            print(f"{config.out} is finished ({done.examples:,} examples); nothing to do.")
            return summarize(config.out, done)
        return summarize(config.out, _write(config, identity, vocabulary))


def _write(config: TripletsConfig, identity: dict[str, Any], vocabulary: Vocabulary) -> Manifest:
    """Fill the log, then write the dataset from it."""
    log = Log(config.out / RUN / LOG)
    try:
        offsets = _fill(config, identity, vocabulary, log)
        wanted = quotas(config.n, mix_of(config))
        asked = list(slots(config.n, mix_of(config)))
        surplus = {slot for slot in asked if slot.index >= wanted[slot.construction]}
        with phase("written", len(asked) - len(surplus)) as display:
            return write_folder(
                config.out,
                log,
                offsets,
                asked,
                surplus,
                identity,
                config.n,
                vocabulary,
                config.language_model.prices,
                display.advance,
            )
    finally:
        log.close()


def _fill(
    config: TripletsConfig, identity: Mapping[str, Any], vocabulary: Vocabulary, log: Log
) -> Offsets:
    """Fill every slot that the log does not hold yet; where the rows are."""
    state = restore(log)
    if config.writer != "grammar":
        state.ask_model()
    todo = [slot for slot in slots(config.n, mix_of(config)) if state.open(slot)]
    done = len(state.offsets)
    with phase("accepted", done + len(todo), done) as display:
        tick = partial(progress, display)
        if config.writer == "grammar":
            _fill_here(config, vocabulary, log, state, todo, tick)
        else:
            from gen.triplets.models.session import fill as fill_by_model

            fill_by_model(config, identity["model"], vocabulary, log, state, todo, tick)
    return state.offsets


def _fill_here(
    config: TripletsConfig,
    vocabulary: Vocabulary,
    log: Log,
    state: State,
    todo: Sequence[Slot],
    tick: Callable[[State], None],
) -> None:
    """Fill slots with a writer that needs nothing outside, in worker processes where it pays."""
    pipeline = Pipeline(make_writer(config.writer, vocabulary), vocabulary, config.seed)
    workers = config.workers or cpus()
    if workers == 1 or len(todo) < INLINE:
        first = attempts_inline((slot for slot in todo if state.open(slot)), pipeline)
    else:
        first = attempts_in_workers(
            (slot for slot in todo if state.open(slot)),
            workers,
            config.writer,
            config.vocab or BUILTIN,
            config.seed,
        )
    try:
        fill(state, log, pipeline, first, tick)
    except BrokenProcessPool:
        raise ValueError(
            "a worker process died (out of memory?); accepted rows are safe, "
            "run again with fewer --workers"
        ) from None
    finally:
        first.close()
