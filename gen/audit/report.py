"""The files of an audit: audit.json, audit.md, sightings.jsonl and plots."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from gen.audit.plots import FAMILIES, draw, overview
from gen.audit.result import Result
from gen.base.files import write_atomic
from schemas.audit import OVERALL, Audit, Finding

BY_TYPE = ("construction", "negative_kind", "same_family")
"""What checks share groups of: their tables have a column for each check."""
COLUMNS = 5
"""Of a table, at most."""


def write(folder: Path, audit: Audit, result: Result) -> None:
    """Write all files into a folder, audit.json last."""
    (folder / "plots").mkdir()
    plots = [*overview(audit.findings), *result.plots]
    for plot in plots:
        draw(plot, folder / "plots" / f"{plot.name}.png")
    lines = (json.dumps(sighting._asdict(), ensure_ascii=False) for sighting in result.flagged)
    write_atomic(folder / "sightings.jsonl", "".join(f"{line}\n" for line in lines).encode())
    text = "\n".join(markdown(audit, [plot.name for plot in plots], len(result.flagged)))
    write_atomic(folder / "audit.md", f"{text}\n".encode())
    write_atomic(folder / "audit.json", f"{audit.model_dump_json(indent=2)}\n".encode())


def markdown(audit: Audit, plots: Sequence[str], flagged: int) -> Iterator[str]:
    """The lines of audit.md: what is beyond its bound first, then all figures."""
    yield f"# Audit of {audit.name}"
    yield ""
    verdict = (
        f"**{len(audit.broken)} figures beyond bounds**" if audit.broken else "Every bound kept"
    )
    yield (
        f"{verdict}; {len(audit.findings):,} figures on {audit.pairs:,} pairs "
        f"(`{audit.dataset}`, fingerprint `{audit.fingerprint[:16]}`, program {audit.generator})."
    )
    yield ""
    if audit.broken:
        yield from _section("Beyond bounds", _listed(audit.broken))
    overall = [finding for finding in audit.findings if finding.group == OVERALL]
    yield from _section("Overall", _listed(overall))
    for key in BY_TYPE:
        yield from _section(f"By {key.replace('_', ' ')}", _crossed(audit.findings, key))
    others: dict[str, list[Finding]] = {}
    for finding in audit.findings:
        if finding.group.partition("=")[0] not in (OVERALL, *BY_TYPE):
            others.setdefault(finding.check, []).append(finding)
    for check, found in others.items():
        yield from _section(check.replace("_", " ").capitalize(), _listed(found))
    if audit.left_out:
        left_out = [f"- {name}: {why}" for name, why in audit.left_out.items()]
        yield from _section("Not measured", left_out)
    yield from _section("Plots", [f"![{name}](plots/{name}.png)" for name in plots])
    yield "Values are shares where nothing else is said, with 95 % intervals over examples; a"
    yield "bound that is broken is marked with ✗. A group's bound counts as broken when its whole"
    yield f"interval is beyond it. `sightings.jsonl` lists {flagged:,} rows to look at."


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield from (f"## {title}", "", *found, "")


def _listed(found: Sequence[Finding]) -> Iterator[str]:
    """A table with a row for each finding."""
    if not found:
        return
    yield "| check | of | value | n | bound | |"
    yield "|---|---|---:|---:|---:|---|"
    for one in found:
        yield (
            f"| {one.check} | {one.group} | {_value(one)} | {one.n:,} | {_bound(one)} "
            f"| {one.note.replace('|', chr(92) + '|')} |"
        )


def _crossed(found: Sequence[Finding], key: str) -> Iterator[str]:
    """Tables with a row for each value of a key, and a column for each check, a few in each."""
    chosen = [one for one in found if one.group.startswith(f"{key}=") and "," not in one.group]
    families = [checks for _, checks in FAMILIES.values()]
    others = [one.check for one in chosen if one.check not in chain(*families)]
    for checks in (*families, *_batched(list(dict.fromkeys(others)), COLUMNS)):
        yield from _table([one for one in chosen if one.check in checks])


def _batched(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Names in groups of so many."""
    for start in range(0, len(names), size):
        yield names[start : start + size]


def _table(chosen: Sequence[Finding]) -> Iterator[str]:
    """One of those tables; no lines for no findings."""
    if not chosen:
        return
    checks = list(dict.fromkeys(one.check for one in chosen))
    cells = {(one.group, one.check): one for one in chosen}
    bounds = {one.check: _bound(one) for one in chosen if one.bound is not None}
    yield "| | " + " | ".join(check.replace("_", " ") for check in checks) + " |"
    yield "|---|" + "---:|" * len(checks)
    for group in dict.fromkeys(one.group for one in chosen):
        row = [_value(cells[group, c]) if (group, c) in cells else "" for c in checks]
        yield f"| {group.partition('=')[2]} | " + " | ".join(row) + " |"
    if bounds:
        yield "| *bound* | " + " | ".join(bounds.get(check, "") for check in checks) + " |"
    yield ""


def _value(one: Finding) -> str:
    text = number(one.value)
    if one.low is not None and one.high is not None:
        text += f" [{number(one.low)}, {number(one.high)}]"
    return text if one.passed else f"✗ **{text}**"


def _bound(one: Finding) -> str:
    if one.bound is None:
        return ""
    return f"{'≤' if one.worse == 'above' else '≥'} {number(one.bound)}"


def number(value: float) -> str:
    """A figure in few digits: 0.514, 3.21, 1,234."""
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3f}" if abs(value) < 1 else f"{value:.2f}"
