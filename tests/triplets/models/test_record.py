"""Answers on record: whole batches, in order, readable by anything that reads gzip."""

from __future__ import annotations

import gzip
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gen.triplets.models.record import AnswersFile, Exchange, read

COUNTS = st.integers(0, 10**7)
EXCHANGES = st.builds(
    Exchange,
    slot=st.from_regex(r"pair_swap-[0-9]{6}", fullmatch=True),
    attempt=st.integers(0, 300),
    plan=st.integers(0, 300),
    round=st.integers(0, 3),
    prompt=st.from_regex(r"[0-9a-f]{16}", fullmatch=True),
    text=st.none() | st.text(max_size=40),
    finish=st.sampled_from(["stop", "length", "request_timeout"]) | st.text(max_size=5),
    prompt_tokens=COUNTS,
    cached_tokens=COUNTS,
    completion_tokens=COUNTS,
    seconds=st.floats(0, 1e6),
    faults=st.dictionaries(st.sampled_from(["request_dropped", "request_timeout"]), COUNTS),
    heeded=st.booleans(),
)
BATCHES = st.lists(st.lists(EXCHANGES, max_size=5), max_size=6)


def exchange(number: int, text: str = "a torn flag") -> Exchange:
    """Some exchange; its slot tells which."""
    return Exchange(
        slot=f"pair_swap-{number:06d}",
        attempt=0,
        plan=0,
        round=0,
        prompt="0" * 16,
        text=f"{text} {number}",
        finish="stop",
    )


THREE = [[exchange(10 * batch + number) for number in range(4)] for batch in range(3)]


def write(path: Path, batches: Sequence[Sequence[Exchange]]) -> list[int]:
    """Append batches; the size of the file after each."""
    answers = AnswersFile(path)
    sizes = []
    for batch in batches:
        answers.append(batch)
        sizes.append(path.stat().st_size)
    answers.close()
    return sizes


def flat(batches: Sequence[Sequence[Exchange]]) -> list[Exchange]:
    return [exchange for batch in batches for exchange in batch]


# --- what was written is read -----------------------------------------------------------


@settings(max_examples=30)  # each makes files durable
@given(BATCHES, st.integers(0, 6))
def test_everything_written_is_read_in_order(batches: list[list[Exchange]], stop: int) -> None:
    """Also when the file was closed and opened again between two batches."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.jsonl.gz"
        write(path, batches[:stop])
        write(path, batches[stop:])
        assert list(read(path)) == flat(batches)
        again = AnswersFile(path)
        again.close()
        assert again.last == ([batch for batch in batches if batch] or [[]])[-1]


def test_an_empty_batch_writes_nothing(tmp_path: Path) -> None:
    assert write(tmp_path / "answers", [[], []]) == [0, 0]


def test_any_gzip_reader_reads_it_as_json_lines(tmp_path: Path) -> None:
    write(tmp_path / "answers", THREE)
    with gzip.open(tmp_path / "answers", "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert [line["text"] for line in lines] == [one.text for one in flat(THREE)]
    assert set(lines[0]) == set(Exchange.model_fields)


def test_the_same_answers_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, THREE)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


# --- what a crash leaves ----------------------------------------------------------------


def test_half_a_batch_is_cut_off_wherever_it_ends(tmp_path: Path) -> None:
    whole = write(tmp_path / "answers", THREE)
    data = (tmp_path / "answers").read_bytes()
    for size in range(whole[1], whole[2]):
        (tmp_path / "cut").write_bytes(data[:size])
        answers = AnswersFile(tmp_path / "cut")
        assert answers.last == THREE[1]
        answers.append(THREE[2])
        answers.close()
        assert (tmp_path / "cut").read_bytes() == data, f"cut at {size:,} bytes"


def test_half_of_the_first_batch_is_cut_off_too(tmp_path: Path) -> None:
    [size] = write(tmp_path / "answers", THREE[:1])
    data = (tmp_path / "answers").read_bytes()
    for cut in range(size):
        (tmp_path / "answers").write_bytes(data[:cut])
        assert list(read(tmp_path / "answers")) == []
        assert write(tmp_path / "answers", THREE[:1]) == [size]


def test_reading_alone_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path / "answers", THREE)
    with (tmp_path / "answers").open("ab") as file:
        file.write(b"\x1f\x8b\x08 half a batch")
    before = (tmp_path / "answers").read_bytes()
    with pytest.raises(ValueError, match="damaged"):
        list(read(tmp_path / "answers"))
    assert (tmp_path / "answers").read_bytes() == before


# --- damage -----------------------------------------------------------------------------


def damaged(data: bytes, place: int, kind: str) -> bytes:
    """Bytes that a bad disk or a bad copy may leave."""
    if kind == "flipped":
        return data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]
    return data[:place] + data[place + (1 if kind == "missing" else 20) :]


@pytest.mark.parametrize("kind", ["flipped", "missing", "twenty missing"])
def test_damage_before_the_end_is_one_line_and_costs_no_answer(tmp_path: Path, kind: str) -> None:
    """Never taken for the cut end of a crash, which would be removed."""
    path = tmp_path / "answers"
    whole = write(path, THREE)
    data = path.read_bytes()
    for place in range(0, whole[1] - 20, 3):
        broken = damaged(data, place, kind)
        path.write_bytes(broken)
        said = refusal(path)
        if said is None:  # a byte that means nothing
            assert list(read(path)) == flat(THREE), f"byte {place}"
        else:
            assert re.fullmatch(f"{re.escape(str(path))}: damaged.*", said), f"byte {place}"
        assert path.read_bytes() == broken, f"byte {place}"


def refusal(path: Path) -> str | None:
    """What is said on opening a file that is not as it should be."""
    try:
        AnswersFile(path).close()
    except ValueError as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    "content",
    [b"{}\n", b"[]\n", b'{"slot": "pair_swap-000001"}\n', b"\xff\n", b"not json\n"],
    ids=repr,
)
def test_a_batch_of_something_else_is_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "answers"
    path.write_bytes(gzip.compress(content))
    with pytest.raises(ValueError, match="damaged") as caught:
        list(read(path))
    assert str(path) in str(caught.value)


def test_a_file_that_is_no_gzip_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("notes of mine, in plain text\n")
    with pytest.raises(ValueError, match="damaged"):
        AnswersFile(tmp_path / "answers")
    assert (tmp_path / "answers").read_text() == "notes of mine, in plain text\n"
