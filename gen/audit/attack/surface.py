"""Surface attack: length, punctuation, case, spacing, articles and position, no words at all.

In SugarCrepe eight such features find the negative in 79.8 % of the pairs. The attacker is
gradient boosting on the differences of the features between the two captions of a pair.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gen.audit.attack.folds import INFLATION, K, folds, signs
from gen.audit.attack.score import findings, wins
from gen.audit.config import AuditConfig
from gen.audit.data import Data
from gen.audit.result import Result
from gen.base.statistics import measured
from gen.base.text.words import WORD

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHECK = "surface"
BOUND = 0.52
_TERM = re.compile(r"[.!?][\"'”’)]*\s*$")
_ARTICLE = re.compile(r"\b(an?)\s+(\w)", re.IGNORECASE)


class Text:
    """A caption, cut up once for all features."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = WORD.findall(text) or [""]
        self.folded = [word.casefold() for word in self.words]
        uses = Counter(self.folded)
        self.places = {word: at for at, word in enumerate(self.folded) if uses[word] == 1}
        self.sizes = [len(word) for word in self.words]
        self.following = list(zip(self.folded, self.folded[1:], strict=False))

    def where(self, *wanted: str) -> float:
        """The relative place of the first of some words; 1 where there is none."""
        places = (place for place, word in enumerate(self.folded) if word in wanted)
        return next(places, len(self.words)) / len(self.words)


FEATURES: dict[str, Callable[[Text], float]] = {
    "characters": lambda t: len(t.text),
    "words": lambda t: len(t.words),
    "word length": lambda t: sum(t.sizes) / len(t.sizes),
    "longest word": lambda t: max(t.sizes),
    "place of longest word": lambda t: t.sizes.index(max(t.sizes)) / len(t.sizes),
    "first word's length": lambda t: t.sizes[0],
    "last word's length": lambda t: t.sizes[-1],
    "first half longer": lambda t: sum(t.sizes[: len(t.sizes) // 2]) / (sum(t.sizes) or 1),
    "commas": lambda t: t.text.count(","),
    "place of first comma": lambda t: t.text.partition(",")[0].count(" ") / len(t.words),
    "other punctuation": lambda t: sum(not c.isalnum() and c not in " ,." for c in t.text),
    "periods": lambda t: t.text.count("."),
    "final period": lambda t: bool(_TERM.search(t.text)),
    "initial capital": lambda t: t.text[:1].isupper(),
    "capitals": lambda t: sum(map(str.isupper, t.text)),
    "digits": lambda t: sum(map(str.isdigit, t.text)),
    "double spaces": lambda t: len(re.findall(r"\s\s", t.text)),
    "outer spaces": lambda t: len(t.text) - len(t.text.strip()),
    "spaces before punctuation": lambda t: len(re.findall(r"\s[,.;:!?]", t.text)),
    "a": lambda t: t.folded.count("a"),
    "an": lambda t: t.folded.count("an"),
    "the": lambda t: t.folded.count("the"),
    "place of first article": lambda t: t.where("a", "an", "the"),
    "article unlike its letter": lambda t: sum(
        (article.casefold() == "an") != (letter.casefold() in "aeiou")
        for article, letter in _ARTICLE.findall(t.text)
    ),
    "distinct words": lambda t: len(set(t.folded)) / len(t.words),
    "word repeated at once": lambda t: sum(left == right for left, right in t.following),
    "same letter twice": lambda t: sum(left[:1] == right[:1] for left, right in t.following),
}
"""What is measured in each caption, by name. Places are relative, 0 to 1."""
MOVED = "words moved back"
"""Measured in both captions together: see `moved_back`."""


def attack(data: Data, config: AuditConfig) -> Result:
    """Accuracy on held-out pairs, and what each feature gives away on its own."""
    import numpy as np

    deltas = differences([(pair.positive, pair.negative) for pair in data.pairs])
    clusters = [pair.example for pair in data.pairs]
    won = wins(margins(deltas, folds(data.pairs, config.seed), config.seed))
    alone = {
        name: measured(
            "surface_feature",
            wins(column),
            clusters,
            f"feature={name}",
            note=f"differs in {np.count_nonzero(column):,} pairs",
        )
        for name, column in zip((*FEATURES, MOVED), deltas.T, strict=True)
    }
    telling = sorted(alone, key=lambda name: -abs(alone[name].value - 0.5))[:3]
    told = "; ".join(
        f"{name} {alone[name].value:.1%}" for name in telling if alone[name].value != 0.5
    )
    note = f"most telling alone (share with more of it in the positive): {told}" if told else ""
    found = findings(CHECK, won, data.pairs, BOUND, note, INFLATION)
    return Result([*found, *alone.values()])


def differences(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
    """Features of the first caption less those of the second, and `MOVED`: (pairs, features)."""
    import numpy as np

    cut = {text: Text(text) for text in dict.fromkeys(text for pair in pairs for text in pair)}
    known = {
        text: [float(feature(parts)) for feature in FEATURES.values()]
        for text, parts in cut.items()
    }
    first, second = (np.array([known[pair[side]] for pair in pairs]) for side in (0, 1))
    moved = [moved_back(cut[one], cut[other]) for one, other in pairs]
    return np.column_stack([first - second, np.array(moved, dtype=np.float64)])


def moved_back(first: Text, second: Text) -> int:
    """Of the words once in each caption, those later in the first less those later in the second.

    An exchange of two words counts 0. Where terms move on in a ring, always in the same
    direction, the sign of this says which caption came first.
    """
    return sum(
        (at > second.places[word]) - (at < second.places[word])
        for word, at in first.places.items()
        if word in second.places
    )


def margins(deltas: NDArray[np.float64], fold: NDArray[np.int64], seed: int) -> NDArray[np.float64]:
    """How much the attacker prefers each positive, by a model that has not seen its example."""
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    sign = signs(len(deltas), seed)
    found = np.zeros(len(deltas))
    deltas = deltas[:, (deltas != 0).any(axis=0)]
    if not deltas.shape[1]:
        return found
    with threadpool_limits(1):  # so few rows, and threads would mostly wait for each other
        for number in range(K):
            train, test = fold != number, fold == number
            model = HistGradientBoostingClassifier(early_stopping=False, random_state=seed)
            model.fit(deltas[train] * sign[train, None], sign[train] > 0)
            # Both orders, so that where nothing differs the captions tie.
            one, other = (model.decision_function(side * deltas[test]) for side in (1, -1))
            found[test] = one - other
    return found
