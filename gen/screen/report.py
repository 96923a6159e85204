"""Figures of the screening: how far each reviewer is, their reasons, how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations

from gen.base.agreement import Interval
from gen.saber.images.screening import Decision, decisions
from gen.screen.agreement import Table
from gen.screen.board import REASONS, Board

SHOWN = 100
"""Disagreements that are listed."""

_Image = tuple[str, str]


def lines(board: Board) -> Iterator[str]:
    """The report on a board's images, in lines."""
    board.refresh()
    there = {(item.id, board.digest(item)) for item in board.items.values() if board.digest(item)}
    ids = board.items.keys()
    found = [one for one in decisions(board.folder.path) if one.id in ids]
    by_reviewer: dict[str, dict[_Image, Decision]] = {}
    for one in found:
        by_reviewer.setdefault(one.reviewer, {})[one.id, one.sha256] = one
    yield f"{board.folder.path}: {len(there):,} of {len(ids):,} images are there"
    if board.problem:
        yield f"  {board.problem}"
    for reviewer, own in by_reviewer.items():
        yield from _reviewer(reviewer, own, there)
    for first, second in combinations(by_reviewer, 2):
        yield from _pair(first, second, by_reviewer[first], by_reviewer[second])
    if not found:
        yield "  nothing is decided yet"


def _reviewer(name: str, own: Mapping[_Image, Decision], there: set[_Image]) -> Iterator[str]:
    now = Counter(one.accepted for image, one in own.items() if image in there)
    left, gone = len(there) - now.total(), len(own) - now.total()
    yield (
        f"  {name}: {now[True]:,} accepted, {now[False]:,} rejected, {left:,} undecided"
        + (f"; {gone:,} decisions on images made anew since" if gone else "")
    )
    reasons = Counter(one.reason or "no reason given" for one in own.values() if not one.accepted)
    for reason, count in reasons.most_common():
        yield f"    {count:>6,}  {REASONS.get(reason, reason)}"


def _pair(
    first: str, second: str, own: Mapping[_Image, Decision], other: Mapping[_Image, Decision]
) -> Iterator[str]:
    shared = [image for image in own if image in other]
    counts = Counter((own[image].accepted, other[image].accepted) for image in shared)
    answers = ((True, True), (True, False), (False, True), (False, False))
    table = Table(*(counts[answer] for answer in answers))
    yield f"  {first} and {second}: {len(shared):,} images decided by both"
    if not shared:
        return
    yield (
        f"    {table.both:,} accepted by both, {table.neither:,} rejected by both, "
        f"{table.first:,} accepted by {first} alone, {table.second:,} by {second} alone"
    )
    yield f"    raw agreement  {_shown(table.agreement)}"
    yield f"    Cohen's kappa  {_shown(table.kappa)}"
    apart = [image for image in shared if own[image].accepted != other[image].accepted]
    for image in apart[:SHOWN]:
        yield f"    {image[0]}  {_words(own[image])}; {_words(other[image])}"
    if len(apart) > SHOWN:
        yield f"    and {len(apart) - SHOWN:,} more"


def _shown(figure: Interval | None) -> str:
    if figure is None:
        return "undefined: every answer is the same"
    value, low, high = figure
    return f"{value:.3f}" + (f" (95 % interval {low:.3f} to {high:.3f})" if low < high else "")


def _words(one: Decision) -> str:
    verdict = "accepted" if one.accepted else "rejected"
    reason = REASONS.get(one.reason, one.reason)
    return f"{one.reviewer} {verdict}" + (f" ({reason})" if reason else "")
