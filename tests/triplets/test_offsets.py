"""The offsets of rows behave as the mapping that they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.triplets.offsets import Offsets
from gen.triplets.plan import Slot

SLOTS = st.builds(Slot, st.sampled_from(["pair_swap", "predicative"]), st.integers(0, 50))
ROWS = st.dictionaries(SLOTS, st.integers(0, 2**40))


def made(rows: dict[Slot, int]) -> Offsets:
    found = Offsets()
    for slot, offset in rows.items():
        found[slot] = offset
    return found


@given(ROWS, SLOTS)
def test_they_hold_what_a_dict_holds(rows: dict[Slot, int], other: Slot) -> None:
    found = made(rows)
    assert len(found) == len(rows)
    assert {slot: found[slot] for slot in found} == rows
    assert (other in found) == (other in rows)
    if other not in rows:
        with pytest.raises(KeyError):
            found[other]


@given(ROWS, ROWS)
def test_equal_means_the_same_rows_in_whatever_order(
    rows: dict[Slot, int], others: dict[Slot, int]
) -> None:
    assert made(rows) == made(dict(reversed(rows.items())))
    assert (made(rows) == made(others)) == (rows == others)


@given(ROWS, SLOTS)
def test_a_row_may_be_set_again(rows: dict[Slot, int], slot: Slot) -> None:
    found = made(rows | {slot: 1})
    found[slot] = 2
    assert found[slot] == 2
    assert len(found) == len(rows | {slot: 1})
