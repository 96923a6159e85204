"""What readers found: verdicts by source and construction, beside human captions; agreement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, groupby
from typing import NamedTuple

from gen.audit.config import AuditConfig
from gen.audit.data import Data
from gen.audit.reading import sheet
from gen.audit.reading.sheet import HUMAN, OURS, Entry
from gen.audit.reading.verdicts import CODES, NO_CODE, VERDICTS, Verdict, read
from gen.audit.result import FlaggedRow, Result
from gen.base.agreement import agreement, kappa
from gen.base.statistics import difference, measured
from schemas.audit import OVERALL, Finding

WINCE = VERDICTS[-1]
CHECKS = {verdict: f"reading_{verdict.lower()}" for verdict in VERDICTS}
EXCESS = "ours less human: what counts, as readers differ in how strict they are"


class Judged(NamedTuple):
    """One reader's verdict on one caption."""

    reader: str
    entry: Entry
    verdict: Verdict


def check(data: Data, config: AuditConfig) -> Result:
    """The verdicts of one or more readers on the sheet of this seed, all of them and each one's.

    Raises:
        ValueError: naming what is wrong with the sheet or with a reader's file.
        OSError: when a file can't be read.
    """
    entries = sheet.read(data, config)
    numbers = [entry.number for entry in entries]
    readers: dict[str, dict[int, Verdict]] = {}
    for path in config.verdicts:
        if path.stem in readers:
            raise ValueError(f"--score-reading: two readers are called {path.stem!r}; rename one")
        readers[path.stem] = read(path, numbers)
    rows = [
        Judged(reader, entry, found[entry.number])
        for reader, found in readers.items()
        for entry in entries
    ]
    result = Result([*shares(rows), *codes(rows)], list(winces(rows)))
    if len(readers) > 1:
        for reader, own in groupby(rows, key=lambda row: row.reader):
            result.findings += shares(list(own), f"reader={reader}, ")
        result.findings += agreements(readers)
    return result


def shares(rows: Sequence[Judged], label: str = "") -> Iterator[Finding]:
    """The share of each verdict by source and construction, and by how much it is ours more."""
    groups: dict[str, list[Judged]] = {f"source={source}": [] for source in (OURS, HUMAN)}
    for row in rows:
        groups[f"source={row.entry.source}"].append(row)
    for row in sorted(rows, key=lambda row: row.entry.construction):
        if row.entry.construction:
            groups.setdefault(f"construction={row.entry.construction}", []).append(row)
    for verdict, name in CHECKS.items():
        found = {
            group: measured(
                name,
                [float(row.verdict.verdict == verdict) for row in own],
                [row.entry.number for row in own],
                label + group,
                note=f"share of verdicts that are {verdict}",
            )
            for group, own in groups.items()
        }
        yield from found.values()
        human = found.pop(f"source={HUMAN}")
        found = {OVERALL: found.pop(f"source={OURS}"), **found}
        for group, ours in found.items():
            yield _excess(f"{name}_excess", label + group, ours, human)


def _excess(name: str, group: str, ours: Finding, human: Finding) -> Finding:
    value, low, high = difference(ours, human)
    return Finding(check=name, group=group, value=value, n=ours.n, low=low, high=high, note=EXCESS)


def codes(rows: Sequence[Judged]) -> Iterator[Finding]:
    """How many winces of each source have each code."""
    for source in (OURS, HUMAN):
        own = [row for row in rows if row.entry.source == source and row.verdict.verdict == WINCE]
        counts = Counter(row.verdict.code for row in own)
        for code, meaning in {**CODES, "": NO_CODE}.items():
            if code or counts[code]:
                group = f"source={source}, code={code or meaning}"
                note = f"winces, of all that the source has: {meaning}"
                value = counts[code]
                yield Finding(
                    check="reading_winces", group=group, value=value, n=len(own), note=note
                )


def winces(rows: Sequence[Judged]) -> Iterator[FlaggedRow]:
    """Every wince, with the caption's text and id."""
    for reader, entry, verdict in rows:
        if verdict.verdict == WINCE:
            group = f"construction={entry.construction}" if entry.construction else entry.source
            yield FlaggedRow(CHECKS[WINCE], group, entry.id, entry.text, f"{reader}: {verdict.why}")


def agreements(readers: Mapping[str, Mapping[int, Verdict]]) -> Iterator[Finding]:
    """How far each two readers agree: the raw share, and Cohen's kappa where there is one."""
    for (one, own), (other, others) in combinations(readers.items(), 2):
        pairs = Counter((own[number].verdict, others[number].verdict) for number in own)
        counts = [[pairs[first, second] for second in VERDICTS] for first in VERDICTS]
        for name, figure, note in (
            ("reading_agreement", agreement(counts), "share of captions with the same verdict"),
            ("reading_kappa", kappa(counts), "Cohen's kappa: 0 is chance, 1 the same verdicts"),
        ):
            if figure is not None:
                group, (value, low, high) = f"readers={one} and {other}", figure
                yield Finding(
                    check=name,
                    group=group,
                    value=value,
                    n=len(own),
                    low=low,
                    high=high,
                    note=note,
                )
