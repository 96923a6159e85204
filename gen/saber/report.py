"""What a dataset of questions looks like in numbers, read from its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from schemas.saber import SUBSETS


class Spread(NamedTuple):
    """How a count is distributed."""

    quartiles: tuple[int, ...]
    """Least, a quarter, half, three quarters, most (nearest rank)."""
    mean: float

    @classmethod
    def of(cls, counts: Iterable[int]) -> Spread:
        """The spread of one or more counts."""
        ranked = sorted(counts)
        places = (round(part * (len(ranked) - 1) / 4) for part in range(5))
        return cls(tuple(ranked[place] for place in places), mean(ranked))


@dataclass(frozen=True)
class Report:
    """Relevant candidates of a query by subset and size, and uses of the vocabulary."""

    relevant: dict[tuple[str, int], Spread]
    objects: Spread
    """Questions in whose query an object that is used at all occurs."""
    attributes: Spread

    @classmethod
    def of(cls, folder: Path) -> Report:
        """The report on a folder."""
        import pyarrow.parquet as pq

        columns = ["_id", "n", "subset", "objects", "attributes"]
        queries = pq.read_table(folder / "queries", columns=columns)
        found = Counter(pq.read_table(folder / "qrels", columns=["query-id"])[0].to_pylist())
        relevant: dict[tuple[str, int], list[int]] = {}
        kinds = (queries[name].to_pylist() for name in ("subset", "n", "_id"))
        for subset, n, name in zip(*kinds, strict=True):
            relevant.setdefault((subset, n), []).append(found[name])
        uses = {
            name: Spread.of(Counter(queries[name].combine_chunks().flatten().to_pylist()).values())
            for name in ("objects", "attributes")
        }
        order = sorted(relevant, key=lambda kind: (SUBSETS.index(kind[0]), kind[1]))
        return cls({kind: Spread.of(relevant[kind]) for kind in order}, **uses)

    def lines(self) -> Iterator[str]:
        """The report as text."""
        yield "relevant candidates of a query"
        heads = ("min", "25 %", "50 %", "75 %", "max", "mean")
        yield f"  {'subset':<12} pairs" + "".join(f"{head:>7}" for head in heads)
        for (subset, n), spread in self.relevant.items():
            ranks = "".join(f"{value:>7}" for value in spread.quartiles)
            yield f"  {subset:<12} {n:>5}{ranks}{spread.mean:>7.2f}"
        for name, spread in (("object", self.objects), ("attribute", self.attributes)):
            least, *_, most = spread.quartiles
            low, high = (100 * end / spread.mean - 100 for end in (least, most))
            yield (
                f"an {name} is in {least:,} to {most:,} queries, "
                f"mean {spread.mean:,.1f} ({low:+.1f} % to {high:+.1f} %)"
            )
