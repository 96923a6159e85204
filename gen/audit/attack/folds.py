"""Cross-validation of an attacker: it is never judged on an example that it was trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gen.audit.data import Pair

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K = 5
"""Folds."""
INFLATION = 1 + K * (1 / (K - 1))
"""By how much the variance of an accuracy over K folds is above that of independent wins.

The folds train each other's models: what two of them have in common by accident wins in both.
1 + K n_test / n_train is Nadeau and Bengio's (2003) correction. Without a leak we see up to twice
that, for few features and few words.
"""


def folds(pairs: Sequence[Pair], seed: int) -> NDArray[np.int64]:
    """The fold of each pair, 0 to K - 1, with as many examples in each.

    The pairs of an example, which share texts, are in one fold.

    Raises:
        ValueError: when there are fewer examples than folds.
    """
    import numpy as np

    number = {name: index for index, name in enumerate(dict.fromkeys(p.example for p in pairs))}
    if len(number) < K:
        raise ValueError(f"{len(number)} examples are too few to attack; at least {K} are needed")
    dealt = np.random.default_rng(seed).permutation(len(number)) % K
    return np.array([dealt[number[pair.example]] for pair in pairs], dtype=np.int64)


def signs(count: int, seed: int) -> NDArray[np.float64]:
    """1 or -1 for each pair, at random: which of its captions comes first in training."""
    import numpy as np

    return np.where(np.random.default_rng([seed, 1]).random(count) < 0.5, 1.0, -1.0)
