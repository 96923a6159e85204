"""`gen.verify` proves a good SABER folder and finds every kind of tampering.

All tampering is followed by `seal`: sums in the manifest are made to fit the changed files, so
that the rule about the rows has to notice on its own.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gen.saber.shards
from gen.base.files import describe
from gen.saber.retrieval import judgements
from gen.saber.rows import rows
from gen.verify.saber import question_of_rows
from gen.vocab.saber import BUILTIN
from schemas.manifest import MANIFEST
from tests.support import runs, saber

Rows = list[dict[str, Any]]
FILE = "test-00000-of-00001.parquet"
ROWS = "rows as the question gives"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good folder; read only."""
    out = tmp_path_factory.mktemp("verify") / "saber"
    saber.made(out)
    return out


@pytest.fixture
def folder(tmp_path: Path, good: Path) -> Path:
    """A good folder to tamper with."""
    shutil.copytree(good, tmp_path / "saber", ignore=shutil.ignore_patterns(".run"))
    return tmp_path / "saber"


def broken(folder: Path) -> set[str]:
    """The rules that are said to be broken."""
    done = saber.check(folder)
    assert done.err == ""
    found = {line[:28].rstrip() for line in done.out.splitlines() if "BROKEN" in line}
    assert done.status == (1 if found else 0)
    return found


def change(folder: Path, config: str, edit: Callable[[Rows], object]) -> None:
    """Edit the rows of a config in place."""
    path = folder / config / FILE
    table = pq.read_table(path)
    records = table.to_pylist()
    edit(records)
    pq.write_table(pa.Table.from_pylist(records, table.schema), path)


def set_manifest(folder: Path, **values: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def seal(folder: Path) -> None:
    """Make the sums of the manifest fit the files that are there."""
    files = {
        str(path.relative_to(folder)): describe(path, rows_of(path)).model_dump()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }
    set_manifest(folder, files=files)


def rows_of(path: Path) -> int:
    return int(pq.read_metadata(path).num_rows) if path.suffix == ".parquet" else 0


def edit_candidate(folder: Path, n: int, kind: str, edit: Callable[[Rows], object]) -> None:
    """Edit a candidate of a question's, given its documents by kind: first that of `kind`.

    Captions and `mcq` follow the bindings, so that nothing else is wrong with the question.
    """
    mcq = saber.rows(folder, "mcq")
    row = next(row for row in mcq if row["n"] == n)
    names = [f"{row['id']}-c{place}" for place in range(4)]

    def edited(rows: Rows) -> None:
        own = [document for document in rows if document["_id"] in names]
        edit(sorted(own, key=lambda document: document["kind"] != kind))

    change(folder, "corpus", edited)
    follow(folder)
    seal(folder)


def follow(folder: Path) -> None:
    """Write the captions, `mcq` and `qrels` that the bindings of queries and corpus give."""
    mcq, queries, corpus = (saber.rows(folder, name) for name in ("mcq", "queries", "corpus"))
    questions = [
        question_of_rows(row, query, corpus[4 * place : 4 * place + 4])
        for place, (row, query) in enumerate(zip(mcq, queries, strict=True))
    ]
    made = [rows(question) for question in questions]
    for config, new in (
        ("mcq", [one.mcq for one in made]),
        ("queries", [one.query for one in made]),
        ("corpus", [document for one in made for document in one.corpus]),
        ("qrels", list(judgements(questions))),
    ):
        change(folder, config, lambda old, new=new: old.__setitem__(slice(None), new))


# --- good folders


def test_a_good_folder_passes(folder: Path) -> None:
    done = saber.check(folder)
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[-1] == f"{folder}: every rule holds"
    assert [line.split()[-1] for line in lines[:-2]] == ["ok"] * len(lines[:-2])
    assert any(line.split() == ["question", "proved", "40", "ok"] for line in lines)


def test_sealing_alone_breaks_nothing(folder: Path) -> None:
    """What the other tests rely on: rewriting files and sums is no tampering."""
    follow(folder)
    seal(folder)
    assert broken(folder) == set()


def test_many_shards_and_row_groups_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gen.saber.shards, "SHARD", 15)
    monkeypatch.setattr(gen.saber.shards, "GROUP", 4)
    saber.made(tmp_path / "out")
    assert broken(tmp_path / "out") == set()


@pytest.mark.parametrize(
    "settings",
    [{"sizes": "2", "questions-per-size": 1}, {"sizes": "3,10", "questions-per-size": 7}],
)
def test_other_sizes_pass(tmp_path: Path, settings: dict[str, object]) -> None:
    saber.made(tmp_path / "out", **settings)
    assert broken(tmp_path / "out") == set()


# --- files


