"""Decisions on disk: none is lost, none is half there, the latest counts."""

from __future__ import annotations

import fcntl
import os
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gen.saber.images.screening import SCREENING, Decision, Journal, append, as_file, decisions
from gen.screen.merge import merge
from tests.support import runs, screens

START = datetime(2026, 1, 1, tzinfo=UTC)


def one(
    image: str = "a", accepted: bool | None = True, second: int = 0, who: str = "ann"
) -> Decision:
    return Decision(
        id=image,
        sha256="x",
        accepted=accepted,
        reviewer=who,
        time=START + timedelta(seconds=second),
    )


def own(folder: Path, reviewer: str = "ann") -> Path:
    return folder / SCREENING / f"{reviewer}.jsonl"


# --- appending --------------------------------------------------------------------------


@settings(max_examples=25)  # each line waits for the disk
@given(st.lists(st.binary(max_size=40).filter(lambda cut: b"\n" not in cut), max_size=4))
def test_whatever_a_crash_leaves_behind_the_next_decisions_are_kept(tails: list[bytes]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        append(folder, [one("0")])
        for number, tail in enumerate(tails, 1):
            with own(folder).open("ab") as file:
                file.write(tail)
            append(folder, [one(str(number))])
        assert [found.id for found in decisions(folder)] == [str(n) for n in range(len(tails) + 1)]


def test_a_last_line_without_its_end_counts_and_is_ended(tmp_path: Path) -> None:
    """As an editor leaves it, or a crash just before the last byte."""
    append(tmp_path, [one("a")])
    own(tmp_path).write_bytes(own(tmp_path).read_bytes()[:-1])
    assert decisions(tmp_path) == [one("a")]
    append(tmp_path, [one("b")])
    assert own(tmp_path).read_bytes() == as_file([one("a"), one("b")])


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    """Two tabs, two programs: the lines of one don't run into those of another."""
    threads = [
        Thread(target=lambda who=who: [append(tmp_path, [one(f"{who}-{n}")]) for n in range(20)])
        for who in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(decisions(tmp_path)) == 100


def test_a_decision_waits_for_another_program_that_is_writing(tmp_path: Path) -> None:
    """It might be removing a line that was cut off, and must not remove this one."""
    append(tmp_path, [one("a")])
    with own(tmp_path).open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        thread = Thread(target=append, args=(tmp_path, [one("b")]))
        thread.start()
        thread.join(0.2)
        assert thread.is_alive()
        assert decisions(tmp_path) == [one("a")]
    thread.join()
    assert decisions(tmp_path) == [one("a"), one("b")]


def test_a_kill_loses_no_decision_that_was_answered(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.screen.test_decisions import one;"
        "from gen.saber.images.screening import append\n"
        "for n in range(10**6): append(Path(sys.argv[1]), [one(str(n))]); print(n, flush=True)"
    )
    process = runs.command(tmp_path, program=code)
    runs.until(lambda: own(tmp_path).exists() and own(tmp_path).stat().st_size > 5000)
    os.killpg(process.pid, signal.SIGKILL)
    answered = runs.finish(process).out.split("\n")[:-1]
    assert len(answered) > 10
    assert {found.id for found in decisions(tmp_path)} >= set(answered)


def test_a_full_disk_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(tmp_path, [one("a")])
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:10]))
    with pytest.raises(OSError, match="no space left"):
        append(tmp_path, [one("b")])
    assert own(tmp_path).read_bytes() == as_file([one("a")])


def test_a_name_can_be_no_path() -> None:
    for name in ("../bob", "", "a/b", ".hidden", "x" * 65, "a\nb", "a b"):
        with pytest.raises(ValueError, match="reviewer"):
            one(who=name)
    assert one(who="Zoë.B-2").reviewer == "Zoë.B-2"


# --- what counts ------------------------------------------------------------------------


DECISIONS = st.builds(
    one, st.sampled_from("ab"), st.sampled_from((True, False, None)), st.integers(0, 3)
)


