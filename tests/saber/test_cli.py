"""`python -m gen.saber` as a user meets it: output, folder, errors of one line."""

from __future__ import annotations

import fcntl
import json
import os
import re
from pathlib import Path

import pytest

import gen.saber.settings
import gen.saber.shards
from gen.saber.config import ImageConfig, SaberConfig
from gen.vocab.saber import BUILTIN, FILE
from tests.support import ROOT, runs, saber

FLAGS = {*SaberConfig.model_fields, *ImageConfig.model_fields} - {"image"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished small run; read only."""
    out = tmp_path_factory.mktemp("saber") / "saber"
    saber.made(out)
    return out


# --- output


def test_the_same_command_gives_the_same_bytes(tmp_path: Path, folder: Path) -> None:
    assert saber.made(tmp_path / "out") == runs.files(folder)


def test_a_fresh_process_gives_the_same_bytes(tmp_path: Path, folder: Path) -> None:
    """With another hash seed: nothing depends on the order of a set."""
    flags = runs.arguments({"out": tmp_path / "out", **saber.SMALL})
    code = (
        "import os, sys; os.environ['PYTHONHASHSEED'] = '7'; "
        "os.execv(sys.executable, [sys.executable, '-m', 'gen.saber', *sys.argv[1:]])"
    )
    done = runs.finish(runs.command(*flags, program=code))
    assert done.status == 0, done.err
    assert runs.files(tmp_path / "out") == runs.files(folder)


def test_every_file_is_in_the_manifest(folder: Path) -> None:
    summary = runs.summary(folder)
    assert runs.files(folder).keys() == {*summary.files, "manifest.json"}
    assert (summary.dataset, summary.examples, summary.requested) == ("saber", 40, 40)
    assert summary.constructions == {"independent": 20, "nested": 20}
    assert summary.complete


def test_the_mcq_rows_show_query_and_candidates(folder: Path) -> None:
    rows = saber.rows(folder, "mcq")
    queries = {row["_id"]: row for row in saber.rows(folder, "queries")}
    corpus = {row["_id"]: row for row in saber.rows(folder, "corpus")}
    assert len(rows) == len(queries) == 40
    assert len(corpus) == 160
    for row in rows:
        query = queries[row["id"]]
        assert (row["query_caption"], row["n"]) == (query["text"], query["n"])
        assert (row["chain"] is None) == (row["subset"] == "independent")
        for place in range(4):
            document = corpus[f"{row['id']}-c{place}"]
            assert row[f"candidate_{place}_caption"] == document["text"]
            assert row[f"candidate_{place}_generation_caption"] == document["generation_text"]
            assert row[f"candidate_{place}_image"] is None
        assert row[f"candidate_{row['answer']}_kind"] == "binding_preserving"


def test_captions_are_made_of_the_listed_words(folder: Path) -> None:
    for row in (*saber.rows(folder, "queries"), *saber.rows(folder, "corpus")):
        pairs = zip(row["attributes"], row["objects"], strict=True)
        words = row["text"].lower().rstrip(".").replace(", ", " ").replace(" and ", " ")
        assert re.split(r"(?:^| )an? ", words)[1:] == [" ".join(pair) for pair in pairs]
        for look in row["instantiations"]:
            assert look in row["generation_text"].lower()


def test_the_summary_shows_relevance_use_and_a_question(tmp_path: Path) -> None:
    done = saber.run(tmp_path / "out")
    assert f"{tmp_path / 'out'}: 40 questions, 160 candidates" in done.out
    for wanted in ("independent ", "nested ", "an object is in", "an attribute is in"):
        assert wanted in done.out
    assert "binding_preserving A" in done.out
    assert done.out.endswith(f"Check it:  python -m gen.verify {tmp_path / 'out'}\n")


@pytest.mark.parametrize(("wanted", "shown"), [(3, 3), (29, 29), (99, 40)])
def test_preview_shows_as_many_as_asked_for_and_writes_nothing(
    tmp_path: Path, wanted: int, shown: int
) -> None:
    done = saber.run(tmp_path / "out", preview=wanted)
    assert done.status == 0
    assert done.out.count("binding_preserving") == shown
    assert not (tmp_path / "out").exists()


def test_many_row_groups_and_shards_hold_the_same(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gen.saber.shards, "SHARD", 15)
    monkeypatch.setattr(gen.saber.shards, "GROUP", 4)
    saber.made(tmp_path / "out")
    assert len(list((tmp_path / "out" / "corpus").glob("test-*-of-00003.parquet"))) == 3
    for config in ("mcq", "queries", "corpus", "qrels"):
        assert saber.rows(tmp_path / "out", config) == saber.rows(folder, config)


def test_a_vocabulary_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "vocab").mkdir()
    text = (BUILTIN / FILE).read_text().replace("teapot", "samovar")
    (tmp_path / "vocab" / FILE).write_text(text)
    saber.made(tmp_path / "out", vocab=tmp_path / "vocab", sizes="10", questions_per_size=40)
    objects = {noun for row in saber.rows(tmp_path / "out", "queries") for noun in row["objects"]}
    assert "samovar" in objects
    assert "teapot" not in objects


# --- the folder


def test_a_finished_folder_is_left_alone(tmp_path: Path) -> None:
    files = saber.made(tmp_path / "out")
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.parquet")}
    done = saber.run(tmp_path / "out")
    assert done.status == 0
    assert f"{tmp_path / 'out'} is finished; nothing to do.\n" in done.out
    assert runs.files(tmp_path / "out") == files
    assert {path: path.stat().st_mtime_ns for path in times} == times


@pytest.mark.parametrize("other", [{"seed": 1}, {"sizes": "2-4"}, {"questions_per_size": 12}])
def test_a_folder_of_other_settings_is_refused(tmp_path: Path, other: dict[str, object]) -> None:
    files = saber.made(tmp_path / "out")
    name = next(iter(other))
    error = saber.run(tmp_path / "out", **other).error
    assert f"holds a run with another {name}; choose another --out" in error
    assert runs.files(tmp_path / "out") == files


def test_no_resume_discards_what_a_run_wrote_and_nothing_else(tmp_path: Path) -> None:
    saber.made(tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    saber.made(tmp_path / "out", seed=1, resume=False)
    assert runs.summary(tmp_path / "out").config["seed"] == 1
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"
    assert saber.made(tmp_path / "other", seed=1).items() <= runs.files(tmp_path / "out").items()


def test_an_unfinished_folder_is_written_anew(tmp_path: Path, folder: Path) -> None:
    """As a kill leaves it: a part of the files, one of them under its temporary name."""
    saber.made(tmp_path / "out")
    out = tmp_path / "out"
    (out / "manifest.json").unlink()
    path = next((out / "corpus").glob("*.parquet"))
    path.rename(path.with_name(path.name + ".tmp"))
    assert saber.made(out) == runs.files(folder)


def test_a_kill_while_writing_leaves_no_manifest(tmp_path: Path, folder: Path) -> None:
    flags = runs.arguments({"out": tmp_path / "out", **saber.SMALL})
    code = (
        "import os, signal, gen.saber.shards as shards; from gen.saber.__main__ import main; "
        "shards.judgements = lambda questions: os.kill(os.getpid(), signal.SIGKILL); main()"
    )
    assert runs.finish(runs.command(*flags, program=code)).status == -9
    assert not (tmp_path / "out" / "manifest.json").exists()
    assert saber.made(tmp_path / "out") == runs.files(folder)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_text("mine")
    for resume in (True, False):
        error = saber.run(tmp_path, resume=resume).error
        assert "is not an output folder of this program; choose another --out" in error
    assert os.listdir(tmp_path) == ["photo.jpg"]


def test_a_folder_of_the_other_dataset_is_refused(tmp_path: Path) -> None:
    files = runs.made(tmp_path / "out", n=3)
    for resume in (True, False):
        error = saber.run(tmp_path / "out", resume=resume).error
        assert "holds another kind of dataset; choose another --out" in error
    assert runs.files(tmp_path / "out") == files


def test_a_second_run_in_a_folder_is_refused(tmp_path: Path) -> None:
    saber.made(tmp_path / "out")
    with (tmp_path / "out" / ".run" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another run is writing here" in saber.run(tmp_path / "out").error


def test_a_damaged_identity_is_named(tmp_path: Path) -> None:
    files = saber.made(tmp_path / "out")
    for text in ("{", "[]"):
        (tmp_path / "out" / ".run" / "identity.json").write_text(text)
        assert "identity.json is damaged" in saber.run(tmp_path / "out").error
    assert saber.made(tmp_path / "out", resume=False) == files


# --- errors


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sizes": "1-3"}, "--sizes '1-3': a question has at least 2 pairs"),
        ({"sizes": "two"}, "--sizes 'two': write numbers of pairs as 2-10 or 2,4,8"),
        ({"questions_per_size": 0}, "--questions-per-size '0': "),
        ({"seed": "x"}, "--seed 'x': "),
        ({"colour": 1}, "unrecognized arguments: --colour"),
        ({"vocab": "nowhere"}, "nowhere/saber.toml: missing"),
        (
            {"sizes": "2-60"},
            "attributes that don't look alike, and a question of 60 pairs takes 61",
        ),
        ({"size": 256}, "--size is for --images render"),
        ({"images": "render", "size": 8}, "--size '8': "),
        ({"images": "render", "shard": "3/2"}, "--shard '3/2': write which part of how many"),
        ({"images": "painted"}, "--images 'painted': "),
        ({"questions_per_size": 10_000_000}, "the vocabulary is too small for 10,000,000"),
    ],
)
def test_an_error_is_one_line(tmp_path: Path, settings: dict[str, object], message: str) -> None:
    done = saber.run(tmp_path / "out", **settings)
    assert done.status == 2
    assert message in done.error
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    assert "not a folder; choose another --out" in saber.run(tmp_path / "out").error


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    error = saber.run(tmp_path / "file" / "out").error
    assert str(tmp_path / "file") in error


def test_a_vocabulary_that_runs_out_ends_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the estimate made beforehand too kind: no endless loop, and nothing written."""
    monkeypatch.setattr(gen.saber.settings, "CROWDED", 1000)
    (tmp_path / FILE).write_text(
        'palette = "red blue"\nobjects.any = "kite pear cube"\n'
        '[attributes.any]\nred = "red"\nicy = "icy"\nfurry = "furry"\n'
    )
    error = saber.run(tmp_path / "out", vocab=tmp_path, sizes="2", questions_per_size=99).error
    assert "is left after 200 attempts" in error
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_help_is_complete() -> None:
    done = runs.cli(saber.command.main, "--help")
    for name in FLAGS:
        assert f"--{name.replace('_', '-')}" in done.out


def test_every_flag_is_in_the_readme() -> None:
    table = (ROOT / "README.md").read_text().partition("## The benchmark")[2].partition("\n## ")[0]
    for name in FLAGS:
        flag = name.replace("_", "-")
        assert f"`--{flag}" in table or f"`--no-{flag}" in table, name


def test_the_identity_is_what_determines_the_data(folder: Path) -> None:
    stamp = json.loads((folder / ".run" / "identity.json").read_text())
    assert stamp == runs.summary(folder).config
    assert set(stamp) == {
        *("dataset", "version", "seed", "sizes", "questions_per_size", "vocabulary")
    }
