"""Agreement of two reviewers, against worked examples, another formula and a simulation."""

from __future__ import annotations

from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.screen.agreement import Table

COUNTS = st.integers(0, 60)
TABLES = st.builds(Table, COUNTS, COUNTS, COUNTS, COUNTS)


def test_a_known_table() -> None:
    """20 and 15 agreed of 50: kappa 0.4, the usual worked example."""
    table = Table(20, 5, 10, 15)
    assert table.agreement
    assert table.kappa
    assert table.agreement.value == 0.7
    assert table.kappa.value == pytest.approx(0.4)


def test_wilson_has_a_width_where_all_agree() -> None:
    """Of 10 of 10, the textbook lower end is 0.722."""
    agreement = Table(7, 0, 0, 3).agreement
    assert agreement
    assert agreement.high == pytest.approx(1)
    assert agreement.low == pytest.approx(0.722, abs=0.001)


def test_without_images_or_with_one_answer_there_is_no_kappa() -> None:
    assert Table(0, 0, 0, 0).agreement is None
    for table in (Table(0, 0, 0, 0), Table(9, 0, 0, 0), Table(0, 0, 0, 9)):
        assert table.kappa is None


@given(TABLES)
def test_bounds_and_symmetry(table: Table) -> None:
    kappa = table.kappa
    if kappa is None:
        return
    assert -1 <= kappa.low <= kappa.value + 1e-12 <= kappa.high + 2e-12 <= 1 + 3e-12
    turned = Table(table.both, table.second, table.first, table.neither).kappa
    renamed = Table(table.neither, table.second, table.first, table.both).kappa
    assert turned == pytest.approx(kappa)
    assert renamed == pytest.approx(kappa)


@given(TABLES)
def test_kappa_is_one_only_where_all_agree(table: Table) -> None:
    if kappa := table.kappa:
        assert (kappa.value > 1 - 1e-12) == (table.first == table.second == 0)


@given(st.builds(Table, *[st.integers(5, 60)] * 4))
def test_the_variance_is_that_of_the_delta_method(table: Table) -> None:
    """The gradient by differences gives the width that Fleiss, Cohen and Everitt's formula does."""
    n = sum(table)
    shares = [count / n for count in table]

    def kappa(cells: list[float]) -> float:
        both, first, second, neither = (cell / sum(cells) for cell in cells)
        chance = (both + first) * (both + second) + (second + neither) * (first + neither)
        return (both + neither - chance) / (1 - chance)

    step = 1e-6
    slopes = [
        (kappa([s + step * (i == j) for j, s in enumerate(shares)]) - kappa(shares)) / step
        for i in range(4)
    ]
    mean = sum(p * slope for p, slope in zip(shares, slopes, strict=True))
    variance = sum(p * (slope - mean) ** 2 for p, slope in zip(shares, slopes, strict=True)) / n
    found = table.kappa
    assert found
    if found.low > -1 and found.high < 1:
        assert (found.high - found.low) / 2 == pytest.approx(1.96 * sqrt(variance), rel=1e-3)


def test_the_interval_covers_the_truth() -> None:
    """Two reviewers who reject a fifth and err in a tenth: kappa of the population is known."""
    random = Random(1)
    cells = [0.8 * 0.81 + 0.2 * 0.01, 0.8 * 0.09 + 0.2 * 0.09]
    shares = [cells[0], cells[1], cells[1], 1 - cells[0] - 2 * cells[1]]
    large = Table(*(round(share * 10**7) for share in shares)).kappa
    assert large
    inside = 0
    for _ in range(500):
        drawn = random.choices(range(4), shares, k=300)
        found = Table(*(drawn.count(cell) for cell in range(4))).kappa
        inside += found is not None and found.low <= large.value <= found.high
    assert 0.92 <= inside / 500 <= 0.98
