"""The acceptor: caps and duplicates over what was accepted so far, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.triplets.accept import (
    FLOOR,
    FREQUENT,
    NO_GUIDANCE,
    RECENT,
    Acceptor,
    Claim,
    binding_key,
    cap,
    claim,
)
from gen.triplets.constructions import BY_NAME, CONSTRUCTIONS, Construction
from schemas.triplets import Example
from tests.support.drafts import built, make_draft, make_plan

CAPS = {2: 0.015, 3: 0.0225, 4: 0.03}
"""The cap for so many attributes an example (B.3)."""

BASE = built(
    make_plan("pair_swap"),
    make_draft(["flag", "drum"], [["torn"], ["red"]], "A torn flag and a red drum lay here."),
)


def row(
    objects: Sequence[str],
    attributes: Sequence[Sequence[str]],
    positive: str = "",
    construction: str = "pair_swap",
) -> Example:
    """A row with these terms; the caption is new unless one is given."""
    pairs = [f"{' '.join(words)} {noun}" for noun, words in zip(objects, attributes, strict=True)]
    return BASE._replace(
        construction=construction,
        objects=tuple(objects),
        attributes=tuple(map(tuple, attributes)),
        positive=positive or f"Here are {' and '.join(pairs)}, a {construction}.",
    )


def offer(acceptor: Acceptor, example: Example) -> str | None:
    """Offer a row's claim."""
    return acceptor.offer(claim(example))


def fresh(number: int, construction: str = "pair_swap") -> Example:
    """A row of which no word occurs in another one."""
    kind = BY_NAME[construction]
    return row(
        [f"noun{number}x{pair}-{construction}" for pair in range(kind.pairs)],
        [
            [f"adj{number}x{pair}x{slot}-{construction}" for slot in range(kind.attributes)]
            for pair in range(kind.pairs)
        ],
        construction=construction,
    )


def filled(count: int, construction: str = "pair_swap") -> Acceptor:
    """An acceptor that has accepted `count` rows, no word twice."""
    acceptor = Acceptor()
    for number in range(count):
        assert offer(acceptor, fresh(number, construction)) is None
    return acceptor


def with_word(number: int, word: str, construction: str = "pair_swap") -> Example:
    """A fresh row in which one attribute is `word`."""
    example = fresh(10**6 + number, construction)
    first, *others = example.attributes
    return row(example.objects, [(word, *first[1:]), *others], construction=construction)


def uses_allowed(acceptor: Acceptor, word: str, construction: str = "pair_swap") -> int:
    """How many rows with `word` in a row the acceptor takes (the cap grows with each)."""
    for number in range(10_000):
        reason = offer(acceptor, with_word(number, word, construction))
        if reason:
            assert reason == "frequency_cap"
            return number
    raise AssertionError("no cap")


class TestFrequencyCap:
    @pytest.mark.parametrize("construction", CONSTRUCTIONS, ids=lambda item: item.name)
    def test_is_a_share_of_the_accepted_but_at_least_ten(self, construction: Construction) -> None:
        share = CAPS[construction.pairs * construction.attributes]
        assert construction.cap == share
        assert cap(construction.name, 0) == 10
        assert cap(construction.name, 10_000) == pytest.approx(share * 10_000)
        turning = 10 / share  # where the share overtakes the floor
        assert cap(construction.name, int(turning)) == 10
        assert cap(construction.name, int(turning) + 100) == pytest.approx(
            share * (int(turning) + 100)
        )

    def test_is_not_rounded(self) -> None:
        assert cap("pair_swap", 701) == pytest.approx(10.515)

    @pytest.mark.parametrize("construction", ["pair_swap", "triple_bind_swap", "attr_bundle"])
    def test_allows_ten_uses_at_the_start(self, construction: str) -> None:
        assert uses_allowed(Acceptor(), "red", construction) == FLOOR == 10

    def test_rises_with_the_accepted(self) -> None:
        # The n-th use needs n <= 0.015 x accepted: the 11th 734 accepted rows, the 12th 800.
        assert uses_allowed(filled(723), "red") == 10
        assert uses_allowed(filled(724), "red") == 11
        assert uses_allowed(filled(788), "red") == 11
        assert uses_allowed(filled(789), "red") == 12

    def test_counts_objects_as_well(self) -> None:
        acceptor = Acceptor()
        for number in range(FLOOR):
            nouns = ["flag", f"noun{number}"]
            assert offer(acceptor, row(nouns, [[f"a{number}"], [f"b{number}"]])) is None
        assert offer(acceptor, row(["flag", "noun"], [["a"], ["b"]])) == "frequency_cap"

    def test_does_not_see_case(self) -> None:
        acceptor = Acceptor()
        for number in range(FLOOR):
            word = "Red" if number % 2 else "red"
            assert offer(acceptor, with_word(number, word)) is None
        assert offer(acceptor, with_word(99, "RED")) == "frequency_cap"

    def test_is_counted_per_construction(self) -> None:
        acceptor = Acceptor()
        assert uses_allowed(acceptor, "red", "pair_swap") == 10
        assert uses_allowed(acceptor, "red", "predicative") == 10

    def test_of_one_construction_does_not_rise_with_another(self) -> None:
        assert uses_allowed(filled(2000, "predicative"), "red", "pair_swap") == 10

    def test_rejected_rows_count_for_nothing(self) -> None:
        acceptor = Acceptor()
        uses_allowed(acceptor, "red")
        rejected = with_word(77, "red")
        other = rejected.attributes[1][0]
        before = acceptor.guidance("pair_swap").uses[other]
        assert offer(acceptor, rejected) == "frequency_cap"
        assert acceptor.guidance("pair_swap").uses[other] == before
        assert acceptor.accepted("pair_swap") == 10
        # its words, bindings and caption are still free
        clean = row(rejected.objects, [["blue"], rejected.attributes[1]], rejected.positive)
        assert offer(acceptor, clean) is None


