"""The circuit breaker of a run: it bears more failures in a row once something has worked."""

from __future__ import annotations

from gen.base.chat.breaker import Breaker, Limits


def test_failures_in_a_row_trip_it_and_a_success_begins_a_new_row() -> None:
    breaker = Breaker(Limits(first=2, later=4))
    assert [breaker.failed("x"), breaker.failed("x")] == [False, True]
    breaker.succeeded()
    assert [breaker.failed("x") for _ in range(4)] == [False] * 3 + [True]


def test_what_is_neither_ends_the_row_but_proves_nothing() -> None:
    breaker = Breaker(Limits(first=2, later=4))
    breaker.failed("x")
    breaker.reset()
    assert [breaker.failed("x"), breaker.failed("x")] == [False, True]


def test_it_counts_by_reason() -> None:
    breaker = Breaker(Limits(first=9, later=9))
    for reason, times in (("a", 1), ("b", 1200), ("c", 2), ("d", 3)):
        for _ in range(times):
            breaker.failed(reason)
    assert (breaker.count, breaker.worst) == (1206, "b")
    assert breaker.counts == "b 1,200, d 3, c 2"
