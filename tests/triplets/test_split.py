"""The split (B.5): held-out types whole, the rest 80/10/10, exactly and at random."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from gen.triplets.constructions import CONSTRUCTIONS, HELD_OUT
from gen.triplets.plan import DEFAULT_MIX, Slot, slots
from gen.triplets.split import SPLITS, assign
from schemas.triplets import MIXED

NAMES = [construction.name for construction in CONSTRUCTIONS]
ANY_SLOTS = st.lists(
    st.builds(Slot, st.sampled_from(NAMES), st.integers(0, 10**6)), unique=True, max_size=150
)
SEEDS = st.integers(0, 2**32)


def largest_remainder(n: int) -> list[int]:
    """80/10/10 of n: whole parts first, then one each to the largest rests, in order."""
    exact = [Fraction(n * share, 100) for share in (80, 10, 10)]
    counts = [int(part) for part in exact]
    by_rest = sorted(range(3), key=lambda place: -(exact[place] - counts[place]))
    for place in by_rest[: n - sum(counts)]:
        counts[place] += 1
    return counts


def mixed(of: Sequence[Slot]) -> list[Slot]:
    return [slot for slot in of if slot.construction not in HELD_OUT]


@given(ANY_SLOTS, SEEDS)
def test_the_sizes_are_exactly_80_10_10_by_largest_remainder(of: list[Slot], seed: int) -> None:
    splits = assign(of, seed)
    sizes = [len(splits[name]) for name in ("train", "validation", "test")]
    assert sizes == largest_remainder(len(mixed(of)))


def test_a_hundred_thousand_rows_come_out_in_round_figures() -> None:
    sizes = {name: len(own) for name, own in assign(slots(10_000, DEFAULT_MIX), 0).items()}
    assert sizes == {
        "train": 6_400,
        "validation": 800,
        "test": 800,
        "deferred_bind_anaphoric": 1_000,
        "deferred_bind_respective": 1_000,
    }


@given(ANY_SLOTS, SEEDS)
def test_every_slot_is_in_exactly_one_split(of: list[Slot], seed: int) -> None:
    splits = assign(of, seed)
    assert tuple(splits) == SPLITS
    dealt = [slot for own in splits.values() for slot in own]
    assert len(dealt) == len(of)
    assert set(dealt) == set(of)


def test_the_papers_two_deferred_types_are_held_out() -> None:
    assert HELD_OUT[:2] == ("deferred_bind_anaphoric", "deferred_bind_respective")
    assert (*MIXED, *HELD_OUT) == SPLITS


@given(ANY_SLOTS, SEEDS)
def test_held_out_types_are_whole(of: list[Slot], seed: int) -> None:
    splits = assign(of, seed)
    for name in HELD_OUT:
        assert splits[name] == [slot for slot in of if slot.construction == name]
    for name in ("train", "validation", "test"):
        assert mixed(splits[name]) == splits[name]


@given(ANY_SLOTS, SEEDS, st.randoms(use_true_random=False))
def test_where_a_slot_goes_depends_on_the_set_and_the_seed_alone(
    of: list[Slot], seed: int, random: Random
) -> None:
    shuffled = list(of)
    random.shuffle(shuffled)
    first, second = assign(of, seed), assign(iter(shuffled), seed)
    assert {name: set(own) for name, own in first.items()} == {
        name: set(own) for name, own in second.items()
    }


@given(ANY_SLOTS, SEEDS)
def test_a_split_keeps_the_order_given(of: list[Slot], seed: int) -> None:
    for own in assign(of, seed).values():
        assert own == sorted(own, key=of.index)


def test_another_seed_deals_otherwise() -> None:
    of = list(slots(2_000, DEFAULT_MIX))
    trains = [set(assign(of, seed)["train"]) for seed in (0, 1)]
    shared = len(trains[0] & trains[1]) / len(trains[0])
    assert 0.75 < shared < 0.85, "two independent draws of 80 % share 80 % of theirs"


def test_every_construction_is_dealt_out_in_proportion() -> None:
    of = list(slots(10_000, DEFAULT_MIX))
    train = Counter(slot.construction for slot in assign(of, 0)["train"])
    for name, count in Counter(slot.construction for slot in mixed(of)).items():
        assert abs(train[name] / count - 0.8) < 0.05, name


def test_early_and_late_slots_are_dealt_alike() -> None:
    of = mixed(list(slots(10_000, DEFAULT_MIX)))
    half = len(of) // 2
    train = set(assign(of, 0)["train"])
    early = sum(1 for slot in of[:half] if slot in train) / half
    assert abs(early - 0.8) < 0.03
