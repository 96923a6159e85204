"""Agreement over any number of answers; of two answers see tests/screen/test_agreement.py."""

from __future__ import annotations

from math import sqrt
from random import Random

import pytest

from gen.base.agreement import agreement, kappa

TABLE = ((44, 5, 1), (7, 20, 3), (9, 5, 6))


def test_a_table_of_three_answers() -> None:
    """By hand: 70 of 100 agree, 41 would by chance; (0.70 - 0.41) / 0.59."""
    assert agreement(TABLE) is not None
    assert agreement(TABLE)[0] == 0.7  # type: ignore[index]
    found = kappa(TABLE)
    assert found is not None
    assert found.value == pytest.approx((0.70 - 0.41) / 0.59)


def test_the_interval_is_as_wide_as_the_figure_varies() -> None:
    """Against the spread of kappa over resampled tables (the bootstrap)."""
    random = Random(2)
    places = [(i, j) for i in range(3) for j in range(3)]
    weights = [TABLE[i][j] for i, j in places]
    values = []
    for _ in range(2_000):
        drawn = random.choices(range(9), weights, k=100)
        counts = [[drawn.count(3 * i + j) for j in range(3)] for i in range(3)]
        again = kappa(counts)
        assert again is not None
        values.append(again.value)
    mean = sum(values) / len(values)
    spread = sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    found = kappa(TABLE)
    assert found is not None
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * spread, rel=0.06)


def test_one_answer_alone_or_nothing_has_no_kappa() -> None:
    assert kappa(((0, 0, 0), (0, 8, 0), (0, 0, 0))) is None
    assert kappa(((0, 0), (0, 0))) is None
    assert agreement(((0, 0), (0, 0))) is None
