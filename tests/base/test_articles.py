"""`a` or `an`: by pronunciation, in one place, and nothing else in a text is touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.base.text.articles import article, repair
from gen.base.text.words import pieces

HARD = {
    "a vowel letter that sounds as a consonant": {
        "a": """unicorn European uniform unique usual useful useless union unit universe
            university unanimous ukulele utensil utility euphonium eucalyptus ewe one once one-off
            one-of-a-kind ubiquitous unisex U-shaped U-turn""",
    },
    "a consonant letter that is silent or sounds as a vowel": {
        "an": """hour honest honor honorary heir heirloom hourglass hourly herb herbal X-ray
            x-shaped L-shaped S-hook F-shaped""",
    },
    "un- and um- are no you": {
        "an": """unused umbrella usher urn uneven unusual unidentified unintended unimportant
            unissued upscale ultramodern unpainted undersized urban utter""",
    },
    "numerals": {
        "an": """8 8-foot 80 80s 800 8th 8,000 8.5 11 11-inch 11th 18 18th 1100 1800 1850s
            11,000 18,000 80,000""",
        "a": """1 1st 5-foot 10 12th 100 110 118 180 1,100 1900s 2000 7th 9 0 100th 180,000
            1,800""",
    },
    "acronyms, letter by letter or as a word": {
        "an": "SUV MRI FM RV NFL HDMI LED LED-lit LCD ATM",
        "a": "UFO USB UV TV PC NASA UN CD",
    },
    "possessives": {
        "an": "usher's ushers' herbalist's heir's SUV's owl's",
        "a": "onesie's unicorn's US's UFO's banner's",
    },
    "plain words": {
        "a": "red banner torn hat house yellow horse hotel history",
        "an": "orange owl iron apple elegant oboe igloo Italian",
    },
}

TABLE = [
    pytest.param(word, right, id=f"{right} {word}")
    for rows in HARD.values()
    for right, listed in rows.items()
    for word in listed.split()
]


@pytest.mark.parametrize(("word", "right"), TABLE)
def test_the_article_of_a_word(word: str, right: str) -> None:
    assert article(pieces(word)[1]) == right


@pytest.mark.parametrize(("word", "right"), TABLE)
def test_a_text_is_repaired_from_either_article(word: str, right: str) -> None:
    for wrong in ("a", "an"):
        assert repair(f"I saw {wrong} {word} there.") == f"I saw {right} {word} there."


@pytest.mark.parametrize(
    ("text", "right"),
    [
        # At the start of a sentence the article keeps its capital.
        ("A orange flag.", "An orange flag."),
        ("An red flag.", "A red flag."),
        ("So it was. A orange flag fell.", "So it was. An orange flag fell."),
        ("Really? An red one! A old one.", "Really? A red one! An old one."),
        ('He said: "A orange flag."', 'He said: "An orange flag."'),
        ("It hung there. (A orange one.)", "It hung there. (An orange one.)"),
        ('"A orange flag," he said.', '"An orange flag," he said.'),
        ('He left. "A orange flag," he said.', 'He left. "An orange flag," he said.'),
        # An upper-case A within a sentence is a name.
        ("Lot A is empty.", "Lot A is empty."),
        ("Take exit A or exit B.", "Take exit A or exit B."),
        ("Vitamin A in an red jar.", "Vitamin A in a red jar."),
        # Opening marks between article and word don't matter.
        ('a "orange" flag', 'an "orange" flag'),
        ("an 'red' flag", "a 'red' flag"),
        ("a (orange) flag", "an (orange) flag"),
        ("a *orange* flag", "an *orange* flag"),
        ("an _red_ flag", "a _red_ flag"),
        # A quoted or cut-off letter is no article.
        ("the letter 'a' is first", "the letter 'a' is first"),
        ('the letter "a" is first', 'the letter "a" is first'),
        ("grade a, or b", "grade a, or b"),
        ("grade a - or b", "grade a - or b"),
        ("an-orange", "an-orange"),
        # The last word has no word after it.
        ("it ends in a", "it ends in a"),
        ("a", "a"),
        ("", ""),
        # `a` inside another word is none.
        ("banana orange", "banana orange"),
        ("a.m. on Sunday", "a.m. on Sunday"),
        # Several in one text, and any blank between.
        ("a owl and an hen in a hour", "an owl and a hen in an hour"),
        ("a  orange", "an  orange"),
        ("a\norange", "an\norange"),
    ],
)
def test_a_text(text: str, right: str) -> None:
    assert repair(text) == right


WORDS = st.sampled_from(
    """
    a an A An the orange red 8-foot hour SUV Lot unicorn 'orange' "hour" (old) . ! ? , : a.
    """.split()
)
TEXTS = st.one_of(st.text(), st.lists(WORDS, max_size=12).map(" ".join))


@given(TEXTS)
def test_repair_is_idempotent(text: str) -> None:
    once = repair(text)
    assert repair(once) == once


@given(TEXTS)
def test_repair_changes_nothing_but_articles(text: str) -> None:
    before, after = pieces(text), pieces(repair(text))
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        if old != new:
            assert {old, new} in ({"a", "an"}, {"A", "An"})


@given(st.sampled_from([param.values for param in TABLE]), st.sampled_from(["a", "an"]))
def test_after_repair_every_article_is_as_pronounced(row: tuple[str, str], wrong: str) -> None:
    word, right = row
    text = repair(f"So {wrong} {word}, or {wrong} {word}.")
    assert text == f"So {right} {word}, or {right} {word}."
