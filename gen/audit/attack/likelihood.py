"""Likelihood attack: a causal language model takes the likelier caption for the right one.

Negatives that are absurd or ungrammatical are found this way, without any query.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gen.audit.attack.folds import K, folds
from gen.audit.attack.score import findings, wins
from gen.audit.config import AuditConfig
from gen.audit.data import Data, Pair
from gen.audit.result import Result
from gen.base import lm
from gen.base.progress import phase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BOUND = 0.55
BATCH = 32


def attack(data: Data, config: AuditConfig) -> Result:
    """On the pairs of a sample of examples: the share with the likelier positive, and accuracy.

    Accuracy is that of a rule that takes the likelier caption or the less likely one, whichever
    was right more often in the construction on the other folds.

    Raises:
        ValueError: when the model can't be loaded.
    """
    import numpy as np

    assert config.language_model is not None
    pairs = sampled(data.pairs, config.sample, config.seed)
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.positive, pair.negative)))
    known = dict(zip(texts, log_likelihoods(texts, config.language_model), strict=True))
    margins = np.array([known[pair.positive] - known[pair.negative] for pair in pairs])
    likelier = wins(margins)
    note = f"{Path(config.language_model).name}; {len(pairs):,} of {len(data.pairs):,} pairs"
    return Result(
        findings("positive_likelier", likelier, pairs, note=note)
        + findings("language_model", directed(likelier, pairs, config.seed), pairs, BOUND, note)
    )


def sampled(pairs: Sequence[Pair], count: int, seed: int) -> list[Pair]:
    """All pairs of so many examples, drawn at random; all where there are no more."""
    import numpy as np

    names = list(dict.fromkeys(pair.example for pair in pairs))
    drawn = np.random.default_rng([seed, 2]).permutation(len(names))[:count]
    chosen = {names[index] for index in drawn}
    return [pair for pair in pairs if pair.example in chosen]


def directed(
    likelier: NDArray[np.float64], pairs: Sequence[Pair], seed: int
) -> NDArray[np.float64]:
    """Wins when each construction's better direction is chosen on the other folds."""
    import numpy as np

    fold = folds(pairs, seed)
    types = np.array([pair.construction for pair in pairs])
    won = likelier.copy()
    for type_ in np.unique(types):
        for number in range(K):
            train = (types == type_) & (fold != number)
            if train.any() and likelier[train].mean() < 0.5:
                test = (types == type_) & (fold == number)
                won[test] = 1 - likelier[test]
    return won


def log_likelihoods(texts: Sequence[str], name: str) -> list[float]:
    """Natural log-likelihood of each text, in nats, summed over its tokens, in float32.

    Raises:
        ValueError: when the model can't be loaded.
    """
    import torch

    tokenizer, model = lm.load(name, "--language-model")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.to(device)
    start = lm.start(tokenizer)
    rows = [[start, *ids] for ids in tokenizer(list(texts), add_special_tokens=False)["input_ids"]]
    order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
    found = [0.0] * len(rows)
    with torch.inference_mode(), phase("likelihood of captions", len(rows)) as display:
        for at in range(0, len(order), BATCH):
            batch = order[at : at + BATCH]
            longest = max(len(rows[index]) for index in batch)
            ids = torch.full((len(batch), longest), start)
            mask = torch.zeros((len(batch), longest), dtype=torch.long)
            for place, index in enumerate(batch):
                ids[place, : len(rows[index])] = torch.tensor(rows[index])
                mask[place, : len(rows[index])] = 1
            ids, mask = ids.to(device), mask.to(device)
            logits = model(input_ids=ids, attention_mask=mask).logits[:, :-1].float()
            picked = logits.gather(2, ids[:, 1:, None])[..., 0] - logits.logsumexp(2)
            for index, value in zip(batch, (picked * mask[:, 1:]).sum(1).tolist(), strict=True):
                found[index] = value
            display.advance(len(batch))
    return found
