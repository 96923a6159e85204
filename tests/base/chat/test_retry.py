"""Retries: how often, and how long, a server is asked for one thing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.base.chat.faults import FaultError, Remedy
from gen.base.chat.retry import Retries, RetryPolicy

POLICY = RetryPolicy(tries=5, first_tries=3, backoff=1.0, longest_backoff=10.0, throttled=40.0)


def fault(remedy: Remedy, wait: float | None = None) -> FaultError:
    return FaultError("any", "", remedy, wait)


def pauses(remedy: Remedy, wait: float | None = None, *, answered: bool = True) -> Iterator[float]:
    """The pauses after one failure and the next, until it is the last."""
    retries = Retries(POLICY)
    while (pause := retries.pause(fault(remedy, wait), answered=answered)) is not None:
        yield pause


@pytest.mark.parametrize("remedy", [Remedy.STOP, Remedy.GIVE_UP])
def test_what_cannot_succeed_is_not_tried_again(remedy: Remedy) -> None:
    assert list(pauses(remedy)) == []


@pytest.mark.parametrize("remedy", [Remedy.RETRY, Remedy.UNAVAILABLE])
def test_what_may_succeed_is_tried_so_often_with_longer_and_longer_pauses(remedy: Remedy) -> None:
    found = list(pauses(remedy))
    assert len(found) == POLICY.tries - 1
    for pause, longest in zip(found, (1, 2, 4, 8), strict=True):
        assert longest / 2 <= pause <= longest


def test_a_server_that_never_answered_is_tried_less_often() -> None:
    assert len(list(pauses(Remedy.RETRY, answered=False))) == 2


def test_another_answer_is_asked_for_at_once() -> None:
    assert list(pauses(Remedy.REDRAW)) == [0.0] * (POLICY.redraws - 1)


def test_a_server_gets_the_time_that_it_asks_for() -> None:
    """All of it where it is only busy, up to a bound on all; else as long as any backoff."""
    assert list(pauses(Remedy.WAIT, 12.5)) == [12.5] * 3
    assert list(pauses(Remedy.RETRY, 0.25)) == [0.25] * 4
    assert list(pauses(Remedy.RETRY, 86_400.0)) == [POLICY.longest_backoff] * 4


def test_what_is_not_counted_uses_up_no_try() -> None:
    retries = Retries(POLICY)
    for _ in range(2_000):
        pause = retries.pause(fault(Remedy.UNAVAILABLE), counted=False)
        assert pause is not None
        assert pause <= POLICY.backoff, "and makes no pause longer"
    left = [retries.pause(fault(Remedy.RETRY)) for _ in range(POLICY.tries)]
    assert [pause is None for pause in left] == [False] * 4 + [True]


@given(st.lists(st.sampled_from([*Remedy]), min_size=1), st.none() | st.floats(0, 1e4))
def test_nothing_is_waited_for_without_end(remedies: list[Remedy], asked: float | None) -> None:
    retries, waited, asks = Retries(POLICY), 0.0, 0
    for remedy in remedies * 40:
        pause = retries.pause(fault(remedy, asked))
        if pause is None:
            break
        if asked is not None and remedy is Remedy.WAIT:
            assert pause == asked
        waited, asks = waited + pause, asks + 1
    assert 0 <= waited <= POLICY.tries * POLICY.longest_backoff + POLICY.throttled
    if Remedy.STOP in remedies or Remedy.GIVE_UP in remedies:
        assert asks < len(remedies)