class TestDuplicates:
    FIRST = row(["flag", "drum"], [["torn"], ["red"]])

    def accepted(self) -> Acceptor:
        acceptor = Acceptor()
        assert offer(acceptor, self.FIRST) is None
        return acceptor

    def test_the_same_words_in_the_same_construction(self) -> None:
        swapped = row(["flag", "drum"], [["red"], ["torn"]])
        assert offer(self.accepted(), swapped) == "duplicate_terms"

    def test_the_same_words_in_another_order(self) -> None:
        turned = row(["drum", "flag"], [["red"], ["torn"]], "Another caption.")
        assert offer(self.accepted(), turned) == "duplicate_terms"

    def test_the_same_words_bound_otherwise_in_another_construction(self) -> None:
        swapped = row(["flag", "drum"], [["red"], ["torn"]], construction="predicative")
        assert offer(self.accepted(), swapped) is None

    def test_the_same_bindings_in_another_construction(self) -> None:
        again = row(["drum", "flag"], [["red"], ["torn"]], construction="predicative")
        assert offer(self.accepted(), again) == "duplicate_bindings"

    def test_the_same_caption_anywhere(self) -> None:
        other = row(["vase", "sofa"], [["old"], ["new"]], self.FIRST.positive.upper())
        assert offer(self.accepted(), other) == "duplicate_caption"
        other = row(["vase", "sofa"], [["old"], ["new"]], self.FIRST.positive, "predicative")
        assert offer(self.accepted(), other) == "duplicate_caption"

    def test_one_other_word_is_enough(self) -> None:
        assert offer(self.accepted(), row(["flag", "drum"], [["torn"], ["blue"]])) is None

    def test_the_cap_is_named_before_the_duplicate(self) -> None:
        acceptor = Acceptor()
        for number in range(FLOOR):
            offer(acceptor, with_word(number, "red"))
        assert offer(acceptor, with_word(0, "red")) == "frequency_cap"

    def test_a_binding_set_knows_no_order_and_no_case(self) -> None:
        keys = {
            binding_key(row(["flag", "drum"], [["torn", "silk"], ["red", "tin"]])),
            binding_key(row(["drum", "flag"], [["tin", "red"], ["silk", "torn"]])),
            binding_key(row(["Drum", "flag"], [["Tin", "red"], ["silk", "TORN"]])),
        }
        assert len(keys) == 1

    @pytest.mark.parametrize(
        "other",
        [
            row(["flag", "drum"], [["red"], ["torn"]]),
            row(["flag", "drum"], [["torn"], ["blue"]]),
            row(["flag torn", "drum"], [[], ["red"]]),
            row(["flag", "drum", "vase"], [["torn"], ["red"], ["old"]]),
        ],
        ids=["crossed", "word", "boundary", "third"],
    )
    def test_different_bindings_are_different(self, other: Example) -> None:
        assert binding_key(other) != binding_key(self.FIRST)