@pytest.mark.parametrize("name", ["README.md", f"mcq/{FILE}", f"qrels/{FILE}"])
def test_a_changed_or_missing_file_is_found(folder: Path, name: str) -> None:
    (folder / name).write_bytes((folder / name).read_bytes() + b"\n")
    assert broken(folder) == {"file as in manifest"}
    (folder / name).unlink()
    assert broken(folder) == {"file as in manifest"}


def test_a_file_too_many_is_found(folder: Path) -> None:
    shutil.copy(folder / "corpus" / FILE, folder / "corpus" / "test-00001-of-00002.parquet")
    assert broken(folder) == {"file listed in manifest"}


def test_other_columns_are_found(folder: Path) -> None:
    path = folder / "corpus" / FILE
    pq.write_table(pq.read_table(path).drop_columns(["kind"]), path)
    seal(folder)
    assert broken(folder) == {"columns as declared"}


def test_another_vocabulary_is_told(folder: Path, tmp_path: Path) -> None:
    text = (BUILTIN / "saber.toml").read_text()
    (tmp_path / "saber.toml").write_text(text + "\n")
    error = saber.check(folder, "--vocab", tmp_path).error
    assert "was made with another vocabulary; name its folder with --vocab" in error


def test_another_dataset_is_told(folder: Path) -> None:
    set_manifest(folder, dataset="imagenet")
    assert "the manifest says 'imagenet'; this program proves" in saber.check(folder).error


# --- the manifest


@pytest.mark.parametrize(
    "config",
    [
        {"sizes": []},
        {"sizes": [1, 2, 3, 4, 5]},
        {"sizes": [5, 4, 3, 2]},
        {"sizes": "2-5"},
        {"questions_per_size": 0},
        {"questions_per_size": "10"},
        {"seed": None},
    ],
)
def test_settings_that_make_no_sense_are_found(folder: Path, config: dict[str, object]) -> None:
    known = runs.summary(folder).config
    set_manifest(folder, config={**known, **config})
    assert broken(folder) == {"settings in manifest"}


@pytest.mark.parametrize(
    "values",
    [
        {"examples": 41},
        {"requested": 41},
        {"constructions": {"independent": 40}},
        {"splits": {"test": 39}},
        {"attempts": 44},
        {"rejections": {"contained_elsewhere": 1}},
    ],
)
def test_wrong_counts_are_found(folder: Path, values: dict[str, object]) -> None:
    set_manifest(folder, **values)
    assert broken(folder) == {"counts in manifest"}


def test_fewer_questions_than_the_settings_say_are_found(folder: Path) -> None:
    config = {**runs.summary(folder).config, "questions_per_size": 12}
    set_manifest(folder, config=config)
    assert broken(folder) == {"every question once", "counts in manifest"}


# --- a question on its own


