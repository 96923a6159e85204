"""One run of `gen.triplets` against its folder: start, go on, top up or leave alone."""

from __future__ import annotations

import json
import shutil
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gen import __version__
from gen.config import MODELS, SHORT, TripletsConfig, cpus, parse_mix
from gen.display import phase, show_example, summarize
from gen.log import Log
from gen.offsets import Offsets
from gen.pipeline import Pipeline
from gen.plan import DEFAULT_MIX, Slot, quotas, slots
from gen.run import INLINE, State, attempts_in_workers, attempts_inline, fill, restore
from gen.shards import CONFIGS, write_folder
from gen.vocabulary import BUILTIN, Vocabulary, load
from gen.writers import make_writer
from schemas import manifest
from schemas.manifest import Manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

RUN = ".run"
"""Sub-folder with the log and the identity of a run; not part of the dataset."""


def mix_of(config: TripletsConfig) -> dict[str, int]:
    """The construction weights of a run."""
    return parse_mix(config.mix) if config.mix else DEFAULT_MIX


def identity_of(config: TripletsConfig, vocabulary: Vocabulary) -> dict[str, Any]:
    """What determines the data: two runs with the same identity write the same rows.

    With a language model: the same answers give the same rows.
    """
    known: dict[str, Any] = {
        "version": __version__,
        "seed": config.seed,
        "writer": config.writer,
        "mix": mix_of(config),
        "vocabulary": vocabulary.digest,
    }
    if config.writer in MODELS:
        from gen.prompts import digest

        model = config.language_model
        known |= {"model": model.model, "sampling": model.request, "repair": model.repair}
        known |= {"prompts": digest()} | ({"engine": [*model.engine]} if model.engine else {})
    return known


def preview(config: TripletsConfig) -> int:
    """Print examples with their bindings marked; write nothing. Returns as `run` does."""
    vocabulary = load(config.vocab or BUILTIN)
    wanted = config.preview or 0
    if config.writer in MODELS:
        from gen.llm.session import preview as preview_model

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
    """Write the dataset; returns 0, or `SHORT` when fewer than n examples could be had."""
    vocabulary = load(config.vocab or BUILTIN)
    if config.writer == "replay":
        from gen.llm.session import recorded

        config, identity = recorded(config, vocabulary)
    else:
        identity = identity_of(config, vocabulary)
    folder = config.out
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder}: not a folder; choose another --out")
    if not config.resume:
        _discard(folder, identity)
    finished = _prepare(folder, identity, config.n)
    # A model may do better next time; the grammar writer would only do the same again.
    if finished is not None and (finished.complete or config.writer not in MODELS):
        print(f"{folder} is finished ({finished.examples:,} examples); nothing to do.")
        return summarize(folder, finished)
    log = Log(folder / RUN / "log.jsonl")
    try:
        offsets = _fill(config, identity, vocabulary, log)
        wanted = quotas(config.n, mix_of(config))
        asked = list(slots(config.n, mix_of(config)))
        surplus = {slot for slot in asked if slot.index >= wanted[slot.construction]}
        with phase("written", len(asked) - len(surplus)) as display:
            summary = write_folder(
                folder,
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
    return summarize(folder, summary)


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
        if config.writer == "grammar":
            _fill_here(config, vocabulary, log, state, todo, display.show)
        else:
            from gen.llm.session import fill as fill_by_model

            fill_by_model(config, identity["model"], vocabulary, log, state, todo, display.show)
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


def _prepare(folder: Path, identity: Mapping[str, Any], n: int) -> Manifest | None:
    """Make the folder ready for a run; the manifest if it is already finished.

    Raises:
        ValueError: when the folder holds something else than a part of this run.
    """
    stamp = folder / RUN / "identity.json"
    if stamp.exists():
        try:
            known = json.loads(stamp.read_text())
        except ValueError:
            known = None
        if not isinstance(known, dict):
            raise ValueError(f"{stamp}: damaged; start afresh with --no-resume")
        differing = [key for key in identity if known.get(key) != identity[key]]
        if differing:
            raise ValueError(
                f"{folder} holds a run with another {' and '.join(differing)}; choose another "
                "--out, or discard it with --no-resume"
            )
        done = manifest.read(folder)
        if done is not None and done.requested > n:
            raise ValueError(
                f"{folder} already holds {done.requested:,} examples asked for; --n can only "
                "grow, choose another --out for a smaller dataset"
            )
        return done if done is not None and done.requested == n else None
    if _foreign(folder):
        raise ValueError(
            f"{folder} exists and is not an output folder of this program; choose another --out"
        )
    stamp.parent.mkdir(parents=True, exist_ok=True)
    manifest.replace(stamp, _stamp(identity))
    return None


def _discard(folder: Path, identity: Mapping[str, Any]) -> None:
    """Remove what an earlier run wrote, and nothing else; the folder becomes this run's.

    The manifest goes first and the identity is replaced last, so that a kill leaves an
    unfinished folder of the earlier run, which can be discarded again.

    Raises:
        ValueError: for a folder that is not one of ours, or that a run is writing to.
    """
    stamp = folder / RUN / "identity.json"
    if not stamp.exists():
        if not _foreign(folder):
            return
        raise ValueError(
            f"{folder} is not an output folder of this program; --no-resume leaves it alone"
        )
    log = Log(folder / RUN / "log.jsonl")
    try:
        for name in (manifest.NAME, "README.md", "rejected.jsonl"):
            (folder / name).unlink(missing_ok=True)
        for config in CONFIGS:
            if (folder / config).exists():
                shutil.rmtree(folder / config)
        log.path.unlink()
        (folder / RUN / "answers.jsonl.gz").unlink(missing_ok=True)
    finally:
        log.close()
    manifest.replace(stamp, _stamp(identity))


def _foreign(folder: Path) -> bool:
    """Whether a folder holds anything beside what a run begins with."""
    return folder.exists() and any(path.name != RUN for path in folder.iterdir())


def _stamp(identity: Mapping[str, Any]) -> bytes:
    return json.dumps(identity, indent=2).encode()
