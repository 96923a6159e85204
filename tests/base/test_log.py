"""Logs: a line counts once its newline is there."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.base.log import STEP, Log, whole_lines


@given(st.binary(max_size=9) | st.text("a\n", max_size=9).map(str.encode))
def test_whole_lines_end_with_the_last_newline(data: bytes) -> None:
    with TemporaryFile(buffering=0) as file:
        file.write(data)
        assert whole_lines(file.fileno()) == data.rfind(b"\n") + 1
        assert file.tell() == len(data)


@pytest.mark.parametrize("length", [STEP - 1, STEP, STEP + 1, 2 * STEP])
@pytest.mark.parametrize("before", [b"", b'{"a": 1}\n'])
def test_a_torn_line_of_any_length_is_cut_off(tmp_path: Path, before: bytes, length: int) -> None:
    path = tmp_path / "log"
    path.write_bytes(before + b"x" * length)
    log = Log(path)
    assert path.read_bytes() == before
    log.append([b'{"b": 2}\n'])
    assert log.end == path.stat().st_size
    assert [record for _, record in log.records()] == [*[{"a": 1}][: len(before)], {"b": 2}]
    log.close()