TEXTS: dict[str, tuple[str, Callable[[dict[str, Any]], object]]] = {
    "a caption": ("mcq", lambda row: row.update(query_caption=row["query_caption"].lower())),
    "an article": (
        "corpus",
        lambda row: row.update(text=row["text"].replace("a ", "an ", 1)),
    ),
    "a generation caption": ("queries", lambda row: row.update(generation_text=row["text"] + " ")),
    "the answer": ("mcq", lambda row: row.update(answer=(row["answer"] + 1) % 4)),
    "a kind": ("mcq", lambda row: row.update(candidate_0_kind="joint_swap_")),
    "the chain": ("mcq", lambda row: row.update(chain=7)),
    "the size": ("mcq", lambda row: row.update(n=row["n"] + 1)),
    "an id": ("mcq", lambda row: row.update(id=row["id"].replace("-n", "-m"))),
    "a candidate's id": ("corpus", lambda row: row.update(_id=row["_id"] + "0")),
    "an image": ("corpus", lambda row: row.update(image={"bytes": b"x", "path": None})),
    "listed objects": ("mcq", lambda row: row.update(objects=row["objects"][::-1])),
    "an instantiation": (
        "corpus",
        lambda row: row["instantiations"].__setitem__(0, "very " + row["instantiations"][0]),
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_changed_column_is_found(folder: Path, name: str) -> None:
    config, edit = TEXTS[name]
    change(folder, config, lambda rows: edit(rows[-1]))
    seal(folder)
    assert broken(folder) & {ROWS, "question: number of pairs", "question: instantiation"}


@pytest.mark.parametrize("column", ["attributes", "objects"])
def test_lists_of_unequal_length_are_found(folder: Path, column: str) -> None:
    change(folder, "corpus", lambda rows: rows[5][column].pop())
    seal(folder)
    assert "question makes sense" in broken(folder)


def other(document: dict[str, Any], column: str, value: str, look: str | None = None) -> None:
    document[column][0] = value
    if look:
        document["instantiations"][0] = look


def swap(document: dict[str, Any], *columns: str) -> None:
    """Exchange the first two entries of columns."""
    for column in columns:
        row = document[column]
        row[0], row[1] = row[1], row[0]


def copy(document: dict[str, Any], source: dict[str, Any]) -> None:
    for column in ("objects", "attributes", "instantiations"):
        document[column][:] = source[column]


ALL = ("objects", "attributes", "instantiations")

CASES: dict[str, tuple[int, str, Callable[[Rows], object], str]] = {
    "an unknown object": (
        *(3, "object_swap", lambda rows: other(rows[0], "objects", "samovar")),
        "known words",
    ),
    "an unknown attribute": (
        *(3, "object_swap", lambda rows: other(rows[0], "attributes", "tall", "tall")),
        "known words",
    ),
    "an attribute as an object": (
        *(3, "object_swap", lambda rows: other(rows[0], "objects", "red")),
        "known words",
    ),
    "an object twice": (
        *(3, "joint_swap", lambda rows: other(rows[0], "objects", rows[0]["objects"][1])),
        "distinct words",
    ),
    "a wrong instantiation": (
        *(2, "replacement", lambda rows: [other_look(document) for document in rows]),
        "instantiation",
    ),
    "a kind twice": (
        *(3, "object_swap", lambda rows: rows[0].update(kind="joint_swap")),
        "kinds",
    ),
    "the replacement's kind at three pairs": (
        *(3, "joint_swap", lambda rows: rows[0].update(kind="replacement")),
        "kinds",
    ),
    "no binding preserved": (
        *(3, "binding_preserving", lambda rows: swap(rows[0], "objects")),
        "binding_preserving",
    ),
    "objects of another order in the attribute swap": (
        *(3, "attribute_swap", lambda rows: swap(rows[0], *ALL)),
        "attribute_swap",
    ),
    "attributes of another order in the object swap": (
        *(3, "object_swap", lambda rows: swap(rows[0], *ALL)),
        "object_swap",
    ),
    "a right answer as the attribute swap": (
        *(3, "attribute_swap", lambda rows: copy(rows[0], kind(rows, "binding_preserving"))),
        "assignments",
    ),
    "a swap as the joint swap": (
        *(4, "joint_swap", lambda rows: copy(rows[0], kind(rows, "object_swap"))),
        "joint_swap",
    ),
    "a replacement that replaces nothing": (
        *(2, "replacement", lambda rows: copy(rows[0], kind(rows, "attribute_swap"))),
        "replacement",
    ),
    "another word in one candidate": (
        *(5, "joint_swap", lambda rows: other(rows[0], "objects", "hydrant")),
        "bag of words",
    ),
}


def kind(rows: Rows, name: str) -> dict[str, Any]:
    return next(document for document in rows if document["kind"] == name)


def other_look(document: dict[str, Any]) -> None:
    document["instantiations"][0] = "rather " + document["instantiations"][0]


@pytest.mark.parametrize("name", CASES)
def test_a_wrong_candidate_is_found(folder: Path, name: str) -> None:
    n, which, edit, rule = CASES[name]
    edit_candidate(folder, n, which, edit)
    assert f"question: {rule}" in broken(folder)


def test_look_alikes_are_found(folder: Path) -> None:
    """A fork in all five scenes of a question that has a rake."""

    def together(rows: Rows) -> None:
        nouns = rows[0]["objects"]
        first, second = sorted(nouns)[:2]
        for document in (*rows, *beside):
            document["objects"][:] = [
                {first: "fork", second: "rake"}.get(noun, noun) for noun in document["objects"]
            ]

    beside: Rows = []
    row = next(row for row in saber.rows(folder, "mcq") if row["n"] == 3)
    change(folder, "queries", lambda rows: beside.extend(r for r in rows if r["_id"] == row["id"]))
    edit_candidate(folder, 3, "joint_swap", together)
    change(
        folder,
        "queries",
        lambda rows: [r.update(beside[0]) for r in rows if r["_id"] == row["id"]],
    )
    follow(folder)
    seal(folder)
    assert broken(folder) == {"question: look-alikes"}


# --- all questions together


def test_a_question_that_is_missing_is_found(folder: Path) -> None:
    change(folder, "mcq", lambda rows: rows.pop())
    change(folder, "queries", lambda rows: rows.pop())
    change(folder, "corpus", lambda rows: [rows.pop() for _ in range(4)])
    seal(folder)
    assert {"every question once", "counts in manifest"} <= broken(folder)


@pytest.mark.parametrize("config", ["queries", "corpus"])
def test_rows_left_over_are_found(folder: Path, config: str) -> None:
    change(folder, config, lambda rows: rows.append(rows[-1]))
    seal(folder)
    assert ROWS in broken(folder)


def test_answers_that_all_stand_in_one_place_are_found(folder: Path) -> None:
    def first(rows: Rows) -> None:
        for start in range(0, len(rows), 4):
            four = sorted(rows[start : start + 4], key=lambda row: row["kind"][0] != "b")
            rows[start : start + 4] = four

    change(folder, "corpus", first)
    follow(folder)
    seal(folder)
    assert broken(folder) == {"answer places balanced"}


def test_a_chain_that_loses_a_binding_is_found(folder: Path) -> None:
    """Two chains exchange their largest questions: each is right on its own."""

    def exchange(size: int) -> Callable[[Rows], None]:
        def edit(rows: Rows) -> None:
            places = [at for at, row in enumerate(rows) if "nested-n05" in row["_id"]][: 2 * size]
            one, two = rows[places[0] : places[0] + size], rows[places[size] : places[size] + size]
            for old, new in zip((*one, *two), [dict(row) for row in (*two, *one)], strict=True):
                old.update({**new, "_id": old["_id"]})

        return edit

    change(folder, "queries", exchange(1))
    change(folder, "corpus", exchange(4))
    follow(folder)
    seal(folder)
    assert {"chain is nested"} <= broken(folder) <= {"chain is nested", "chain keeps appearances"}


def test_a_chain_that_changes_an_appearance_is_found(folder: Path) -> None:
    """The largest question of a chain turns all its light-brown wood into dark-brown, and so on."""
    variants = {
        "light-brown wooden": "dark-brown wooden",
        "tan leather": "dark-brown leather",
        "gray furry": "chestnut furry",
        "crimson plaid": "navy plaid",
        "cream floral": "teal floral",
        "cream marble": "dark-green marble",
        "gray brick": "terracotta brick",
        "beige quilted": "navy quilted",
        "beige knitted": "burgundy knitted",
        "teal scaly": "olive-green scaly",
    }
    variants |= {new: old for old, new in variants.items()}

    def edit(rows: Rows) -> None:
        for row in rows:
            if "nested-n05" in row["_id"]:
                looks = row["instantiations"]
                row["instantiations"] = [variants.get(look, look) for look in looks]

    change(folder, "queries", edit)
    change(folder, "corpus", edit)
    follow(folder)
    seal(folder)
    assert broken(folder) == {"chain keeps appearances"}


@pytest.mark.parametrize(
    "edit",
    [
        lambda rows: rows.pop(),
        lambda rows: rows.append({**rows[0], "corpus-id": rows[-1]["corpus-id"]}),
        lambda rows: rows.append(dict(rows[0])),
        lambda rows: rows.append({**rows[0], "query-id": "nobody"}),
        lambda rows: rows[0].update({"corpus-id": rows[1]["corpus-id"]}),
    ],
)
def test_wrong_judgements_are_found(folder: Path, edit: Callable[[Rows], object]) -> None:
    change(folder, "qrels", edit)
    seal(folder)
    assert broken(folder) == {"judged by containment"}


def test_a_wrong_score_is_found(folder: Path) -> None:
    change(folder, "qrels", lambda rows: rows[0].update(score=2))
    seal(folder)
    assert broken(folder) == {"score of a judgement is 1"}


def test_an_independent_query_with_two_relevant_candidates_is_found(folder: Path) -> None:
    """Two independent questions of one size become one and the same."""

    def same(size: int) -> Callable[[Rows], None]:
        def edit(rows: Rows) -> None:
            places = [at for at, row in enumerate(rows) if "independent-n03" in row["_id"]]
            for at in places[:size]:
                rows[at + size].update({**rows[at], "_id": rows[at + size]["_id"]})

        return edit

    change(folder, "queries", same(1))
    change(folder, "corpus", same(4))
    follow(folder)
    seal(folder)
    assert "independent has one relevant" in broken(folder)


def test_uneven_use_is_found(folder: Path) -> None:
    """Red in place of an attribute of every independent question that has no red."""
    everything = [*saber.rows(folder, "queries"), *saber.rows(folder, "corpus")]
    used: dict[str, list[str]] = {}
    for row in everything:
        used.setdefault(question_of(row), []).extend(row["attributes"])

    def edit(rows: Rows) -> None:
        for row in rows:
            names = used[question_of(row)]
            if "independent" in row["_id"] and "red" not in names:
                for place, name in enumerate(row["attributes"]):
                    if name == names[0]:
                        row["attributes"][place] = row["instantiations"][place] = "red"

    change(folder, "queries", edit)
    change(folder, "corpus", edit)
    follow(folder)
    seal(folder)
    assert broken(folder) == {"attribute used evenly"}


def question_of(row: dict[str, Any]) -> str:
    return str(row["_id"]).partition("-c")[0]
