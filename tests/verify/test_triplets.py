"""`gen.verify` proves a good folder and finds every kind of tampering.

Most tampering here is followed by `seal`: sums and sizes in the manifest are made to fit the
changed files, so that the rule about the rows has to notice on its own.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gen.triplets.run
import gen.triplets.shards
from gen.base.files import describe
from tests.support import runs

Rows = list[dict[str, Any]]


@pytest.fixture
def folder(tmp_path: Path, baseline: Path) -> Path:
    """A good folder to tamper with."""
    shutil.copytree(baseline, tmp_path / "out", ignore=shutil.ignore_patterns(".run"))
    return tmp_path / "out"


def broken(folder: Path) -> set[str]:
    """The rules that are said to be broken."""
    done = runs.check(folder)
    assert done.err == ""
    found = {line[:28].rstrip() for line in done.out.splitlines() if "BROKEN" in line}
    assert done.status == (1 if found else 0)
    last = done.out.splitlines()[-1]
    assert last.endswith("violations" if found else "every rule holds")
    return found


def shard(folder: Path, config: str, split: str) -> Path:
    return folder / config / f"{split}-00000-of-00001.parquet"


def change(path: Path, edit: Callable[[Rows], object]) -> None:
    """Edit the rows of a Parquet file in place."""
    table = pq.read_table(path)
    rows = table.to_pylist()
    edit(rows)
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)


def both(folder: Path, split: str, edit: Callable[[Rows], object]) -> None:
    """Edit examples, and write the triplets that the changed rows give."""
    from schemas.triplets import triplets

    change(shard(folder, "examples", split), edit)
    rows = pq.read_table(shard(folder, "examples", split)).to_pylist()

    def follow(old: Rows) -> None:
        old[:] = [triplet for row in rows for triplet in triplets(row)]

    change(shard(folder, "triplets", split), follow)


def seal(folder: Path) -> None:
    """Make the sums of the manifest fit the files that are there."""
    data = json.loads((folder / "manifest.json").read_text())
    names = [p for p in sorted(folder.rglob("*")) if p.is_file() and p.name != "manifest.json"]
    data["files"] = {
        str(path.relative_to(folder)): describe(path, rows_of(path)).model_dump() for path in names
    }
    (folder / "manifest.json").write_text(json.dumps(data))


def rows_of(path: Path) -> int:
    if path.suffix == ".parquet":
        return int(pq.read_metadata(path).num_rows)
    return path.read_bytes().count(b"\n") if path.suffix == ".jsonl" else 0


def find(rows: Rows, construction: str) -> dict[str, Any]:
    return next(row for row in rows if row["construction"] == construction)


# --- good folders


def test_a_good_folder_passes(folder: Path) -> None:
    done = runs.check(folder)
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[-1] == f"{folder}: every rule holds"
    assert [line.split()[-1] for line in lines[:-2]] == ["ok"] * len(lines[:-2])
    assert any(line.split() == ["row", "proved", "180", "ok"] for line in lines)


def test_sealing_alone_breaks_nothing(folder: Path) -> None:
    """What the other tests rely on: rewriting a file and its sums is no tampering."""
    for split in ("train", "test", "deferred_bind_respective"):
        both(folder, split, lambda rows: None)
    seal(folder)
    assert broken(folder) == set()


def test_worker_processes_say_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both(folder, "train", lambda rows: rows[3].update(words=1))
    seal(folder)
    alone = runs.check(folder)
    monkeypatch.setattr(gen.triplets.run, "INLINE", 0)
    together = runs.check(folder, "--workers", "2")
    assert together == alone
    assert together.status == 1


def test_many_shards_and_row_groups_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gen.triplets.shards, "SHARD_ROWS", 10)
    monkeypatch.setattr(gen.triplets.shards, "GROUP_ROWS", 4)
    runs.made(tmp_path / "out", n=60)
    assert len(list((tmp_path / "out" / "examples").glob("train-*-of-00004.parquet"))) == 4
    assert broken(tmp_path / "out") == set()


# --- files


@pytest.mark.parametrize(
    "name", ["README.md", "rejected.jsonl", "examples/train-00000-of-00001.parquet"]
)
def test_a_changed_or_missing_file_is_found(folder: Path, name: str) -> None:
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data + b"\n")
    assert broken(folder) == {"file as in manifest"}
    (folder / name).write_bytes(bytes([data[0] ^ 1]) + data[1:])
    assert broken(folder) == {"file as in manifest"}
    (folder / name).unlink()
    assert broken(folder) == {"file as in manifest"}


def test_a_stale_shard_is_found(folder: Path) -> None:
    shutil.copy(
        shard(folder, "triplets", "test"), folder / "triplets" / "test-00003-of-00004.parquet"
    )
    assert broken(folder) == {"file listed in manifest"}


@pytest.mark.parametrize("config", ["examples", "triplets"])
def test_a_file_missing_from_folder_and_manifest_is_found(folder: Path, config: str) -> None:
    shard(folder, config, "test").unlink()
    seal(folder)
    assert broken(folder) == {"two triplets an example"}


def test_a_split_missing_from_folder_and_manifest_is_found(folder: Path) -> None:
    shard(folder, "examples", "test").unlink()
    shard(folder, "triplets", "test").unlink()
    seal(folder)
    assert {"quota of construction", "split as in manifest"} <= broken(folder)


def test_a_file_that_is_no_parquet_is_found(folder: Path) -> None:
    shard(folder, "examples", "test").write_bytes(b"PAR1 nothing PAR1")
    data = json.loads((folder / "manifest.json").read_text())
    name = "examples/test-00000-of-00001.parquet"
    entry = describe(folder / name, data["files"][name]["rows"])
    data["files"][name] = entry.model_dump()
    (folder / "manifest.json").write_text(json.dumps(data))
    assert "columns as declared" in broken(folder)


def test_a_changed_column_is_found(folder: Path) -> None:
    path = shard(folder, "examples", "test")
    table = pq.read_table(path)
    pq.write_table(table.rename_columns([*table.column_names[:-1], "Seed"]), path)
    seal(folder)
    assert broken(folder) == {"columns as declared"}


# --- the manifest


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (["examples"], "counts in manifest"),
        (["attempts"], "counts in manifest"),
        (["constructions", "pair_swap"], "counts in manifest"),
        (["rejections", "frequency_cap"], "counts in manifest"),
        (["splits", "train"], "split as in manifest"),
        (["requested"], "quota of construction"),
        (["config", "mix", "pair_swap"], "quota of construction"),
        (["config", "seed"], "split as dealt by seed"),
        (["vocabulary", "nouns"], "settings in manifest"),
        (["files", "examples/train-00000-of-00001.parquet", "rows"], "rows as in manifest"),
        (["files", "rejected.jsonl", "rows"], "rows as in manifest"),
        (["files", "README.md", "bytes"], "file as in manifest"),
    ],
)
def test_a_changed_number_in_the_manifest_is_found(
    folder: Path, path: list[str], rule: str
) -> None:
    data = json.loads((folder / "manifest.json").read_text())
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] += 20
    (folder / "manifest.json").write_text(json.dumps(data))
    assert rule in broken(folder)


@pytest.mark.parametrize("key", ["mix", "seed"])
def test_a_setting_missing_from_the_manifest_is_found(folder: Path, key: str) -> None:
    data = json.loads((folder / "manifest.json").read_text())
    del data["config"][key]
    (folder / "manifest.json").write_text(json.dumps(data))
    assert broken(folder) == {"settings in manifest"}


def test_a_dropped_rejection_is_found(folder: Path) -> None:
    path = folder / "rejected.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    seal(folder)
    assert broken(folder) == {"counts in manifest"}


# --- rows


def flip(text: str) -> str:
    """Another letter in a word in the middle of a caption."""
    middle = text.index(" ", len(text) // 2) + 1
    return text[:middle] + ("x" if text[middle] != "x" else "y") + text[middle + 1 :]


def swap(row: dict[str, Any], first: str, second: str) -> None:
    row[first], row[second] = row[second], row[first]


def other_attribute(row: dict[str, Any]) -> None:
    row["attributes"] = [
        ["huge" if row["attributes"][0] != ["huge"] else "red"],
        row["attributes"][1],
    ]


ROW_EDITS: dict[str, Callable[[dict[str, Any]], object]] = {
    "a letter of the positive": lambda row: row.update(positive=flip(row["positive"])),
    "a letter of a negative": lambda row: row.update(negative_object=flip(row["negative_object"])),
    "negatives exchanged": lambda row: swap(row, "negative_attribute", "negative_object"),
    "positive and negative exchanged": lambda row: swap(row, "positive", "negative_attribute"),
    "a negative that equals the positive": lambda row: row.update(
        negative_attribute=row["positive"]
    ),
    "another attribute": other_attribute,
    "objects exchanged": lambda row: row["objects"].reverse(),
    "order of the query": lambda row: row["order"].reverse(),
    "the query": lambda row: row.update(query=row["query"].replace(" and ", ", ")),
    "a final period": lambda row: row.update(positive=row["positive"][:-1]),
    "a double space": lambda row: row.update(positive=row["positive"].replace(" ", "  ", 1)),
    "measured words": lambda row: row.update(words=row["words"] + 1),
    "measured distance": lambda row: row.update(distance=row["distance"] + 1),
    "another length band": lambda row: row.update(
        length_band="31-42" if row["length_band"] == "10-15" else "10-15"
    ),
    "a length band that is none": lambda row: row.update(length_band="1-99"),
    "a length band without sense": lambda row: row.update(length_band="short"),
    "another construction": lambda row: row.update(construction="attr_bundle"),
    "a construction that is none": lambda row: row.update(construction="swap"),
    "an id without sense": lambda row: row.update(id="pair_swap-x"),
    "an id beyond the quota": lambda row: row.update(id="pair_swap-000999"),
    "an id in another form": lambda row: row.update(id=f"pair_swap-{int(row['id'][-6:])}"),
    "a flag": lambda row: row.update(saber_overlap=not row["saber_overlap"]),
    "the other flag": lambda row: row.update(has_negation=not row["has_negation"]),
    "the third flag": lambda row: row.update(same_family=not row["same_family"]),
    "a made-up distractor": lambda row: row.update(
        distractors=[{"attribute": "beige", "object": "yak"}]
    ),
    "a missing text": lambda row: row.update(positive=None),
    "a missing list": lambda row: row.update(attributes=None),
}


@pytest.mark.parametrize("edit", ROW_EDITS)
def test_a_changed_row_is_found_in_spite_of_fitting_sums(folder: Path, edit: str) -> None:
    before = pq.read_table(shard(folder, "examples", "train")).to_pylist()
    both(folder, "train", lambda rows: ROW_EDITS[edit](find(rows, "pair_swap")))
    seal(folder)
    assert pq.read_table(shard(folder, "examples", "train")).to_pylist() != before
    assert broken(folder)


def test_a_changed_triplet_is_found(folder: Path) -> None:
    change(shard(folder, "triplets", "train"), lambda rows: rows[5].update(anchor="red flag"))
    seal(folder)
    assert broken(folder) == {"row: triplets"}


def test_triplets_in_another_order_are_found(folder: Path) -> None:
    change(shard(folder, "triplets", "train"), lambda rows: rows.reverse())
    seal(folder)
    assert broken(folder) == {"row: triplets"}


def test_an_added_triplet_is_found(folder: Path) -> None:
    change(shard(folder, "triplets", "train"), lambda rows: rows.append(rows[0]))
    seal(folder)
    assert broken(folder) == {"two triplets an example"}


def test_a_doubled_row_is_found(folder: Path) -> None:
    both(folder, "train", lambda rows: rows.append(rows[0]))
    seal(folder)
    found = broken(folder)
    assert {"id used once", "caption used once", "bindings used once"} <= found
    assert "quota of construction" in found


def test_a_doubled_row_under_a_new_id_is_found(folder: Path) -> None:
    """In place of another row, so that every count stays right."""

    def edit(rows: Rows) -> None:
        first, second = [row for row in rows if row["construction"] == "pair_swap"][:2]
        second.update({**first, "id": second["id"]})

    both(folder, "train", edit)
    seal(folder)
    assert {"caption used once", "bindings used once"} <= broken(folder)


def exchange(text: str, first: str, second: str) -> str:
    """The text with two words exchanged."""
    other = {first: second, second: first}
    return re.sub(rf"\b({first}|{second})\b", lambda match: other[match.group()], text)


def test_two_rows_of_the_same_words_are_found(folder: Path) -> None:
    """The second has the words of the first, bound the other way round."""

    def edit(rows: Rows) -> None:
        first, second = [row for row in rows if row["construction"] == "pair_swap"][:2]
        words = first["attributes"][0] + first["attributes"][1]
        second.update(
            {
                **first,
                "id": second["id"],
                "attributes": first["attributes"][::-1],
                "positive": first["negative_attribute"],
                "negative_attribute": first["positive"],
                "query": exchange(first["query"], *words),
                "negative_object": exchange(first["negative_object"], *words),
            }
        )

    both(folder, "train", edit)
    seal(folder)
    assert "words used once in type" in broken(folder)


def move(folder: Path, source: str, target: str, construction: str) -> None:
    moved: Rows = []

    def take(rows: Rows) -> None:
        moved.append(find(rows, construction))
        rows.remove(moved[0])

    both(folder, source, take)
    both(folder, target, lambda rows: rows.append(moved[0]))
    data = json.loads((folder / "manifest.json").read_text())
    data["splits"][source] -= 1
    data["splits"][target] += 1
    (folder / "manifest.json").write_text(json.dumps(data))
    seal(folder)


def test_a_row_moved_to_another_split_is_found(folder: Path) -> None:
    move(folder, "test", "train", "pair_swap")
    assert {"split as dealt by seed"} <= broken(folder)


def test_a_held_out_row_moved_to_train_is_found(folder: Path) -> None:
    move(folder, "deferred_bind_anaphoric", "train", "deferred_bind_anaphoric")
    assert {"row: held_out", "split as dealt by seed"} <= broken(folder)


def test_rows_of_two_splits_exchanged_are_found(folder: Path) -> None:
    """No count changes at all."""
    move(folder, "test", "train", "pair_swap")
    move(folder, "train", "test", "predicative")
    assert broken(folder) == {"split as dealt by seed"}


def test_a_word_above_its_cap_is_found(folder: Path) -> None:
    """Rows that are each fine, with one word in far too many of them."""
    rows = [row for part in runs.rows(folder).values() for row in part]
    nouns = Counter(
        noun for row in rows if row["construction"] == "pair_swap" for noun in row["objects"]
    )
    frequent = nouns.most_common(1)[0][0]

    def edit(rows: Rows) -> None:
        for row in rows:
            if row["construction"] == "pair_swap" and frequent not in row["positive"].casefold():
                old = re.compile(rf"\b{row['objects'][0]}\b")
                for column in ("query", "positive", "negative_attribute", "negative_object"):
                    row[column] = old.sub(frequent, row[column])
                row["objects"][0] = frequent

    both(folder, "train", edit)
    seal(folder)
    assert "word within frequency cap" in broken(folder)


def test_of_many_broken_rows_three_are_named(folder: Path) -> None:
    both(folder, "train", lambda rows: [row.update(words=99) for row in rows])
    seal(folder)
    line = next(line for line in runs.check(folder).out.splitlines() if "BROKEN" in line)
    assert line.endswith(", ...")
    assert line.count("-0000") == 3


# --- nothing to verify


def test_an_unfinished_folder_is_one_clear_line(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    done = runs.check(folder)
    assert (done.status, done.out) == (2, "")
    assert "no manifest.json, so this is not a finished dataset" in done.error


def test_a_foreign_manifest_is_one_clear_line(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"name": "theirs"}')
    assert "manifest.json: not a manifest" in runs.check(folder).error


def test_another_vocabulary_is_one_clear_line(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(runs.TINY, tmp_path / "words")
    nouns = tmp_path / "words" / "nouns.toml"
    nouns.write_text(nouns.read_text() + "\n# a remark\n")
    done = runs.check(folder, "--vocab", tmp_path / "words")
    assert done.status == 2
    assert "made with another vocabulary" in done.error