@settings(max_examples=25)  # each line waits for the disk
@given(st.lists(DECISIONS))
def test_the_latest_counts_and_of_one_time_the_last_line(lines: list[Decision]) -> None:
    with TemporaryDirectory() as name:
        for line in lines:
            append(Path(name), [line])
        expected = {}
        for line in sorted(lines, key=lambda line: line.time):
            expected[line.id] = line
        kept = [expected[image] for image in sorted(expected)]
        assert decisions(Path(name)) == [line for line in kept if line.accepted is not None]


@settings(max_examples=25)  # each line waits for the disk
@given(st.lists(st.lists(DECISIONS, min_size=1), min_size=1, max_size=5))
def test_reading_on_finds_what_reading_anew_does(batches: list[list[Decision]]) -> None:
    with TemporaryDirectory() as name:
        journal = Journal(Path(name))
        for batch in batches:
            append(Path(name), batch)
            journal.refresh()
            assert journal.decisions() == decisions(Path(name))
        assert not journal.refresh()


def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    append(tmp_path, [one("a"), one("b")])
    journal = Journal(tmp_path)
    journal.refresh()
    other = tmp_path / "other"
    other.write_bytes(as_file([one("c")]))
    other.replace(own(tmp_path))
    journal.refresh()
    assert journal.decisions() == [one("c")]
    own(tmp_path).unlink()
    journal.refresh()
    assert journal.decisions() == []


def test_a_clock_that_was_set_back_does_not_revive_an_old_decision(tmp_path: Path) -> None:
    future = one("a", True, 10**9)
    append(tmp_path, [future])
    journal = Journal(tmp_path)
    journal.refresh()
    assert journal.now("a", "x", "ann") > future.time


# --- merging ----------------------------------------------------------------------------


def about(folder_items: list[str], who: str, accepted: bool = True) -> list[Decision]:
    return [one(image, accepted, second, who) for second, image in enumerate(folder_items)]


def test_another_reviewer_is_merged_once(tmp_path: Path) -> None:
    folder = screens.empty(tmp_path / "saber")
    ids = [item.id for item in folder.items()]
    append(folder.path, about(ids[:3], "ann"))
    append(tmp_path / "elsewhere", about(ids[:5], "bob"))
    assert merge(folder, tmp_path / "elsewhere") == {"bob": 5}
    assert merge(folder, own(tmp_path / "elsewhere", "bob")) == {"bob": 0}
    assert len(decisions(folder.path)) == 8


def test_one_reviewer_on_two_machines_is_joined_and_the_latest_counts(tmp_path: Path) -> None:
    folder = screens.empty(tmp_path / "saber")
    first, second = (item.id for item in folder.items()[:2])
    append(folder.path, [one(first, True, 5), one(second, True, 1)])
    append(tmp_path / "elsewhere", [one(first, False, 3), one(second, False, 3)])
    before = own(folder.path).read_bytes()
    assert merge(folder, tmp_path / "elsewhere") == {"ann": 2}
    assert own(folder.path).read_bytes().startswith(before)
    assert [found.accepted for found in decisions(folder.path)] == [True, False]


def test_nothing_is_merged_where_anything_is_wrong(tmp_path: Path) -> None:
    folder = screens.empty(tmp_path / "saber")
    image = folder.items()[0].id
    file = tmp_path / "bob.jsonl"
    file.write_bytes(as_file([one(image, who="bob"), one("of-another-run", who="bob")]))
    with pytest.raises(ValueError, match=r"bob\.jsonl is about 'of-another-run'"):
        merge(folder, file)
    file.write_bytes(as_file([one(image, who="bob")]) + b'{"id": 3}\n')
    with pytest.raises(ValueError, match=r"bob\.jsonl, line 2: not a decision: id: "):
        merge(folder, file)
    with pytest.raises(ValueError, match="no decisions"):
        merge(folder, tmp_path / "nowhere")
    assert decisions(folder.path) == []
