"""The set of digests is a set, and a small one."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from gen.base.digests import Digests, digest

KEYS = st.lists(st.integers(1, 2**64 - 1) | st.integers(1, 50).map(lambda n: n << 32))
"""Any digests, many of which belong in the same place."""


@given(KEYS, KEYS)
def test_it_holds_what_was_added_and_nothing_else(added: list[int], others: list[int]) -> None:
    found = Digests()
    for key in added:
        found.add(key)
    assert len(found) == len(set(added))
    assert all(key in found for key in added)
    assert {key for key in others if key in found} == set(others) & set(added)


@given(KEYS)
def test_equal_sets_are_equal_in_any_order(keys: list[int]) -> None:
    one, other = Digests(), Digests()
    for key in keys:
        one.add(key)
    for key in reversed(keys):
        other.add(key)
    assert one == other
    other.add(2**63 + 12345)
    assert (one == other) == (2**63 + 12345 in keys)


def test_it_grows_to_many_in_little_memory() -> None:
    found = Digests()
    keys = [digest(str(number)) for number in range(50_000)]
    for key in keys:
        found.add(key)
    assert len(found) == 50_000
    assert all(key in found for key in keys)
    assert not any(digest("other", str(number)) in found for number in range(50_000))
    assert sys.getsizeof(found._table) <= 32 * 50_000


def test_a_digest_tells_parts_apart() -> None:
    assert digest("red", "flag") == digest("red", "flag") != digest("redflag")
    assert 0 < digest() < 2**64
