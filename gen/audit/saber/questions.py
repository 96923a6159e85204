"""The questions of a SABER folder as the audit sees them: captions, bindings, the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from gen.audit.data import Data
from gen.audit.tables import parquet
from gen.base.statistics import measured, share
from schemas.audit import OVERALL, Finding
from schemas.saber import Binding, Scene

PLACES = range(4)
CHANCE = 1 / len(PLACES)
AGAINST = "chance 25 %"
UNLIKELY = 0.001
"""Probability under even draws below which counts are called uneven."""


class Asked(NamedTuple):
    """A question and its four candidates, in the order in which they are shown."""

    id: str
    n: int
    subset: str
    cluster: str
    """Questions of one chain share bindings: they are no independent evidence."""
    answer: int
    kinds: tuple[str, ...]
    query: Scene
    candidates: tuple[Scene, ...]
    texts: tuple[str, ...]
    """Five captions with basic attributes, the query's first."""
    generation_texts: tuple[str, ...]
    """Five captions with full appearances."""


def questions(data: Data) -> list[Asked]:
    """All questions, in the order of the file."""
    columns = ["id", "n", "subset", "chain", "answer", "objects", "attributes"]
    columns += [f"candidate_{place}_kind" for place in PLACES]
    for name in ("query", *(f"candidate_{place}" for place in PLACES)):
        columns += [f"{name}_caption", f"{name}_generation_caption"]
    corpus = records(data, "corpus", ["objects", "attributes"])
    return [
        _asked(row, tuple(scene(next(corpus)) for _ in PLACES))
        for row in records(data, "mcq", columns)
    ]


def records(data: Data, config: str, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Some columns of the rows of a config, over all its files."""
    for path in files(data, config):
        yield from parquet(path, columns)


def files(data: Data, config: str) -> list[Path]:
    """The files of a config, in order."""
    assert data.manifest is not None
    return [data.path / name for name in data.manifest.files if name.startswith(f"{config}/")]


def scene(row: dict[str, Any]) -> Scene:
    """The bindings of a row, in the order of its caption."""
    return tuple(map(Binding, row["attributes"], row["objects"]))


def cluster(row: dict[str, Any]) -> str:
    """What a row of `mcq` is evidence together with: its chain, or itself alone."""
    return str(row["id"]) if row["chain"] is None else f"chain-{row['chain']}"


def nearest(distances: Sequence[float], answer: int) -> float:
    """How probably the nearest candidate is the answer, a tie for it decided by lot.

    >>> nearest([2, 1, 1, 3], answer=1)
    0.5
    """
    least = min(distances)
    return (distances[answer] == least) / list(distances).count(least)


def by_size(
    check: str,
    asked: Sequence[tuple[int, str]],
    won: Sequence[float],
    bound: Callable[[int], float] | None = None,
    note: str = AGAINST,
) -> Iterator[Finding]:
    """The share won of all questions, and of each size.

    `asked` has the size and the cluster of each question, `bound` the bound of a size; that of
    all questions is its mean.
    """
    rows = list(zip(asked, won, strict=True))
    sizes = groupby(sorted(rows, key=lambda row: row[0][0]), key=lambda row: row[0][0])
    groups = {OVERALL: rows, **{f"n={n:02d}": list(own) for n, own in sizes}}
    for group, own in groups.items():
        clusters = [name for (_, name), _ in own]
        limit = share([bound(n) for (n, _), _ in own], clusters)[0] if bound else None
        values = [won for _, won in own]
        yield measured(check, values, clusters, group, bound=limit, note=note)


def even(check: str, group: str, places: Iterable[int]) -> Finding:
    """Whether places are even, by a chi-square test."""
    from scipy.stats import chisquare

    counts = Counter(places)
    place, most = counts.most_common(1)[0]
    p = float(chisquare([counts[one] for one in PLACES]).pvalue)
    n = counts.total()
    return likely(check, group, p, n, f"; most often {place}: {most / n:.1%} of {n:,}")


def likely(check: str, group: str, p: float, n: int, note: str) -> Finding:
    """The finding of a test of evenness with probability `p`."""
    note = f"probability of counts as uneven by chance{note}"
    return Finding(check=check, group=group, value=p, n=n, bound=UNLIKELY, worse="below", note=note)


def _asked(row: dict[str, Any], candidates: tuple[Scene, ...]) -> Asked:
    names = ("query", *(f"candidate_{place}" for place in PLACES))
    return Asked(
        id=row["id"],
        n=row["n"],
        subset=row["subset"],
        cluster=cluster(row),
        answer=row["answer"],
        kinds=tuple(row[f"candidate_{place}_kind"] for place in PLACES),
        query=scene(row),
        candidates=candidates,
        texts=tuple(row[f"{name}_caption"] for name in names),
        generation_texts=tuple(row[f"{name}_generation_caption"] for name in names),
    )
