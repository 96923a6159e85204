"""The audit from the command line: what it reads, writes, refuses, and its exit status."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gen.audit.__main__ as command
from gen.audit.data import Data, captions, load
from gen.audit.parts import PARTS
from gen.audit.report import number
from schemas.audit import Audit
from tests.support import audit, runs

LEAK = "a word of its own"


def leaky(count: int = 300) -> Data:
    return audit.pairs(count, lambda text: text.replace("stood", "waits"))


def audited(*argv: object) -> tuple[runs.Done, Audit | None]:
    done = runs.cli(command.main, *argv)
    out = argv[argv.index("--out") + 1] if "--out" in argv else None
    path = Path(str(out)) / "audit.json" if out else None
    found = Audit.model_validate_json(path.read_bytes()) if path and path.exists() else None
    return done, found


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of pairs without a leak, large enough to keep the bounds."""
    return audit.write(tmp_path_factory.mktemp("pairs") / "sound.jsonl", audit.pairs(4_000))


def test_sound_pairs_pass(sound: Path, tmp_path: Path) -> None:
    done, found = audited(sound, "--out", tmp_path / "out")
    assert found is not None
    attacks = [f for f in found.findings if f.check in ("surface", "word_ngrams")]
    assert attacks
    assert all(f.passed for f in attacks)
    assert done.status == (0 if found.passed else 1)
    assert found.left_out["language-model attack"] == "no --language-model is given"


