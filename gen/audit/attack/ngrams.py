"""N-gram attack: which characters and words, in runs, stand in right and in wrong captions.

A logistic model that scores captions one by one and chooses the higher score: linear in the counts
of a caption's n-grams, it is trained on the differences of counts between the two captions of
a pair. N-grams are hashed into 2^20 columns, so that memory doesn't grow with the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gen.audit.attack.folds import INFLATION, K, folds, signs
from gen.audit.attack.score import findings, wins
from gen.audit.config import AuditConfig
from gen.audit.data import Data, Pair
from gen.audit.result import Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

BOUND = 0.53
COLUMNS = 2**20
CHUNK = 4_000
"""Pairs that are counted at a time."""
SHRINKAGE = 1e-3
"""Of the weights. Chosen on SugarCrepe's pairs, where a tenth or ten times it finds less."""
SHOWN = 8
WORDS = {"ngram_range": (1, 3), "token_pattern": r"\w+|[^\w\s]"}


def visible(text: str) -> str:
    """The text with its spaces replaced: scikit-learn would take two in a row for one."""
    return text.replace(" ", "_")


CHARACTERS = {"ngram_range": (2, 5), "analyzer": "char", "preprocessor": visible}


def words(data: Data, config: AuditConfig) -> Result:
    """Runs of one to three words or punctuation marks, in lower case."""
    return _attack("word_ngrams", WORDS, data, config)


def characters(data: Data, config: AuditConfig) -> Result:
    """Runs of two to five characters: case, spaces and punctuation count."""
    return _attack("character_ngrams", CHARACTERS, data, config)


def _attack(check: str, cut: dict[str, Any], data: Data, config: AuditConfig) -> Result:
    """Accuracy on held-out pairs, and the n-grams that the attacker goes by."""
    from sklearn.feature_extraction.text import HashingVectorizer

    counter = HashingVectorizer(n_features=COLUMNS, alternate_sign=False, norm=None, **cut)
    deltas = differences(data.pairs, counter)
    margins, weights = attacked(deltas, folds(data.pairs, config.seed), config.seed)
    note = "heaviest: " + ", ".join(strongest(data.pairs, counter, deltas, weights))
    return Result(findings(check, wins(margins), data.pairs, BOUND, note, INFLATION))


def differences(pairs: Sequence[Pair], counter: Any) -> csr_matrix:
    """Counts of n-grams in the positive less those in the negative: (pairs, columns)."""
    from scipy import sparse

    parts = []
    for start in range(0, len(pairs), CHUNK):
        chunk = pairs[start : start + CHUNK]
        row: dict[str, int] = {}
        for pair in chunk:
            row.setdefault(pair.positive, len(row))
            row.setdefault(pair.negative, len(row))
        counts = counter.transform(list(row))
        delta = counts[[row[p.positive] for p in chunk]] - counts[[row[p.negative] for p in chunk]]
        delta.eliminate_zeros()
        parts.append(delta)
    return sparse.vstack(parts, format="csr")


def attacked(
    deltas: csr_matrix, fold: NDArray[np.int64], seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Each positive's lead by a model that has not seen its example; the models' mean weights."""
    import numpy as np
    from scipy import sparse
    from sklearn.linear_model import SGDClassifier

    sign = signs(deltas.shape[0], seed)
    used = np.unique(deltas.indices)
    margins, weights = np.zeros(deltas.shape[0]), np.zeros(deltas.shape[1])
    if not used.size:
        return margins, weights
    deltas = deltas[:, used]
    turned = sparse.diags(sign) @ deltas
    for number in range(K):
        train, test = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        model = SGDClassifier(
            loss="log_loss", alpha=SHRINKAGE, fit_intercept=False, random_state=seed
        )
        model.fit(turned[train], sign[train] > 0)
        margins[test] = deltas[test] @ model.coef_[0]
        weights[used] += model.coef_[0] / K
    return margins, weights


def strongest(
    pairs: Sequence[Pair], counter: Any, deltas: csr_matrix, weights: NDArray[np.float64]
) -> Iterator[str]:
    """The n-grams that decide most, with the share of their pairs where the positive has more.

    A column counts by its weight and by the pairs that it is in.
    """
    import numpy as np
    from sklearn.utils import murmurhash3_32

    uses = np.bincount(deltas.indices, minlength=deltas.shape[1])
    order = np.argsort(-np.abs(weights) * np.sqrt(uses), kind="stable")[:SHOWN]
    columns = deltas.tocsc()
    analyze = counter.build_analyzer()
    for column in order:
        if not uses[column]:
            return
        rows = columns[:, column]
        pair = pairs[rows.indices[0]]
        grams = (gram for text in (pair.positive, pair.negative) for gram in analyze(text))
        name = next(g for g in grams if abs(int(murmurhash3_32(g, seed=0))) % COLUMNS == column)
        more = float((rows.data > 0).mean())
        yield f"{name!r} ({more:.0%} of {uses[column]:,})"
