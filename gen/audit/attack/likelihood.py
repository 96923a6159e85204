"""Likelihood attack: a causal language model takes the likelier caption for the right one.

Negatives that are absurd or ungrammatical are found this way, without any query.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gen.audit.attack.folds import K, folds
from gen.audit.attack.score import findings, wins
from gen.audit.config import AuditConfig
from gen.audit.data import Data, Pair, captions
from gen.audit.result import Result
from gen.base import lm
from gen.base.draws import Draws
from gen.base.progress import phase
from gen.base.statistics import mean
from schemas.audit import OVERALL, Finding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BOUND = 0.55
BATCH = 32
HINT = "nats a token after the first; a hint, not a bound: fluent nonsense scores well"


class Likelihood(NamedTuple):
    """How likely a model finds a text."""

    nats: float
    """Natural log-likelihood, summed over the tokens."""
    tokens: int
    first: float
    """What of `nats` is the first token's."""

    @property
    def surprise(self) -> float:
        """Mean negative log-likelihood of a token but the first, in nats.

        What stands first hangs on the model's start token (a chat model expects a role), and would
        count for more the shorter a text is.
        """
        return (self.first - self.nats) / max(self.tokens - 1, 1)


def attack(data: Data, config: AuditConfig) -> Result:
    """On the pairs of a sample of examples: the share with the likelier positive, and accuracy.

    Accuracy is that of a rule that takes the likelier caption or the less likely one, whichever
    was right more often in the construction on the other folds. Also how likely the positives are,
    beside as many captions of `config.against` where there are some.

    Raises:
        ValueError: when the model can't be loaded.
    """
    import numpy as np

    assert config.language_model is not None
    pairs = sampled(data.pairs, config.sample, config.seed)
    others = beside(config)
    texts = [text for pair in pairs for text in (pair.positive, pair.negative)]
    texts = list(dict.fromkeys(texts + others))
    known = dict(zip(texts, log_likelihoods(texts, config.language_model), strict=True))
    margins = np.array([known[pair.positive].nats - known[pair.negative].nats for pair in pairs])
    likelier = wins(margins)
    note = f"{Path(config.language_model).name}; {len(pairs):,} of {len(data.pairs):,} pairs"
    return Result(
        findings("positive_likelier", likelier, pairs, note=note)
        + findings("language_model", directed(likelier, pairs, config.seed), pairs, BOUND, note)
        + list(surprise(known, pairs, others, str(config.against)))
    )


def beside(config: AuditConfig) -> list[str]:
    """A sample of the captions of `config.against`, as many at most as examples are looked at."""
    own = captions(config.against) if config.against else []
    order = Draws("likelihood", config.seed).shuffled(len(own))
    return [own[at] for at in order[: config.sample]]


def surprise(
    known: Mapping[str, Likelihood], pairs: Sequence[Pair], others: Sequence[str], name: str
) -> Iterator[Finding]:
    """What a token of a positive costs, overall and by construction, and of other captions."""
    groups: dict[str, dict[str, None]] = {OVERALL: {}}
    for pair in sorted(pairs, key=lambda pair: pair.construction):
        groups[OVERALL][pair.positive] = None
        if pair.construction:
            groups.setdefault(f"construction={pair.construction}", {})[pair.positive] = None
    if others:
        groups[f"dataset={Path(name).name}"] = dict.fromkeys(others)
    for group, texts in groups.items():
        value, low, high = mean([known[text].surprise for text in texts])
        yield Finding(
            check="nats_per_token",
            group=group,
            value=value,
            n=len(texts),
            low=low,
            high=high,
            note=HINT,
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


def log_likelihoods(texts: Sequence[str], name: str) -> list[Likelihood]:
    """Natural log-likelihood of each text, in float32, with the number of its tokens.

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
    found = [Likelihood(0.0, len(row) - 1, 0.0) for row in rows]
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
            picked *= mask[:, 1:]
            values = zip(picked.sum(1).tolist(), picked[:, 0].tolist(), strict=True)
            for index, (nats, first) in zip(batch, values, strict=True):
                found[index] = found[index]._replace(nats=nats, first=first)
            display.advance(len(batch))
    return found
