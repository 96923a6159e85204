"""A folder grows with --n, and is never overwritten, shrunk or mixed up silently."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gen.triplets.identity
import gen.triplets.shards
from gen.triplets.constructions import BY_NAME
from gen.triplets.plan import DEFAULT_MIX, quotas, slots
from tests.support import runs

MIXES = st.dictionaries(st.sampled_from(sorted(BY_NAME)), st.integers(1, 40), min_size=1)


def times(folder: Path) -> dict[str, int]:
    return {str(p): p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()}


# --- growing


@pytest.mark.parametrize("steps", [(60, 180), (1, 2, 3, 7, 180), (179, 180)])
def test_a_topped_up_folder_equals_one_run(
    tmp_path: Path, baseline: Path, steps: tuple[int, ...]
) -> None:
    for n in steps:
        runs.made(tmp_path / "out", n=n)
        assert runs.summary(tmp_path / "out").examples == n
    assert runs.files(tmp_path / "out") == runs.files(baseline)


def test_a_smaller_run_is_made_of_rows_of_the_larger_one(tmp_path: Path, baseline: Path) -> None:
    runs.made(tmp_path / "small", n=60)
    small = {row["id"]: row for part in runs.rows(tmp_path / "small").values() for row in part}
    large = {row["id"]: row for part in runs.rows(baseline).values() for row in part}
    assert len(small) == 60
    assert all(large[name] == row for name, row in small.items())


def test_stale_shards_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The card's globs would load a shard of the smaller run silently."""
    monkeypatch.setattr(gen.triplets.shards, "SHARD_ROWS", 20)
    monkeypatch.setattr(gen.triplets.shards, "GROUP_ROWS", 7)
    runs.made(tmp_path / "out", n=60)
    before = {name for name in runs.files(tmp_path / "out") if name.endswith(".parquet")}
    after = runs.made(tmp_path / "out", n=180)
    assert "examples/train-00000-of-00002.parquet" in before
    assert "examples/train-00000-of-00002.parquet" not in after
    assert "examples/train-00000-of-00006.parquet" in after
    assert after == runs.made(tmp_path / "once", n=180)
    assert runs.check(tmp_path / "out").status == 0


def test_a_short_run_can_be_topped_up_and_equals_one_run(tmp_path: Path) -> None:
    """What was given up stays given up: a larger n of a short run is as short."""
    mix = "triple_bind_cycle=1"
    assert runs.run(tmp_path / "steps", n=60, mix=mix).status == 3
    assert runs.run(tmp_path / "steps", n=90, mix=mix).status == 3
    assert runs.run(tmp_path / "once", n=90, mix=mix).status == 3
    assert runs.files(tmp_path / "steps") == runs.files(tmp_path / "once")


def test_an_unfinished_larger_run_leaves_no_trace_in_a_smaller_one(
    tmp_path: Path, baseline: Path
) -> None:
    shutil.copytree(baseline, tmp_path / "out")
    (tmp_path / "out" / "manifest.json").unlink()  # as a kill while writing leaves it
    assert runs.made(tmp_path / "out", n=60) == runs.made(tmp_path / "once", n=60)


# --- a finished folder


def test_a_finished_folder_is_left_alone(tmp_path: Path) -> None:
    first = runs.run(tmp_path / "out", n=60)
    before = times(tmp_path / "out")
    again = runs.run(tmp_path / "out", n=60)
    assert (first.status, again.status) == (0, 0)
    assert "nothing to do" in again.out
    assert times(tmp_path / "out") == before


@pytest.fixture(scope="module")
def sixty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("topup") / "sixty"
    runs.made(folder, n=60)
    return folder


def test_a_smaller_n_is_refused(sixty: Path) -> None:
    before = times(sixty)
    error = runs.run(sixty, n=59).error
    assert "60" in error
    assert "--n can only grow" in error
    assert times(sixty) == before


def other_vocabulary(folder: Path) -> Path:
    shutil.copytree(runs.TINY, folder)
    nouns = folder / "nouns.toml"
    nouns.write_text(nouns.read_text().replace("ladder", "bench"))
    return folder


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"seed": 7}, "another seed;"),
        ({"mix": "pair_swap=1"}, "another mix;"),
        ({"vocab": "OTHER"}, "another vocabulary;"),
        ({"seed": 7, "mix": "pair_swap=1"}, "another seed and mix;"),
    ],
)
def test_other_settings_are_refused_and_named(
    tmp_path: Path, sixty: Path, changed: dict[str, object], named: str
) -> None:
    if "vocab" in changed:
        changed = {"vocab": other_vocabulary(tmp_path / "words")}
    before = times(sixty)
    for n in (60, 180):
        error = runs.run(sixty, n=n, **changed).error
        assert named in error
        assert str(sixty) in error
    assert times(sixty) == before


def test_another_version_is_refused_and_named(sixty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gen.triplets.identity, "__version__", "99.0")
    assert "another version;" in runs.run(sixty, n=60).error


