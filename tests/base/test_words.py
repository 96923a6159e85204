"""What a word is, what a plural is, where a term stands, and what negates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.base.text.captions import locate
from gen.base.text.words import capitalize, negates, normalized, pieces, plurals, positions, words


class TestWords:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("A red banner.", ["a", "red", "banner"]),
            ("Tie-dyed, at five o'clock", ["tie-dyed", "at", "five", "o'clock"]),
            ("a one-of-a-kind thing", ["a", "one-of-a-kind", "thing"]),
            ("it isn’t", ["it", "isn’t"]),
            ("the clerks' hall", ["the", "clerks", "hall"]),  # only inner apostrophes
            ("'tis -5 degrees-", ["tis", "5", "degrees"]),
            ("well--known", ["well", "known"]),  # one hyphen joins, two don't
            ("8-foot, 18th, 1,000", ["8-foot", "18th", "1", "000"]),
            ("snake_case", ["snake", "case"]),
            ("CAFÉ Straße", ["café", "strasse"]),
            ("in İstanbul", ["in", "i̇stanbul"]),  # folds into two characters, stays one word
            ("—…!", []),
            ("", []),
        ],
    )
    def test_of_a_text(self, text: str, found: list[str]) -> None:
        assert words(text) == found

    @given(st.text())
    def test_pieces_put_together_are_the_text(self, text: str) -> None:
        assert "".join(pieces(text)) == text

    @given(st.text())
    def test_words_are_the_folded_odd_pieces(self, text: str) -> None:
        """So a place in one list is a place in the other."""
        parts = pieces(text)
        assert len(parts) % 2 == 1
        assert [part.casefold() for part in parts[1::2]] == words(text)

    @pytest.mark.parametrize(("word", "form"), [("an", "a"), ("a", "a"), ("ant", "ant")])
    def test_a_and_an_are_the_same_word(self, word: str, form: str) -> None:
        assert normalized(word) == form

    @pytest.mark.parametrize(
        ("text", "raised"),
        [
            ("red flag", "Red flag"),
            ("SUV", "SUV"),
            ("8-foot", "8-foot"),
            ("éclair", "Éclair"),
            ("", ""),
        ],
    )
    def test_capitalize_touches_only_the_first_letter(self, text: str, raised: str) -> None:
        assert capitalize(text) == raised


class TestPlurals:
    @pytest.mark.parametrize(
        ("noun", "plural"),
        [
            ("banner", "banners"),
            ("box", "boxes"),
            ("bus", "buses"),
            ("dish", "dishes"),
            ("potato", "potatoes"),
            ("photo", "photos"),
            ("berry", "berries"),
            ("toy", "toys"),
            ("knife", "knives"),
            ("shelf", "shelves"),
            ("scarf", "scarves"),
            ("roof", "roofs"),
            ("quiz", "quizzes"),
            ("goose", "geese"),
            ("mongoose", "mongooses"),
            ("tooth", "teeth"),
            ("mouse", "mice"),
            ("dormouse", "dormice"),
            ("ox", "oxen"),
            ("fireman", "firemen"),
            ("child", "children"),
            ("die", "dice"),
            ("person", "people"),
            ("cactus", "cacti"),
            ("octopus", "octopuses"),
            ("bureau", "bureaux"),
            ("coffee table", "tables"),
            ("fire escape ladder", "ladders"),
            ("olive-oil can", "cans"),
            ("Banner", "banners"),
            ("SUV", "suvs"),
        ],
    )
    def test_of_a_noun(self, noun: str, plural: str) -> None:
        assert plural in plurals(noun)

    @given(st.text("abcdefghilmnorstuvwxyz", min_size=1, max_size=10))
    def test_no_noun_is_its_own_plural(self, noun: str) -> None:
        assert noun not in plurals(noun)
        assert noun + "s" in plurals(noun)


class TestPositions:
    @pytest.mark.parametrize(
        ("text", "term", "places"),
        [
            ("a red banner and a red flag", "red", [1, 5]),
            ("a red banner and a red flag", "red flag", [5]),
            ("a red banner and a red flag", "redder", []),
            ("fire escape fire escape ladder", "fire escape ladder", [2]),
            ("tick tick tick", "tick tick", [0, 1]),
            ("fire escape", "fire escape ladder", []),
            ("", "red", []),
        ],
    )
    def test_of_a_term(self, text: str, term: str, places: list[int]) -> None:
        assert positions(words(text), words(term)) == places

    def test_locate_counts_words(self) -> None:
        caption = locate(
            "Past it, a red coffee table: dusty drum!",
            ["coffee table", "drum"],
            [["red"], ["dusty"]],
        )
        assert caption is not None
        assert caption.objects == (4, 7)
        assert caption.sizes == (2, 1)
        assert caption.attributes == ((3,), (6,))
        assert caption.ends == (6, 8)
        assert caption.between(caption.ends[0], caption.objects[1]) == ["dusty"]

    @pytest.mark.parametrize(
        ("text", "objects", "attributes"),
        [
            pytest.param("A red drum.", ["drum", "flag"], [["red"], ["red"]], id="missing object"),
            pytest.param("A drum.", ["drum"], [["red"]], id="missing attribute"),
            pytest.param("A red drum, the drum.", ["drum"], [["red"]], id="object twice"),
            pytest.param("A red drum. Red!", ["drum"], [["red"]], id="attribute twice"),
            pytest.param("A red drum's skin.", ["drum"], [["red"]], id="possessive only"),
            pytest.param("A red drum-like thing.", ["drum"], [["red"]], id="part of a compound"),
            pytest.param(
                "A red coffee table lamp is old.",
                ["coffee table", "table lamp"],
                [["red"], ["old"]],
                id="overlap",
            ),
            pytest.param("A paper lamp.", ["paper lamp"], [["paper"]], id="attribute in an object"),
        ],
    )
    def test_locate_finds_every_term_once_or_nothing(
        self, text: str, objects: list[str], attributes: list[list[str]]
    ) -> None:
        assert locate(text, objects, attributes) is None


class TestNegation:
    @pytest.mark.parametrize(
        "text",
        [
            "No flag was red.",
            "It was not red.",
            "The flag was never red.",
            "Neither the flag nor the drum.",
            "The flag without a pole.",
            "It cannot be red.",
            "It isn't red.",
            "They WON'T sell it.",
            "None of it.",
            "Nobody came.",
            "No-one came.",
            "Nothing came.",
            "It was nowhere.",
        ],
    )
    def test_a_text_that_negates(self, text: str) -> None:
        assert negates(words(text))

    @pytest.mark.parametrize(
        "text",
        ["The flag was red.", "A knot in a notebook.", "Note the tent.", "Noon in November.", ""],
    )
    def test_a_text_that_does_not(self, text: str) -> None:
        assert not negates(words(text))
