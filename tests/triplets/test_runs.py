"""What the tests of whole runs rest on: a failure of one must not become one of another."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.support import runs


def test_half_a_line_is_never_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"a": 1}\n{"a": "\u2028"}\n')
    assert runs.json_lines(path) == [{"a": 1}, {"a": "\u2028"}]
    for rest in ('{"a": ', '{"a": 2}'):
        path.write_text('{"a": 1}\n' + rest)
        with pytest.raises(AssertionError, match="half a line"):
            runs.json_lines(path)
    path.write_text("")
    assert runs.json_lines(path) == []


def test_a_command_that_nobody_waits_for_ends_with_its_test() -> None:
    left = runs.command(program="import time; time.sleep(600)")
    done = runs.command(program="print('done')")
    done.wait()
    runs.end_commands()
    assert left.returncode == -signal.SIGKILL
    for process in (left, done):
        assert process.stdout
        assert process.stdout.closed
    runs.end_commands()
