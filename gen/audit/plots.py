"""Plots of an audit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gen.audit.result import Plot
from schemas.audit import OVERALL, Finding

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAMILIES = {
    "attacks": (
        "Right caption found without the query",
        ("surface", "word_ngrams", "character_ngrams", "language_model"),
    ),
    "shortcuts": (
        "Right caption found by a rule of thumb",
        (
            "attributes_in_object_order",
            *("nearest_object", "nearest_object_before", "query_order"),
        ),
    ),
}
"""Checks that are shown together: file name to title and checks."""
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
"""Okabe and Ito's (2008) palette, which color-blind readers can tell apart."""
MARKERS = "osD^vP"


def overview(findings: Sequence[Finding]) -> Iterator[Plot]:
    """One plot for each family of checks that was measured."""
    for name, (title, checks) in FAMILIES.items():
        shown = [one for one in findings if one.check in checks and "," not in one.group]
        if shown:
            yield Plot(name, title, partial(forest, shown))


def forest(findings: Sequence[Finding], axes: Axes) -> None:
    """Values with their intervals: a row for each group, a color for each check."""
    groups = list(dict.fromkeys(one.group for one in findings))
    checks = list(dict.fromkeys(one.check for one in findings))
    step = 0.7 / len(checks)
    for place, check in enumerate(checks):
        shown = [one for one in findings if one.check == check]
        offset = (place - (len(checks) - 1) / 2) * step
        rows = [groups.index(one.group) + offset for one in shown]
        values = [one.value for one in shown]
        lows = [one.value if one.low is None else one.low for one in shown]
        highs = [one.value if one.high is None else one.high for one in shown]
        color = COLORS[place % len(COLORS)]
        axes.hlines(rows, lows, highs, color=color, linewidth=1.6)
        axes.plot(
            values,
            rows,
            MARKERS[place % len(MARKERS)],
            color=color,
            markersize=4.5,
            label=check.replace("_", " "),
        )
        bounds = {one.bound for one in shown if one.bound is not None}
        for bound in bounds:
            axes.axvline(bound, color=color, linewidth=0.8, linestyle=":")
    axes.axvline(0.5, color="0.4", linewidth=0.8)
    axes.set_yticks(range(len(groups)), [_label(group) for group in groups])
    axes.set_ylim(len(groups) - 0.5, -0.5)
    axes.set_xlabel("accuracy, 95 % interval (gray: chance; dotted: bound)")
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)


def _label(group: str) -> str:
    key, _, value = group.replace("_", " ").partition("=")
    if group == OVERALL:
        return "all pairs"
    return f"{value} negatives" if key == "negative kind" else value


def draw(plot: Plot, path: Path) -> None:
    """Draw a plot into a PNG file, the same bytes for the same figures."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 5.0), layout="constrained", dpi=120)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_title(plot.title)
    axes.spines[["top", "right"]].set_visible(False)
    plot.draw(axes)
    figure.savefig(path, metadata={"Software": None})
