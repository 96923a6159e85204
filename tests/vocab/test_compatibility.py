"""Which attribute is plausible for which noun: class, then log-odds, then what is said by hand."""

from __future__ import annotations

import shutil
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.vocab.plausibility import STEP, TABLE_FILE, Table, encode, parse
from gen.vocab.triplets import Vocabulary, load
from tests.support import runs

NOUNS = ("banner", "flag", "quilt", "towel", "curtain", "drum", "lamp", "vase", "sofa", "ladder")
HEAD = {"model": "none", "texts": [], "step": STEP}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The tiny vocabulary, in which `torn` doesn't suit furnishings."""
    shutil.copytree(runs.TINY, tmp_path / "words")
    path = tmp_path / "words" / "compatibility.toml"
    path.write_text(
        path.read_text().replace('furnishings = "size condition', 'furnishings = "size')
    )
    return tmp_path / "words"


def table(folder: Path, **rows: list[float]) -> None:
    """Write a table with these rows."""
    made = Table(HEAD, NOUNS, {word: encode(values) for word, values in rows.items()})
    (folder / TABLE_FILE).write_text(made.text())


def say(folder: Path, text: str) -> Vocabulary:
    """The vocabulary with a few lines more at the top of compatibility.toml."""
    path = folder / "compatibility.toml"
    path.write_text(text + path.read_text())
    return load(folder)


def test_without_a_table_the_classes_decide(folder: Path) -> None:
    vocabulary = load(folder)
    assert vocabulary.table is None
    assert vocabulary.log_odds("torn", "flag") is None
    assert (vocabulary.fits("torn", "flag"), vocabulary.fits("torn", "lamp")) == (True, False)
    assert vocabulary.fits("torn", "ensign") is vocabulary.fits("pink", "flag") is None


def test_a_pair_needs_its_class_and_the_threshold(folder: Path) -> None:
    table(folder, torn=[0.75, 1.0, -3.0, 0, 0, 9.0, 9.0, 9.0, 9.0, 9.0])
    vocabulary = load(folder)
    assert [vocabulary.log_odds("torn", noun) for noun in NOUNS[:3]] == [0.75, 1.0, -3.0]
    assert vocabulary.partners["torn"] == {"flag"}


def test_a_family_may_have_its_own_threshold(folder: Path) -> None:
    table(folder, torn=[0.0] * 10, red=[0.0] * 10)
    vocabulary = say(folder, "thresholds = { default = 0.25, color = 0 }\n")
    assert vocabulary.partners["torn"] == set()
    assert vocabulary.partners["red"] == set(NOUNS)


def test_words_that_the_table_lacks_are_decided_by_their_class(folder: Path) -> None:
    table(folder, torn=[-9.0] * 10)
    (folder / "nouns.toml").write_text(
        (folder / "nouns.toml").read_text().replace("banner flag", "banner flag pennant")
    )
    vocabulary = load(folder)
    assert vocabulary.partners["torn"] == {"pennant"}
    assert vocabulary.partners["dusty"] == {*NOUNS[:5], "pennant"}


def test_what_is_said_by_hand_stands_above_class_and_table(folder: Path) -> None:
    table(folder, torn=[-9.0, 9.0, *[-9.0] * 8])
    said = "always = 'torn lamp | a paper lamp'\nnever = '''\ntorn flag | an example\n'''\n"
    assert say(folder, said).partners["torn"] == {"lamp"}


def test_what_others_wrote_is_held_to_less(folder: Path) -> None:
    """To its class, a lower threshold and what is said by hand."""
    odds = dict.fromkeys(NOUNS, 9.0) | {"quilt": -1.0, "curtain": -1.25}
    table(folder, torn=list(odds.values()))
    vocabulary = say(folder, "never = 'torn flag | an example'\n")
    assert vocabulary.partners["torn"] == {"banner", "towel"}
    nouns = ("banner", "quilt", "curtain", "flag", "lamp", "ensign")
    verdicts = [vocabulary.allows("torn", noun) for noun in nouns]
    assert verdicts == [True, True, False, False, False, None]


def test_table_thresholds_and_exceptions_are_part_of_the_digest(folder: Path) -> None:
    digests = [load(folder).digest]
    table(folder, torn=[0.0] * 10)
    digests.append(load(folder).digest)
    table(folder, torn=[0.25] * 10)
    digests.append(load(folder).digest)
    digests.append(say(folder, "thresholds = { default = 0 }\n").digest)
    digests.append(say(folder, "never = 'torn flag | an example'\n").digest)
    assert len(set(digests)) == 5


@given(st.lists(st.lists(st.floats(-30, 30), min_size=10, max_size=10), min_size=1, max_size=5))
def test_a_table_comes_back_to_half_a_step(rows: list[list[float]]) -> None:
    made = Table(HEAD, NOUNS, {f"word{place}": encode(row) for place, row in enumerate(rows)})
    back = parse(Path("table"), made.text().encode())
    assert back == made
    for place, row in enumerate(rows):
        for noun, value in zip(NOUNS, row, strict=True):
            nearest = back.log_odds(f"word{place}", noun)
            assert nearest is not None
            assert abs(nearest - min(max(value, -11.75), 11.5)) <= STEP / 2


def test_a_line_that_a_kill_cut_short_is_left_out() -> None:
    made = Table(HEAD, NOUNS, {"torn": encode([0.0] * 10), "dusty": encode([1.0] * 10)})
    assert parse(Path("table"), made.text().encode()[:-3]).rows == {"torn": "P" * 10}


# --- the built-in vocabulary ------------------------------------------------------------


VOCABULARY = load()


def test_every_word_of_the_built_in_vocabulary_is_in_its_table() -> None:
    """Else: python -m gen.triplets.plausibility."""
    assert VOCABULARY.table is not None
    assert tuple(VOCABULARY.table.rows) == VOCABULARY.adjectives
    assert VOCABULARY.table.nouns == tuple(VOCABULARY.class_of)


def test_masks_partners_and_fits_say_the_same() -> None:
    for attribute in VOCABULARY.adjectives[::37]:
        partners = VOCABULARY.partners[attribute]
        for noun in VOCABULARY.class_of:
            assert VOCABULARY.fits(attribute, noun) == (noun in partners)
            assert (attribute in VOCABULARY.attributes_of(noun)) == (noun in partners)


def test_what_nouns_share_is_what_each_allows() -> None:
    nouns = ("drum", "canoe", "barrel")
    shared = VOCABULARY.listed(VOCABULARY.shared(nouns))
    assert shared
    assert set(shared) == frozenset.intersection(*map(VOCABULARY.attributes_of, nouns))


def test_the_vocabulary_is_read_in_no_time() -> None:
    started = perf_counter()
    assert VOCABULARY.table is not None
    parse(Path(TABLE_FILE), VOCABULARY.table.text().encode())
    read = perf_counter() - started
    fresh = load()
    started = perf_counter()
    assert fresh.masks
    assert read + perf_counter() - started < 0.5, "0.05 s on an idle CPU"
