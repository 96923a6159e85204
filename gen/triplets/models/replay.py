"""A run of `gen.triplets` from the recorded answers of an earlier one (`session.Filler`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gen import __version__
from gen.base.folder import RUN
from gen.triplets.config import TripletsConfig, parse_mix
from gen.triplets.models.ledger import Ledger
from gen.triplets.models.record import ANSWERS, read
from gen.triplets.plan import Slot, parse_slot
from gen.triplets.recorder import BATCH
from gen.triplets.state import Run, Tick
from gen.vocab.triplets import Vocabulary


def settle(config: TripletsConfig, vocabulary: Vocabulary) -> tuple[TripletsConfig, dict[str, Any]]:
    """The settings and the identity of a replay: those of the run whose answers it uses.

    Raises:
        ValueError: there are no answers, or they belong to other settings than are asked for.
    """
    folder = config.language_model.answers or Path()
    if folder.resolve() == config.out.resolve():
        raise ValueError(
            f"{folder}: --answers and --out name the same folder; choose another --out"
        )
    try:
        identity = json.loads((folder / RUN / "identity.json").read_text())
    except (OSError, ValueError):
        identity = None
    known = isinstance(identity, dict) and isinstance(identity.get("mix"), dict)
    known = known and identity.keys() >= {"seed", "model", "vocabulary"}
    if not known or not (folder / RUN / ANSWERS).exists():
        raise ValueError(
            f"{folder}: no answers on record here; --answers takes the output folder of a run "
            "with a language model"
        )
    if identity["vocabulary"] != vocabulary.digest:
        raise ValueError(f"{folder} was made with another vocabulary; name its folder with --vocab")
    mix = ",".join(f"{name}={weight}" for name, weight in identity["mix"].items())
    if "seed" in config.model_fields_set and config.seed != identity["seed"]:
        raise ValueError(f"{folder} was made with --seed {identity['seed']}; leave --seed out")
    if config.mix is not None and parse_mix(config.mix) != identity["mix"]:
        raise ValueError(f"{folder} was made with --mix {mix}; leave --mix out")
    config = config.model_copy(update={"seed": identity["seed"], "mix": mix})
    return config, {**identity, "version": __version__}


def preview(config: TripletsConfig, vocabulary: Vocabulary) -> int:
    """There is nothing to look at before a replay.

    Raises:
        ValueError: always.
    """
    raise ValueError("--preview is not for --writer replay; look at the rows it writes")


def fill(run: Run, todo: Sequence[Slot], tick: Tick) -> None:
    """Fill slots from the answers of the earlier run.

    Raises:
        ValueError: the answers on record are damaged.
    """
    ledger, asked = Ledger(run), set(todo)
    folder = run.config.language_model.answers or Path()
    for number, exchange in enumerate(read(folder / RUN / ANSWERS), 1):
        if parse_slot(exchange.slot) in asked:
            ledger.replay(exchange)
        if number % BATCH == 0:
            ledger.flush()
            tick(ledger.state)
    ledger.flush()
    tick(ledger.state)