class TestGuidance:
    def test_is_empty_at_the_start(self) -> None:
        assert Acceptor().guidance("pair_swap") == NO_GUIDANCE

    def test_avoids_the_hundred_latest_words_latest_first(self) -> None:
        acceptor = filled(200)
        avoid = acceptor.guidance("pair_swap").avoid
        assert avoid[:4] == claim(fresh(199)).terms[::-1]
        assert RECENT == 100
        recent = {
            word
            for number in range(175, 200)  # four words a row
            for word in claim(fresh(number)).terms
        }
        assert set(avoid[:RECENT]) == recent

    def test_avoids_the_forty_most_frequent_words_too(self) -> None:
        acceptor = Acceptor()
        common = [f"common{number}" for number in range(FREQUENT)]
        for number in range(2 * FREQUENT):
            example = with_word(number, common[number % FREQUENT])
            assert offer(acceptor, example) is None
        for number in range(50):
            assert offer(acceptor, fresh(number)) is None
        avoid = acceptor.guidance("pair_swap").avoid
        assert FREQUENT == 40
        assert len(avoid) == RECENT + FREQUENT
        assert set(avoid[RECENT:]) == set(common)

    def test_names_no_word_twice(self) -> None:
        acceptor = Acceptor()
        for number in range(5):
            offer(acceptor, with_word(number, "red"))
        avoid = acceptor.guidance("pair_swap").avoid
        assert len(avoid) == len(set(avoid))
        assert "red" in avoid

    def test_bans_exactly_the_words_at_the_cap(self) -> None:
        acceptor = Acceptor()
        for number in range(FLOOR - 1):
            offer(acceptor, with_word(number, "red"))
            offer(acceptor, with_word(100 + number, "blue"))
        assert acceptor.guidance("pair_swap").banned == frozenset()
        offer(acceptor, with_word(50, "red"))
        assert acceptor.guidance("pair_swap").banned == {"red"}

    def test_lifts_a_ban_when_the_cap_has_risen(self) -> None:
        acceptor = Acceptor()
        for number in range(FLOOR):
            offer(acceptor, with_word(number, "red"))
        for number in range(723):
            offer(acceptor, fresh(number))
        assert acceptor.guidance("pair_swap").banned == {"red"}
        offer(acceptor, fresh(723))  # 734 accepted: 11 uses are 1.499 %
        assert acceptor.guidance("pair_swap").banned == frozenset()

    def test_counts_uses_per_construction(self) -> None:
        acceptor = Acceptor()
        for number in range(3):
            offer(acceptor, with_word(number, "red"))
        assert acceptor.guidance("pair_swap").uses["red"] == 3
        assert acceptor.guidance("predicative").uses["red"] == 0


WORDS = st.sampled_from([f"w{number}" for number in range(9)])


@st.composite
def streams(draw: st.DrawFn) -> list[Claim]:
    """Offers with many repeated words, so that every rule has its turn."""
    claims = []
    for number in range(draw(st.integers(20, 120))):
        construction = draw(st.sampled_from(["pair_swap", "predicative"]))
        terms = draw(st.lists(WORDS, min_size=4, max_size=4, unique=True))
        caption = draw(st.sampled_from(["", "", "Same caption."])) or f"Caption {number}."
        claims.append(claim(row(terms[:2], [[terms[2]], [terms[3]]], caption, construction)))
    return claims


def decisions(acceptor: Acceptor, claims: Sequence[Claim]) -> Iterator[str | None]:
    """What the acceptor says of each offer."""
    for item in claims:
        yield acceptor.offer(item)


class TestRebuilding:
    """A run that goes on re-offers the accepted rows and is where it was."""

    @given(streams(), streams())
    def test_from_the_accepted_rows_decides_the_same(
        self, before: list[Claim], after: list[Claim]
    ) -> None:
        first, second = Acceptor(), Acceptor()
        kept = [
            item
            for item, reason in zip(before, decisions(first, before), strict=True)
            if reason is None
        ]
        assert set(decisions(second, kept)) <= {None}
        for name in ("pair_swap", "predicative"):
            assert first.accepted(name) == second.accepted(name)
            assert first.guidance(name) == second.guidance(name)
        assert [*decisions(first, after)] == [*decisions(second, after)]

    @given(streams())
    def test_the_same_offers_give_the_same_decisions(self, offers: list[Claim]) -> None:
        assert [*decisions(Acceptor(), offers)] == [*decisions(Acceptor(), offers)]

    @given(streams())
    def test_no_word_is_ever_above_its_cap(self, offers: list[Claim]) -> None:
        acceptor = Acceptor()
        for item in offers:
            limit = cap(item.construction, acceptor.accepted(item.construction))
            if acceptor.offer(item) is None:
                uses = acceptor.guidance(item.construction).uses
                assert max(uses[term] for term in item.terms) <= limit
