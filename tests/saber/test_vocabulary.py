"""The benchmark's words (A.1), and what is said of a vocabulary that won't do."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from gen.base.text.articles import article
from gen.vocab.saber import BUILTIN, FILE, TYPES, Attribute, load

VOCABULARY = load()
COLORS = "red orange yellow green blue purple pink white black"
NAMED = {
    "objects": "toothbrush teapot kayak cannon submarine giraffe cube kite snowboard cherry",
    "attributes": "red pink golden glowing sandy striped tie-dye transparent camouflage wooden "
    "soap-bubble",
}
"""Words that the paper names."""

GOOD = """\
palette = "red blue"
objects.any = "kite pear"
alike.objects = "kite pear"
[attributes.color]
red = "red"
striped = "{color1} and {color2} striped"
glowing = "{color except red} glowing"
wooden = "{pale, dark} wooden"
"""


def test_there_are_232_objects_and_50_attributes_in_6_categories() -> None:
    assert VOCABULARY.counts == {"objects": 232, "attributes": 50, "categories": 6}
    assert len(set(VOCABULARY.objects)) == 232


def test_types_are_27_4_6_13() -> None:
    counts = Counter(attribute.type for attribute in VOCABULARY.attributes.values())
    assert [counts[kind] for kind in TYPES] == [27, 4, 6, 13]


def test_the_palette_is_nine_colors_that_are_standalone_attributes() -> None:
    assert VOCABULARY.palette == tuple(COLORS.split())
    assert {VOCABULARY.attributes[color].type for color in VOCABULARY.palette} == {"standalone"}


def test_the_words_that_the_paper_names_are_there() -> None:
    assert set(NAMED["objects"].split()) <= set(VOCABULARY.objects)
    assert set(NAMED["attributes"].split()) <= VOCABULARY.attributes.keys()


@pytest.mark.parametrize(
    ("name", "kind", "look"),
    [
        ("soap-bubble", "standalone", "iridescent soap-bubble"),
        ("glowing", "single_color", "green glowing"),
        ("striped", "two_color", "white and orange striped"),
        ("wooden", "fixed_variant", "light-brown wooden"),
    ],
)
def test_the_papers_examples_look_as_it_says(name: str, kind: str, look: str) -> None:
    attribute = VOCABULARY.attributes[name]
    assert attribute.type == kind
    assert look in attribute.looks(VOCABULARY.palette)


def test_variants_keep_away_from_the_palette() -> None:
    for attribute in VOCABULARY.attributes.values():
        assert not set(attribute.variants) & set(VOCABULARY.palette), attribute.name


def test_two_colors_are_distinct_and_come_in_any_order() -> None:
    striped = list(VOCABULARY.attributes["striped"].looks(VOCABULARY.palette))
    assert len(striped) == len(set(striped)) == 9 * 8


def test_no_object_glows_black() -> None:
    glowing = set(VOCABULARY.attributes["glowing"].looks(VOCABULARY.palette))
    assert len(glowing) == 8
    assert "black glowing" not in glowing


def test_no_two_attributes_have_an_appearance_in_common() -> None:
    looks = [
        look for one in VOCABULARY.attributes.values() for look in one.looks(VOCABULARY.palette)
    ]
    assert len(looks) == len(set(looks))


def test_golden_and_yellow_look_alike_and_so_do_a_fork_and_a_rake() -> None:
    group = VOCABULARY.group
    assert group["golden"] == group["yellow"]
    assert group["fork"] == group["rake"]
    assert group["red"] != group["yellow"]


def test_even_use_is_possible_at_ten_pairs() -> None:
    """A group of look-alikes gives one term a question: too large a group, and some rest unused."""
    for terms in (VOCABULARY.objects, tuple(VOCABULARY.attributes)):
        largest = max(Counter(VOCABULARY.group[term] for term in terms).values())
        assert 10 * largest <= len(terms)


def test_articles_are_known() -> None:
    """Read off the list by hand: the words that begin with a vowel sound."""
    looks = [
        look for one in VOCABULARY.attributes.values() for look in one.looks(VOCABULARY.palette)
    ]
    heads = {look.split()[0] for look in looks} | VOCABULARY.attributes.keys()
    assert {head for head in heads if article(head) == "an"} == {
        *("orange", "icy", "iridescent", "olive-green")
    }


# --- a vocabulary of one's own


def folder(tmp_path: Path, text: str) -> Path:
    (tmp_path / FILE).write_text(text)
    return tmp_path


def test_a_small_vocabulary_loads(tmp_path: Path) -> None:
    loaded = load(folder(tmp_path, GOOD))
    assert loaded.objects == ("kite", "pear")
    assert loaded.group["pear"] == "kite"
    assert [one.type for one in loaded.attributes.values()] == [
        *("standalone", "two_color", "single_color", "fixed_variant")
    ]
    assert list(loaded.attributes["glowing"].looks(loaded.palette)) == ["blue glowing"]


def test_objects_may_have_several_words(tmp_path: Path) -> None:
    text = GOOD.replace('"kite pear"', '["kite", "hot-air balloon"]', 1).replace(
        '"kite pear"', '"kite, hot-air balloon"'
    )
    assert load(folder(tmp_path, text)).group["hot-air balloon"] == "kite"


def test_filling_takes_the_values_in_order() -> None:
    attribute = Attribute("striped", "pattern", "{color1} and {color2} striped")
    assert attribute.fill(["white", "orange"]) == "white and orange striped"


WRONG = {
    'palette = "red blue"': [
        ('palette = "red Blue"', "palette has 'Blue'; entries are lower case"),
        ('palette = "red"', "striped takes 2 colors; list as many in the palette"),
        ('palette = "red red"', "'red' is listed twice"),
        ("", "palette must be a string of words"),
        ("palette =", "not valid TOML"),
    ],
    'objects.any = "kite pear"': [
        ('objects.any = "kite kite"', "'kite' is listed twice"),
        ('objects.any = "kite pear glowing"', "'glowing' is listed twice"),
        ("objects.any = 3", "objects.any must be a string of words"),
        ("objects = {}", "needs a [objects] table"),
        ('objects.any = ["a big red kite"]', "an entry is 1 to 3 words"),
    ],
    'alike.objects = "kite pear"': [
        ('alike.objects = "kite plum"', "alike.objects names 'plum', which is not listed"),
        ('alike.objects = "kite pear\\nkite"', "'kite' is listed twice"),
        ('alike.things = "kite pear"', "[alike] takes `objects` and `attributes`"),
        ("alike = 3", "[alike] takes `objects` and `attributes`"),
    ],
    'red = "red"': [
        ('red = "glowing {colour}"', "slots are {color}"),
        ('red = "glowing {color"', "slots are {color}"),
        ('red = "{color2} and {color1} red"', "slots are {color}"),
        ('red = "{dark} red"', "slots are {color}"),
        ('red = "{dark, dark} red"', "slots are {color}"),
        ('red = "{dark, } red"', "slots are {color}"),
        ('red = "{color except gray} red"', "slots are {color}"),
        ('red = "{color except red blue} red"', "takes 1 colors"),
        ('red = ""', "must be the appearance as a string"),
        ("red = 3", "must be the appearance as a string"),
        ('red = "red, rather"', "write words with single blanks between"),
        ('red = "dark wooden"', "'dark wooden' is listed twice"),
        ('Red = "red"', "an attribute is one word in lower case"),
    ],
}


@pytest.mark.parametrize(
    ("line", "instead", "message"),
    [(line, *case) for line, cases in WRONG.items() for case in cases],
)
def test_an_error_names_the_file_and_what_is_wrong(
    tmp_path: Path, line: str, instead: str, message: str
) -> None:
    assert line in GOOD
    with pytest.raises(ValueError, match=FILE) as raised:
        load(folder(tmp_path, GOOD.replace(line, instead)))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value).replace("\\n", "")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"saber\.toml: missing; a vocabulary folder holds"):
        load(tmp_path)


def test_the_digest_is_of_the_file(tmp_path: Path) -> None:
    first = load(folder(tmp_path, GOOD)).digest
    assert load(folder(tmp_path, GOOD + "\n")).digest != first
    assert (BUILTIN / FILE).is_file()