def test_the_same_words_in_another_place_are_the_same_vocabulary(
    tmp_path: Path, sixty: Path
) -> None:
    shutil.copytree(runs.TINY, tmp_path / "words")
    assert runs.run(sixty, n=60, vocab=tmp_path / "words").status == 0


def test_a_damaged_identity_is_one_clear_line(tmp_path: Path, sixty: Path) -> None:
    shutil.copytree(sixty, tmp_path / "out")
    for damaged in ("", "[]", '{"seed": 0', "null", "7"):
        (tmp_path / "out" / ".run" / "identity.json").write_text(damaged)
        error = runs.run(tmp_path / "out", n=60).error
        assert "identity.json" in error
        assert "--no-resume" in error


def test_a_damaged_manifest_is_one_clear_line(tmp_path: Path, sixty: Path) -> None:
    shutil.copytree(sixty, tmp_path / "out")
    for damaged in ("", "[]", '{"examples": 3}'):
        (tmp_path / "out" / "manifest.json").write_text(damaged)
        assert "manifest.json: not a manifest" in runs.run(tmp_path / "out", n=60).error


# --- starting afresh


def test_no_resume_starts_afresh(tmp_path: Path, sixty: Path, baseline: Path) -> None:
    shutil.copytree(sixty, tmp_path / "out")
    (tmp_path / "out" / "examples" / "train-00007-of-00009.parquet").write_bytes(b"stale")
    runs.made(tmp_path / "out", n=60, seed=5, resume=False)
    assert runs.files(tmp_path / "out") == runs.made(tmp_path / "once", n=60, seed=5)
    assert runs.made(tmp_path / "out", n=180, resume=False) == runs.files(baseline)


def test_no_resume_of_a_new_or_empty_folder_is_a_first_run(tmp_path: Path, sixty: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert runs.made(tmp_path / "new", n=60, resume=False) == runs.files(sixty)
    assert runs.made(tmp_path / "empty", n=60, resume=False) == runs.files(sixty)


def test_no_resume_removes_only_what_the_program_wrote(tmp_path: Path, sixty: Path) -> None:
    shutil.copytree(sixty, tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    runs.made(tmp_path / "out", n=3, resume=False)
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("settings", [{}, {"resume": False}])
def test_a_foreign_folder_is_refused(tmp_path: Path, settings: dict[str, object]) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    error = runs.run(tmp_path, n=3, **settings).error
    assert "not an output folder of this program" in error
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_folder_killed_before_its_first_file_is_not_foreign(tmp_path: Path, sixty: Path) -> None:
    for name, settings in (("a", {}), ("b", {"resume": False})):
        (tmp_path / name / ".run").mkdir(parents=True)
        (tmp_path / name / ".run" / "identity.json.tmp").write_text('{"ver')
        assert runs.made(tmp_path / name, n=60, **settings) == runs.files(sixty)


# --- the plan behind it: quotas and the order of slots


@given(st.integers(0, 3_000), MIXES)
def test_quotas_sum_to_n_and_keep_the_shares(n: int, mix: dict[str, int]) -> None:
    counts = quotas(n, mix)
    assert list(counts) == list(mix)
    assert sum(counts.values()) == n
    total = sum(mix.values())
    for name, count in counts.items():
        assert abs(count - n * mix[name] / total) < 1


@given(st.integers(1, 3_000), st.one_of(st.just(DEFAULT_MIX), MIXES))
def test_slots_hold_every_quota_and_little_more(n: int, mix: dict[str, int]) -> None:
    found = list(slots(n, mix))
    counts = Counter(slot.construction for slot in found)
    quota = quotas(n, mix)
    assert len(set(found)) == len(found)
    for name, wanted in quota.items():
        indices = [slot.index for slot in found if slot.construction == name]
        assert indices == list(range(counts[name])), "slots of a construction come in order"
        # While the rarest type waits for its last slot, the others go on in proportion.
        surplus = counts[name] - wanted
        assert 0 <= surplus < 1.5 + mix[name] / (2 * min(mix.values()))
    last = found[-1]
    assert counts[last.construction] == quota[last.construction], "no slot after the last quota"


@given(st.integers(1, 2_000), st.integers(1, 2_000), MIXES)
def test_a_longer_run_begins_with_the_shorter_one(n: int, m: int, mix: dict[str, int]) -> None:
    first, second = sorted((list(slots(n, mix)), list(slots(m, mix))), key=len)
    assert second[: len(first)] == first


def test_the_default_mix_is_the_papers_at_its_size() -> None:
    counts = quotas(100_000, DEFAULT_MIX)
    held_out = counts["deferred_bind_anaphoric"] + counts["deferred_bind_respective"]
    assert held_out == 20_000
    assert sum(counts.values()) - held_out == 80_000
    assert {counts[name] for name in counts if not name.startswith("deferred")} == {16_000}
