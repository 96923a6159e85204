"""`pairs.txt`: the nouns of each adjective, said by hand; what stands there decides."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.vocab.pairs import PAIRS_FILE, parse, text
from gen.vocab.plausibility import STEP, Table, encode
from gen.vocab.plausibility import TABLE_FILE as TABLE
from gen.vocab.triplets import BUILTIN, Vocabulary, load
from tests.support import TESTS, runs

WORDS = {"torn": "condition", "red": "color", "dusty": "condition"}
CLASSES = {"textiles": ("banner", "flag", "quilt"), "furnishings": ("drum", "lamp", "vase", "sofa")}
NOUNS = [noun for members in CLASSES.values() for noun in members]
PATH = Path("pairs.txt")


def read(lines: str) -> dict[str, frozenset[str]]:
    return parse(PATH, lines.encode(), WORDS, CLASSES)


# --- notation ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "nouns"),
    [
        ("torn: banner lamp", {"banner", "lamp"}),
        ("torn: @textiles", {"banner", "flag", "quilt"}),
        ("torn: @textiles -flag", {"banner", "quilt"}),
        ("torn: @textiles -flag vase", {"banner", "quilt", "vase"}),
        ("torn: @textiles @furnishings -sofa -lamp", {"banner", "flag", "quilt", "drum", "vase"}),
        ("torn: @furnishings -sofa  # a torn sofa is worn", {"drum", "lamp", "vase"}),
        ("  torn :banner", None),
        ("torn:", set()),
    ],
)
def test_a_line_names_classes_and_nouns(line: str, nouns: set[str] | None) -> None:
    if nouns is None:
        with pytest.raises(ValueError, match="'torn '"):
            read(line)
    else:
        assert read(line) == {"torn": nouns}


def test_blank_lines_and_comments_are_passed_over() -> None:
    assert read("# by hand\n\ntorn: flag\n\n# end\nred: drum") == {
        "torn": {"flag"},
        "red": {"drum"},
    }


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("torn: flag\npink: flag", r"pairs\.txt: line 2: 'pink' is no adjective"),
        ("torn flag", r"pairs\.txt: line 1: 'torn flag' is no adjective"),
        ("red: drum\n\ntorn: flag\ntorn: lamp", r"pairs\.txt: line 4: 'torn' has a line already"),
        ("torn: flag ensign", r"pairs\.txt: line 1: 'ensign' is in no list of nouns\.toml"),
        ("torn: @textiles -ensign", r"line 1: '-ensign' is in no list"),
        ("torn: @tools", r"line 1: '@tools' is in no list"),
        ("torn: textiles", r"line 1: 'textiles' is in no list"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(lines: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(lines)


@given(st.dictionaries(st.sampled_from([*WORDS]), st.frozensets(st.sampled_from(NOUNS))))
def test_what_is_written_is_what_is_read(pairs: dict[str, frozenset[str]]) -> None:
    assert read(text(pairs, CLASSES)) == pairs


def test_a_class_is_named_where_most_of_it_is_meant() -> None:
    assert text({"torn": frozenset({"banner", "flag", "lamp"})}, CLASSES) == (
        "torn: @textiles -quilt lamp\n"
    )


# --- within a vocabulary ----------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The tiny vocabulary with a table that denies `torn` and `dusty` to all, but for a drum."""
    shutil.copytree(runs.TINY, tmp_path / "words")
    nouns = tuple(load(runs.TINY).class_of)
    odds = encode([9.0 if noun == "drum" else -9.0 for noun in nouns])
    made = Table({"model": "none", "texts": [], "step": STEP}, nouns, {"torn": odds, "dusty": odds})
    (tmp_path / "words" / TABLE).write_text(made.text())
    return tmp_path / "words"


def listed(folder: Path, lines: str) -> Vocabulary:
    (folder / PAIRS_FILE).write_text(lines)
    return load(folder)


def test_a_line_decides_whatever_class_and_table_say(folder: Path) -> None:
    vocabulary = listed(folder, "torn: banner lamp\n")
    assert vocabulary.partners["torn"] == {"banner", "lamp"}
    assert (vocabulary.fits("torn", "banner"), vocabulary.fits("torn", "drum")) == (True, False)


def test_an_adjective_without_a_line_is_judged_by_the_table(folder: Path) -> None:
    assert listed(folder, "torn: banner lamp\n").partners["dusty"] == {"drum"}


def test_exceptions_with_reasons_stand_above_a_line(folder: Path) -> None:
    path = folder / "compatibility.toml"
    said = "always = 'torn vase | a paper vase'\nnever = 'torn lamp | made of iron'\n"
    path.write_text(said + path.read_text())
    assert listed(folder, "torn: banner lamp\n").partners["torn"] == {"banner", "vase"}


def test_a_line_for_an_unknown_word_is_refused_when_loaded(folder: Path) -> None:
    with pytest.raises(ValueError, match=rf"{PAIRS_FILE}: line 1: 'pink'"):
        listed(folder, "pink: banner\n")


def test_the_file_is_part_of_the_digest(folder: Path) -> None:
    digests = {load(folder).digest}
    digests.add(listed(folder, "torn: banner\n").digest)
    digests.add(listed(folder, "torn: lamp\n").digest)
    assert len(digests) == 3


# --- the built-in list ------------------------------------------------------------------


VOCABULARY = load()


def test_every_adjective_has_a_line_with_twenty_nouns_or_more() -> None:
    assert tuple(VOCABULARY.pairs) == VOCABULARY.adjectives
    assert not {word: len(nouns) for word, nouns in VOCABULARY.pairs.items() if len(nouns) < 20}


def test_the_built_in_list_is_as_the_program_writes_it() -> None:
    """So that a changed pair is a changed line."""
    members = {name: cls.words for name, cls in VOCABULARY.classes.items()}
    lines = (BUILTIN / PAIRS_FILE).read_text().splitlines(keepends=True)
    own = "".join(line for line in lines if line.strip() and not line.startswith("#"))
    assert own == text(VOCABULARY.pairs, members)


@pytest.mark.parametrize(
    ("who", "recall"),
    [(("reader_a", "reader_b"), 0.28), (("reader_a",), 0.28), (("reader_b",), 0.26)],
    ids=["both", "a", "b"],
)
def test_all_that_is_listed_is_plausible_to_readers(who: tuple[str, ...], recall: float) -> None:
    """Two people judged 400 pairs and saw no list: what they refuse is not in it."""
    with (TESTS / "data" / "plausible_pairs.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    verdicts = [
        (VOCABULARY.fits(row["adjective"], row["noun"]), {row[one] for one in who}) for row in rows
    ]
    yes = [fits for fits, said in verdicts if said == {"Y"} and fits is not None]
    no = [fits for fits, said in verdicts if said == {"N"} and fits is not None]
    assert len(yes) + len(no) > 250
    assert sum(no) == 0, "precision is 1"
    assert sum(yes) >= recall * len(yes), sum(yes) / len(yes)
