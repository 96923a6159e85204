"""Shares and their intervals over clusters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.base.statistics import difference, mean, measured, share
from schemas.audit import Finding

VALUES = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=60)


@given(VALUES, st.integers(1, 5))
def test_the_interval_holds_the_mean_and_is_a_share(values: list[float], size: int) -> None:
    mean, low, high = share(values, [number // size for number in range(len(values))])
    assert mean == pytest.approx(sum(values) / len(values))
    assert 0 <= low <= mean <= high <= 1


def test_of_single_rows_it_is_wilsons() -> None:
    """5 of 10: [0.2366, 0.7634] (Wilson 1927); one row less, since the variance is estimated."""
    mean, low, high = share([1.0, 0.0] * 50, range(100))
    assert mean == 0.5
    assert (low, high) == pytest.approx((0.4034, 0.5966), abs=1e-3)


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=40))
def test_a_row_that_is_repeated_within_its_cluster_tells_nothing_new(values: list[float]) -> None:
    twice = [value for value in values for _ in range(3)]
    clusters = [number for number in range(len(values)) for _ in range(3)]
    assert share(twice, clusters) == pytest.approx(share(values, range(len(values))))


def test_where_all_are_right_the_number_of_clusters_counts() -> None:
    assert share([1.0] * 100, range(100))[1] == pytest.approx(0.963, abs=1e-3)
    assert share([1.0] * 100, [0] * 100)[1] < 0.3
    assert share([0.0] * 9, range(9))[:2] == (0.0, 0.0)
    assert share([0.5] * 9, range(9)) == (0.5, 0.5, 0.5)


def test_the_interval_covers_the_truth_19_times_in_20() -> None:
    draw = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        of_cluster = draw.random(150) < 0.7
        rows = np.repeat(of_cluster, 2).astype(float)
        rows[::2] = draw.random(150) < 0.7
        _, low, high = share(rows, [number // 2 for number in range(300)])
        hits += low <= 0.7 <= high
    assert 0.92 <= hits / 400 <= 0.98


def test_inflation_widens_it() -> None:
    _, low, high = share([1.0, 0.0] * 50, range(100), inflation=2.25)
    assert high - low == pytest.approx(1.5 * 0.1932, rel=0.03)


def test_nothing_has_no_share() -> None:
    with pytest.raises(ValueError, match="no values"):
        share([], [])


def test_the_interval_of_a_difference_is_newcombes() -> None:
    """His example (1998, table II, a): 56 of 70 less 48 of 80 is 0.2 [0.0524, 0.3339]."""
    ends = [(56 / 70, 0.6918, 0.8772), (48 / 80, 0.4905, 0.7004)]
    rows = [Finding(check="x", value=p, n=1, low=low, high=high) for p, low, high in ends]
    assert difference(*rows) == pytest.approx((0.2, 0.0524, 0.3339), abs=1e-3)


def test_the_interval_of_a_difference_covers_it_19_times_in_20() -> None:
    draw = np.random.default_rng(3)
    hits = 0
    for _ in range(400):
        rows = [measured("x", (draw.random(70) < p).astype(float), range(70)) for p in (0.7, 0.2)]
        _, low, high = difference(*rows)
        hits += low <= 0.5 <= high
    assert 0.92 <= hits / 400 <= 0.98


def test_a_share_without_an_interval_has_no_difference() -> None:
    row = Finding(check="x", value=0.5, n=1)
    with pytest.raises(ValueError, match="x, x: a share without an interval"):
        difference(row, row)


def test_a_mean_has_the_normal_interval() -> None:
    assert mean([4.0, 6.0] * 50) == pytest.approx((5.0, 5 - 0.197, 5 + 0.197), abs=1e-3)
    assert mean([3.0]) == (3.0, 3.0, 3.0)
    with pytest.raises(ValueError, match="no values"):
        mean([])