def test_a_leak_ends_the_command_with_status_1_and_is_named_first(tmp_path: Path) -> None:
    path = audit.write(tmp_path / "leaky.jsonl", leaky())
    before = path.read_bytes()
    done, found = audited(path, "--out", tmp_path / "out")
    assert (done.status, done.err) == (1, "")
    assert "word_ngrams, all: " in done.out
    assert found is not None
    assert {"word_ngrams", "bag_of_words_differs"} <= {f.check for f in found.broken}
    text = (tmp_path / "out" / "audit.md").read_text()
    assert text.index("## Beyond bounds") < text.index("word_ngrams") < text.index("## Overall")
    lines = (tmp_path / "out" / "sightings.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    shown = [row["text"] for row in rows if row["check"] == "bag_of_words_differs"]
    assert shown
    assert all("waits" in text for text in shown)
    assert path.read_bytes() == before


def test_our_data_is_audited_into_its_own_folder_and_not_changed(
    baseline: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    shutil.copytree(baseline, folder)
    done = runs.cli(command.main, folder)
    assert done.err == ""
    written = {str(path.relative_to(folder / "audit")) for path in folder.glob("audit/**/*.*")}
    assert {"audit.json", "audit.md", "sightings.jsonl", "plots/attacks.png"} <= written
    found = Audit.model_validate_json((folder / "audit" / "audit.json").read_bytes())
    assert found.fingerprint == load(baseline).fingerprint
    assert found.pairs == 360
    assert "bag_of_words_differs" in {f.check for f in found.findings}
    kept = {path.relative_to(folder) for path in folder.rglob("*")}
    for path in baseline.rglob("*"):
        if path.is_file() and ".run" not in path.parts:
            assert (folder / path.relative_to(baseline)).read_bytes() == path.read_bytes()
        assert path.relative_to(baseline) in kept
    assert runs.cli(runs.verify.main, folder, *vocabulary()).status == 0


def vocabulary() -> tuple[object, ...]:
    return ("--vocab", runs.TINY)


def test_an_earlier_audit_gives_way_as_a_whole(tmp_path: Path) -> None:
    out = tmp_path / "out"
    _, first = audited(audit.write(tmp_path / "a.jsonl", leaky()), "--out", out)
    (out / "plots" / "old.png").write_bytes(b"")
    _, second = audited(audit.write(tmp_path / "b.jsonl", leaky(200)), "--out", out)
    assert first is not None
    assert second is not None
    assert (first.name, second.name) == ("a.jsonl", "b.jsonl")
    assert not (out / "plots" / "old.png").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl", "out"]


def test_a_stopped_audit_leaves_the_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, path = tmp_path / "out", audit.write(tmp_path / "a.jsonl", leaky())
    audited(path, "--out", out)
    before = runs_of(out)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gen.audit.report.draw", stop)
    done, _ = audited(path, "--out", out)
    assert done.status == 130
    assert runs_of(out) == before
    monkeypatch.undo()
    assert audited(path, "--out", out)[0].status == 1
    assert not list(tmp_path.glob(".*"))


def runs_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_settings_give_the_same_bytes(tmp_path: Path) -> None:
    path = audit.write(tmp_path / "a.jsonl", leaky())
    for name in ("one", "two"):
        audited(path, "--out", tmp_path / name)
    one, two = (
        {Path(p).relative_to(tmp_path / n): b for p, b in runs_of(tmp_path / n).items()}
        for n in ("one", "two")
    )
    assert one == two


# --- what it reads ----------------------------------------------------------------------


def test_pairs_are_the_same_from_every_kind_of_file(tmp_path: Path) -> None:
    made = audit.pairs(20)
    rows = [pair._asdict() for pair in made.pairs]
    audit.write(tmp_path / "a.jsonl", made)
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    with (tmp_path / "a.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    for name in ("a.jsonl", "a.parquet", "a.csv"):
        assert load(tmp_path / name).pairs == made.pairs, name


def test_our_triplets_are_a_file_of_pairs_too(baseline: Path) -> None:
    """The columns of the `triplets` config are known by their own names."""
    [path] = (baseline / "triplets").glob("test-*")
    [examples] = (baseline / "examples").glob("test-*")
    ids = set(pq.read_table(examples)["id"].to_pylist())
    own = (pair for pair in load(baseline).pairs if pair.example in ids)
    assert list(load(path).pairs) == [pair._replace(same_family=None) for pair in own]


def test_pairs_without_ids_are_grouped_by_their_positive() -> None:
    data = load(audit.SUGARCREPE)
    assert len(data.pairs) == 2_245
    assert {pair.construction for pair in data.pairs} >= {"swap_obj", "add_att"}
    assert all(pair.example == pair.positive.casefold() for pair in data.pairs)


def test_captions_are_read_from_text_pairs_and_folders(baseline: Path, tmp_path: Path) -> None:
    text = tmp_path / "human.txt"
    text.write_text("A dog.\n\nA cat.\nA dog.\n")
    assert captions(text) == ["A dog.", "A cat."]
    assert captions(baseline) == load(baseline).captions
    assert len(captions(audit.SUGARCREPE)) < 2_245


BAD = {
    "row.jsonl": ('{"positive": "A dog."}\n', "row 1: negative is None; write a caption there"),
    "line.jsonl": ("not json\n", "line 1 is not a JSON object"),
    "none.jsonl": ("", "holds no pair"),
    "table.xls": ("", "neither a dataset's folder nor a file of pairs (.jsonl, .csv, .parquet)"),
    "table.parquet": ("no", "table.parquet: "),
    "few.jsonl": (
        '{"positive": "A dog.", "negative": "A cat."}\n',
        "1 examples are too few to attack; at least 5 are needed",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_pair_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    text, message = BAD[name]
    (tmp_path / name).write_text(text)
    done, _ = audited(tmp_path / name)
    assert done.status == 2
    assert message in done.error
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_folder_of_something_else_is_neither_read_nor_written(tmp_path: Path) -> None:
    done, _ = audited(tmp_path)
    assert (done.status, "no manifest.json" in done.error) == (2, True)
    path = audit.write(tmp_path / "a.jsonl", leaky(10))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep")
    done, _ = audited(path, "--out", tmp_path / "mine")
    assert "exists and holds no audit; choose another --out" in done.error
    assert (tmp_path / "mine" / "notes.txt").read_text() == "keep"


def test_a_missing_package_is_named_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [always] = (part for part in PARTS if part.name == "surface attack")
    monkeypatch.setattr("gen.audit.session.PARTS", (always._replace(needs=("not_there_at_all",)),))
    done, _ = audited(audit.write(tmp_path / "a.jsonl", leaky(10)))
    assert "not_there_at_all is not installed; pip install 'saber-toolkit[audit]'" in done.error


def test_figures_are_short() -> None:
    shown = [number(value) for value in (0.51379, 3.2149, 1234.5, 0.0, 1.0, -0.25)]
    assert shown == ["0.514", "3.21", "1,234", "0", "1", "-0.250"]
