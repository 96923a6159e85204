"""What the embedder is scored on: held-out triplets and SugarCrepe++."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gen.base.progress import phase
from gen.base.statistics import measured
from schemas.audit import Finding
from schemas.triplets import Example

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

BATCH = 256
"""Texts between two lines of progress."""
TIE = 1e-6
"""Cosines this near are a tie: in float32 a text differs by as much from batch to batch."""
SUBSETS = ("swap_att", "swap_obj", "replace_att", "replace_obj", "replace_rel")
"""Subsets of SugarCrepe++ (Dumpala et al., 2024)."""

Vectors = Mapping[str, "torch.Tensor"]
"""The unit vector of each text."""


class Paraphrases(NamedTuple):
    """A row of SugarCrepe++: two captions that say the same and one that doesn't."""

    subset: str
    caption: str
    caption2: str
    negative_caption: str


class HeldOut(NamedTuple):
    """What the model is scored on."""

    examples: Mapping[str, Sequence[Example]]
    """By construction, from splits that are not trained on."""
    paraphrases: Mapping[str, Sequence[Paraphrases]]
    """By subset."""

    def texts(self) -> set[str]:
        """All texts to embed."""
        found = {text for own in self.paraphrases.values() for row in own for text in row[1:]}
        for example in (example for own in self.examples.values() for example in own):
            found.update((example.query, example.positive, *negatives(example)))
        return found


def read_paraphrases(folder: Path) -> dict[str, list[Paraphrases]]:
    """The subsets of SugarCrepe++ whose files, whole or samples, are in a folder.

    Raises:
        ValueError: naming what is missing.
    """
    found: dict[str, list[Paraphrases]] = {}
    for subset in SUBSETS:
        paths = sorted(folder.glob(f"*{subset}*.json"))
        if len(paths) > 1:
            raise ValueError(f"{folder}: {paths[0].name} and {paths[1].name}; leave one there")
        for path in paths:
            try:
                rows = json.loads(path.read_bytes())
                found[subset] = [
                    Paraphrases(subset, *(row[name] for name in Paraphrases._fields[1:]))
                    for row in rows
                ]
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{path}: not a file of SugarCrepe++ ({error!r})") from None
    if not found:
        raise ValueError(f"--sugarcrepe-pp {folder}: holds no file like {SUBSETS[0]}.json")
    return found


def score(model: SentenceTransformer, held: HeldOut, when: str) -> list[Finding]:
    """Accuracy on triplets of each construction, on those whose exchanged attributes are of one
    family and the others, and on each subset of SugarCrepe++.
    """
    vectors = encode(model, held.texts(), f"scoring {when}")
    findings = []
    groups = {f"construction={name}": own for name, own in held.examples.items()}
    everything = list(chain(*held.examples.values()))
    for same in (True, False):
        own = [example for example in everything if example.same_family is same]
        groups[f"same_family={str(same).lower()}"] = own
    for group, examples in groups.items():
        if not examples:
            continue
        margins = [margin for example in examples for margin in triplet_margins(example, vectors)]
        clusters = [example.id for example in examples for _ in range(2)]
        note = "held-out triplets; chance 50 %"
        findings.append(_won(f"outcome_{when}", group, margins, clusters, note))
    for name, rows in held.paraphrases.items():
        margins = [paraphrase_margin(row, vectors) for row in rows]
        note = "SugarCrepe++, text only; chance 33.3 %"
        findings.append(_won(f"outcome_{when}", f"subset={name}", margins, range(len(rows)), note))
    return findings


def triplet_margins(example: Example, vectors: Vectors) -> list[float]:
    """cos(q, p) - cos(q, n) of an example's two triplets."""
    near = _cosine(vectors, example.query, example.positive)
    return [near - _cosine(vectors, example.query, text) for text in negatives(example)]


def paraphrase_margin(row: Paraphrases, vectors: Vectors) -> float:
    """By how much the two captions are nearer each other than the nearer one is to the third."""
    _, one, other, wrong = row
    far = max(_cosine(vectors, one, wrong), _cosine(vectors, other, wrong))
    return _cosine(vectors, one, other) - far


def _won(
    check: str, group: str, margins: Sequence[float], clusters: Iterable[object], note: str
) -> Finding:
    """The share of margins above zero. A tie is not won."""
    if ties := sum(abs(margin) <= TIE for margin in margins):
        note += f"; {ties} ties, not won"
    won = [float(margin > TIE) for margin in margins]
    return measured(check, won, list(clusters), group, note=note)


def encode(model: SentenceTransformer, texts: Iterable[str], label: str) -> Vectors:
    """Each text embedded once, beside texts of its length."""
    ordered = sorted(texts, key=lambda text: (len(text), text))
    vectors: dict[str, torch.Tensor] = {}
    with phase(label, len(ordered)) as display:
        for start in range(0, len(ordered), BATCH):
            batch = ordered[start : start + BATCH]
            found = model.encode(
                batch, show_progress_bar=False, convert_to_tensor=True, normalize_embeddings=True
            )
            vectors.update(zip(batch, found, strict=True))
            display.advance(len(batch))
    return vectors


def negatives(example: Example) -> tuple[str, str]:
    """The two negative captions of an example."""
    return example.negative_attribute, example.negative_object


def _cosine(vectors: Vectors, one: str, other: str) -> float:
    return float(vectors[one] @ vectors[other])
