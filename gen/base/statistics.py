"""Shares and their 95 % intervals, over rows that come in clusters."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING, Literal

from schemas.audit import OVERALL, Finding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Z = 1.959964
"""Standard normal quantile of a two-sided 95 % interval."""


def share(
    values: NDArray[np.float64] | Sequence[float],
    clusters: Sequence[object],
    inflation: float = 1.0,
) -> tuple[float, float, float]:
    """The mean of values in [0, 1] and the ends of its 95 % interval.

    Values of one cluster (the pairs of an example) may depend on each other. The interval is
    Wilson's (1927) at the effective sample size m (1 - m) / v, where v is the cluster-robust
    variance of the mean (Liang and Zeger 1986): it stays within [0, 1], and where all values
    are 0, or all 1, it is as wide as the number of clusters says. Where all are the same value
    between (all tie) nothing varies: it has no width. `inflation` multiplies the variance.

    Raises:
        ValueError: for no values.
    """
    import numpy as np

    x = np.asarray(values, dtype=np.float64)
    if not x.size:
        raise ValueError("no values to take a share of")
    number = {cluster: index for index, cluster in enumerate(dict.fromkeys(clusters))}
    mean = float(x.mean())
    inverse = np.fromiter((number[cluster] for cluster in clusters), np.int64, len(x))
    sums = np.bincount(inverse, x - mean)
    variance = float((sums**2).sum()) / x.size**2
    if len(number) > 1:
        variance *= len(number) / (len(number) - 1)
    if variance < 1e-18:
        if 0 < mean < 1:
            return mean, mean, mean
        effective = float(len(number))
    else:
        effective = mean * (1 - mean) / variance
    effective /= inflation
    center = (mean + Z**2 / (2 * effective)) / (1 + Z**2 / effective)
    half = Z * sqrt(mean * (1 - mean) / effective + Z**2 / (4 * effective**2))
    half /= 1 + Z**2 / effective
    low, high = max(0.0, center - half), min(1.0, center + half)
    return mean, low if mean > 0 else 0.0, high if mean < 1 else 1.0  # exactly, at the ends


def measured(
    check: str,
    values: NDArray[np.float64] | Sequence[float],
    clusters: Sequence[object],
    group: str = OVERALL,
    *,
    bound: float | None = None,
    worse: Literal["above", "below"] = "above",
    note: str = "",
    inflation: float = 1.0,
) -> Finding:
    """The `share` of values as a finding.

    Raises:
        ValueError: for no values.
    """
    value, low, high = share(values, clusters, inflation)
    return Finding(
        check=check,
        group=group,
        value=value,
        n=len(values),
        low=low,
        high=high,
        bound=bound,
        worse=worse,
        note=note,
    )


def mean(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean of independent values, with the ends of its 95 % interval (normal, many values).

    Raises:
        ValueError: for no values.
    """
    if not values:
        raise ValueError("no values to take a mean of")
    n, middle = len(values), sum(values) / len(values)
    variance = sum((value - middle) ** 2 for value in values) / max(n - 1, 1)
    half = Z * sqrt(variance / n)
    return middle, middle - half, middle + half


def difference(first: Finding, second: Finding) -> tuple[float, float, float]:
    """First less second, two shares of different things, with the ends of its 95 % interval.

    The interval is Newcombe's (1998, method 10), which is made of the two shares' own.

    Raises:
        ValueError: where one of them has no interval.
    """
    ends = [(one.value, one.low, one.high) for one in (first, second)]
    (p, p_low, p_high), (q, q_low, q_high) = ends
    if p_low is None or p_high is None or q_low is None or q_high is None:
        raise ValueError(f"{first.check}, {second.check}: a share without an interval")
    low = p - q - sqrt((p - p_low) ** 2 + (q_high - q) ** 2)
    return p - q, low, p - q + sqrt((p_high - p) ** 2 + (q - q_low) ** 2)
