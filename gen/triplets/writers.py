"""The writers by name: which flags each takes, and the module that fills slots with it.

Modules are named here and imported by `gen.triplets.session` once their writer is asked for, so
that reading the flags loads none of them.
"""

from __future__ import annotations

from dataclasses import dataclass

ASKING = ("model", "in_flight", "repair", "sampling", "log_answers", "price")
"""Flags of every writer that asks a language model."""


@dataclass(frozen=True, slots=True)
class WriterKind:
    """What there is to know of a writer before it writes."""

    module: str
    """What fills slots with it: a `gen.triplets.session.Filler`."""
    takes: tuple[str, ...] = ()
    """Fields of `ModelConfig` that it takes."""
    needs: str | None = None
    """The one of them that it can't do without."""
    model: bool = False
    """Whether a language model wrote its drafts."""
    repeats: bool = True
    """Whether it would only do the same again where it fell short."""


WRITERS = {
    "grammar": WriterKind("gen.triplets.grammar.session"),
    "openai": WriterKind(
        "gen.triplets.models.session",
        takes=(*ASKING, "base_url", "timeout"),
        needs="model",
        model=True,
        repeats=False,
    ),
    "vllm": WriterKind(
        "gen.triplets.models.session",
        takes=(*ASKING, "engine"),
        needs="model",
        model=True,
        repeats=False,
    ),
    "replay": WriterKind(
        "gen.triplets.models.replay", takes=("answers", "price"), needs="answers", model=True
    ),
}
"""Every writer, in the order in which messages list them."""


def takers(flag: str) -> tuple[str, ...]:
    """The writers that take a field of `ModelConfig`."""
    return tuple(name for name, kind in WRITERS.items() if flag in kind.takes)
