"""How much likelier a word becomes after another: log-odds from a causal language model.

log P(noun | "In the picture there is a ADJECTIVE") - log P(noun | "In the picture there is a"),
mean over several texts. A noun counts by its first token. On 400 pairs labeled by two readers
that tells plausible pairs as well (AUC 0.71) as all of its tokens (0.70), or all and the end of
the word (0.68), at a hundredth of the cost. More texts than these two add nothing; taking off an
adjective's or a noun's mean costs 0.02 to 0.05. Compounds that begin with another word
(briefcase, longboat) come out too low: `always` in compatibility.toml is for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gen.base import lm
from gen.base.text.articles import article

TEXTS = ("In the picture there is", "On the table she saw")
"""Beginnings of sentences that `a ADJECTIVE NOUN` goes on."""
PARAPHRASE = "The thing is {}, in other words it is"
"""A sentence that goes on with an adjective of the same meaning."""
MODEL = "HuggingFaceTB/SmolLM2-135M-Instruct"


class Odds:
    """A model that is asked one word at a time, on one thread.

    Nothing else that is asked can then change a figure: a run that goes on writes what one run
    would have written.
    """

    def __init__(self, name: str) -> None:
        """Load the model of that name.

        Raises:
            ValueError: when it can't be loaded.
        """
        import torch

        torch.set_num_threads(1)
        self._tokenizer, self._model = lm.load(name, "--model")

    def _after(self, texts: Sequence[str], words: Sequence[str]) -> Any:
        """Log-probability of each word's first token: tensor (texts, words)."""
        tokens = lm.first_tokens(self._tokenizer, words)
        return lm.next_token(self._tokenizer, self._model, texts)[:, tokens]

    def base(self, nouns: Sequence[str]) -> Any:
        """What the log-odds of nouns are counted from: tensor (texts, nouns)."""
        return self._after([f"{text} a" for text in TEXTS], nouns)

    def of(self, adjective: str, nouns: Sequence[str], base: Any) -> list[float]:
        """Log-odds of each noun after the adjective, in nats."""
        phrase = f"{article(adjective)} {adjective}"
        odds = self._after([f"{text} {phrase}" for text in TEXTS], nouns) - base
        return [float(value) for value in odds.mean(0)]

    def alike(self, adjectives: Sequence[str]) -> Any:
        """Log-odds of each adjective where another is paraphrased: tensor (given, likelier).

        The base is the mean over all that may be given, so that words that are likely
        anywhere don't lead.
        """
        import torch

        rows = [self._after([PARAPHRASE.format(word)], adjectives)[0] for word in adjectives]
        odds = torch.stack(rows)
        return odds - odds.mean(0)
