"""Whether SABER's questions can be answered without reading bindings, and are evenly made.

What is a rule of the benchmark has a bound; what follows from its definition (paper A.2) is only
described.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from gen.audit.config import AuditConfig
from gen.audit.data import Data
from gen.audit.result import FlaggedRow, Result
from gen.audit.saber import distances
from gen.audit.saber.questions import (
    AGAINST,
    PLACES,
    Asked,
    by_size,
    even,
    likely,
    nearest,
    questions,
    records,
)
from schemas.audit import OVERALL, Finding
from schemas.saber import SUBSETS, candidate_id, kinds

EVEN = 0.1
"""By how much the most used word may exceed the average, or else by the uses of two chains."""
NO_BOUND = "off chance by A.2, as the answer is never in the query's order"
MIDDLE = (
    "without the query, by A.2: two swaps keep half of the answer's order. Open only to who "
    "sees the four captions together, which no embedder does"
)
NOTES: dict[distances.Distance, str] = {
    distances.neighbors: "finds all: a caption names each pair in neighboring words (A.3)",
    distances.edit_distance: "above chance as pairs that stay together count, below it for n=2",
}
_NEXT = re.compile(r"(?:, | and )(?=an? )")
_ARTICLE = re.compile(r"an? ")


def check(data: Data, config: AuditConfig) -> Result:
    """Audit the texts of a SABER folder."""
    asked = questions(data)
    result = Result(list(answer_places(asked)))
    result.findings += [kinds_of(asked), *evenness(asked), *bag_of_words(asked), *order(asked)]
    result.add(containment(data, asked))
    return result


def answer_places(asked: Sequence[Asked]) -> Iterator[Finding]:
    """Where the answer stands, how it moves from question to question, where each kind stands."""
    from scipy.stats import chi2_contingency

    groups = {OVERALL: list(asked)}
    for question in asked:
        groups.setdefault(f"n={question.n:02d}", []).append(question)
    for group, own in groups.items():
        yield even("answer_places", group, [question.answer for question in own])
    steps = [(after.answer - before.answer) % len(PLACES) for before, after in pairwise(asked)]
    if steps:
        yield even("answer_steps", OVERALL, steps)
    places = Counter((kind, place) for one in asked for place, kind in enumerate(one.kinds))
    names = sorted({kind for kind, _ in places})
    table = [[places[name, place] for place in PLACES] for name in names]
    if all(map(sum, zip(*table, strict=True))):
        yield likely("kind_places", OVERALL, float(chi2_contingency(table).pvalue), len(asked), "")


def kinds_of(asked: Sequence[Asked]) -> Finding:
    """Each question has each kind of candidate once (A.2)."""
    wrong = sum(sorted(question.kinds) != sorted(kinds(question.n)) for question in asked)
    note = "questions that do not have each kind of candidate once"
    return Finding(check="kinds", value=wrong, n=len(asked), bound=0, note=note)


def evenness(asked: Sequence[Asked]) -> Iterator[Finding]:
    """How often the most used word is used, against the average word."""
    pairs = [pair for question in asked for pair in question.query]
    chains = 2 * len({question.n for question in asked})
    for what, terms in (
        ("attributes", [pair.attribute for pair in pairs]),
        ("objects", [pair.object for pair in pairs]),
    ):
        uses = Counter(terms)
        (word, most), *_ = uses.most_common(1)
        mean = len(terms) / len(uses)
        bound = 1 + max(EVEN, chains / mean)
        note = f"times the average of {len(uses)} {what} in queries: {word!r}"
        yield Finding(
            check=f"most_used_{what}", value=most / mean, n=len(terms), bound=bound, note=note
        )


def bag_of_words(asked: Sequence[Asked]) -> Iterator[Finding]:
    """A bag of words ties between the answer and all swaps, so that it is left to chance.

    Of two pairs the fourth candidate has a new word, which a bag of words excludes: a third.
    """
    numbered = [(question.n, question.cluster) for question in asked]
    for suffix, texts in (
        ("", [question.texts for question in asked]),
        ("_generation", [question.generation_texts for question in asked]),
    ):
        ties, won = [], []
        for question, (query, *others) in zip(asked, texts, strict=True):
            far = [distances.bag_of_words(query, text) for text in others]
            ties.append(float(far.count(far[question.answer]) == _swaps(question.n)))
            won.append(nearest(far, question.answer))
        yield Finding(
            check=f"bag_of_words_ties{suffix}",
            value=sum(ties) / len(ties),
            n=len(ties),
            bound=1.0,
            worse="below",
            note="questions where the answer ties with every swap",
        )
        yield from by_size(
            f"bag_of_words{suffix}",
            numbered,
            won,
            lambda n: 1 / _swaps(n),
            "ties by lot; bound: chance, once the replacement of n=2 is excluded",
        )


def order(asked: Sequence[Asked]) -> Iterator[Finding]:
    """What order and neighborhood of the words give away: figures without a bound."""
    numbered = [(question.n, question.cluster) for question in asked]
    for distance in distances.DISTANCES:
        won = [
            nearest([distance(one.query, candidate) for candidate in one.candidates], one.answer)
            for one in asked
        ]
        note = f"{AGAINST}; {NOTES.get(distance, NO_BOUND)}"
        yield from by_size(f"text_{distance.__name__}", numbered, won, note=note)
    won = [nearest(distances.middle(one.candidates), one.answer) for one in asked]
    yield from by_size("text_middle", numbered, won, note=f"{AGAINST}; {MIDDLE}")


def containment(data: Data, asked: Sequence[Asked]) -> Result:
    """Relevance, computed again from the captions alone, against the judgements."""
    holders: dict[str, set[str]] = {}
    for question in asked:
        for place, text in enumerate(question.texts[1:]):
            for phrase in phrases(text):
                holders.setdefault(phrase, set()).add(candidate_id(question.id, place))
    given: dict[str, set[str]] = {}
    for row in records(data, "qrels", ["query-id", "corpus-id"]):
        given.setdefault(row["query-id"], set()).add(row["corpus-id"])
    result = Result()
    alone, counts = [], []
    for question in asked:
        found = set.intersection(*(holders.get(one, set()) for one in phrases(question.texts[0])))
        counts.append(len(found))
        own = {candidate_id(question.id, question.answer)}
        if question.subset == SUBSETS[0]:
            alone.append(found == own)
        if found != given.get(question.id, set()):
            why = f"captions: {sorted(found)}, judgements: {sorted(given.get(question.id, set()))}"
            result.flagged.append(
                FlaggedRow("judgements", question.subset, question.id, question.texts[0], why)
            )
    result.findings += [
        _count("judgements", len(result.flagged), len(asked), "queries judged otherwise"),
        _count(
            "accidental_containment",
            alone.count(False),
            len(alone),
            "independent queries with another relevant candidate than their own",
        ),
        Finding(
            check="relevant",
            value=sum(counts) / len(counts),
            n=len(counts),
            note="relevant candidates of a query, on average",
        ),
    ]
    return result


def phrases(caption: str) -> frozenset[str]:
    """The pairs that a caption names, as it writes them.

    >>> sorted(phrases("A red and blue striped cube, an icy kite and a furry pear."))
    ['furry pear', 'icy kite', 'red and blue striped cube']
    """
    parts = _NEXT.split(caption.casefold().removesuffix("."))
    return frozenset(_ARTICLE.sub("", part, count=1) for part in parts)


def _swaps(n: int) -> int:
    """Candidates with the query's words."""
    return 4 if n > 2 else 3


def _count(check: str, wrong: int, n: int, note: str) -> Finding:
    return Finding(check=check, value=wrong, n=n, bound=0, note=note)
