"""`gen.saber --images render`: tiny images through the real renderer, resumed, loaded, proved."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from gen.saber.shards import parts
from tests import runs, saber

pytestmark = pytest.mark.slow

TINY = {
    **{"sizes": "2,3", "questions_per_size": 1, "images": "render", "size": 64, "samples": 1},
    **{"variant": "scalar", "workers": 1},
}
"""Two questions, ten images, the same bytes in each run."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with images; read only."""
    out = tmp_path_factory.mktemp("images") / "saber"
    saber.made(out, **TINY)
    return out


def units(folder: Path) -> list[str]:
    return sorted(os.listdir(folder / ".run" / "images"))


def test_every_row_has_its_image_and_mcq_repeats_them(folder: Path) -> None:
    images = {
        row["_id"]: row["image"]["bytes"]
        for config in ("queries", "corpus")
        for row in saber.rows(folder, config)
    }
    assert len(set(images.values())) == 10
    for row in saber.rows(folder, "mcq"):
        assert row["query_image"]["bytes"] == images[row["id"]]
        for place in range(4):
            shown = row[f"candidate_{place}_image"]
            assert shown == {"bytes": images[f"{row['id']}-c{place}"], "path": None}
    for data in images.values():
        image = Image.open(io.BytesIO(data))
        assert (image.format, image.size, image.mode) == ("WEBP", (64, 64), "RGB")


def test_the_truth_names_every_object_of_every_image(folder: Path) -> None:
    for config in ("queries", "corpus"):
        truth = json.loads((folder / "truth" / f"{config}.json").read_text())
        names = {entry["id"]: entry["name"] for entry in truth["categories"]}
        rows = saber.rows(folder, config)
        assert [entry["file_name"] for entry in truth["images"]] == [
            f"{r['_id']}.webp" for r in rows
        ]
        assert [note["id"] for note in truth["annotations"]] == [
            place + 1 for place in range(len(truth["annotations"]))
        ]
        for number, row in enumerate(rows, 1):
            notes = [note for note in truth["annotations"] if note["image_id"] == number]
            assert [names[note["category_id"]] for note in notes] == row["objects"]
            assert [note["look"] for note in notes] == row["instantiations"]


def test_captions_are_those_of_a_dataset_of_texts(folder: Path, tmp_path: Path) -> None:
    saber.made(tmp_path / "out", sizes="2,3", questions_per_size=1)
    assert saber.rows(folder, "qrels") == saber.rows(tmp_path / "out", "qrels")
    for row, text in zip(
        saber.rows(folder, "corpus"), saber.rows(tmp_path / "out", "corpus"), strict=True
    ):
        assert {**row, "image": None} == text


def test_a_kill_leaves_no_half_question_and_the_rest_is_drawn(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "saber"
    flags = {name.replace("_", "-"): value for name, value in TINY.items()}
    process = runs.command(*runs.arguments({"out": out, **flags}), program="gen.saber")
    runs.until(lambda: any((out / ".run" / "images").glob("independent*")), 300)
    os.killpg(process.pid, signal.SIGKILL)
    runs.finish(process)
    whole = [name for name in units(out) if not name.startswith(".")]
    assert len(whole) == 1
    assert len(os.listdir(out / ".run" / "images" / whole[0])) == 11
    assert not (out / "manifest.json").exists()
    done = saber.run(out, **TINY)
    assert "5 of 10 images to draw" in done.out
    assert runs.files(out) == runs.files(folder)


def test_parts_are_drawn_apart_and_put_together(folder: Path, tmp_path: Path) -> None:
    for part in (1, 2):
        done = saber.run(tmp_path / f"{part}", shard=f"{part}/2", **TINY)
        assert (done.status, f"Part {part}/2 is drawn: 5 images" in done.out) == (0, True)
        assert runs.files(tmp_path / f"{part}") == {}
    source, target = (tmp_path / part / ".run" / "images" for part in "21")
    shutil.copytree(source, target, dirs_exist_ok=True)
    done = saber.run(tmp_path / "1", **TINY)
    assert (done.status, "to draw" in done.out) == (0, False)
    assert runs.files(tmp_path / "1") == runs.files(folder)


def test_images_of_other_settings_are_refused(folder: Path, tmp_path: Path) -> None:
    assert "another size" in saber.run(folder, **{**TINY, "size": 96}).error
    assert "another images" in saber.run(folder, sizes="2,3", questions_per_size=1).error
    shutil.copytree(folder / ".run" / "images", tmp_path / "out" / ".run" / "images")
    done = saber.run(tmp_path / "out", **{**TINY, "size": 96})
    assert "was drawn with other settings" in done.error


def test_the_proof_holds_and_finds_tampering(folder: Path, tmp_path: Path) -> None:
    assert saber.check(folder).status == 0
    out = tmp_path / "saber"
    shutil.copytree(folder, out)
    path = next((out / ".run" / "images").glob("*/query.webp"))
    path.write_bytes(path.read_bytes()[:-9])
    (out / "manifest.json").unlink()
    assert f"{path} is damaged; remove its folder" in saber.run(out, **TINY).error


def test_images_load_as_pictures(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    code = (
        "from datasets import load_dataset\n"
        "for row in load_dataset('saber', 'mcq', split='test'):\n"
        "    print(row['query_image'].size, row['candidate_3_image'].size)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=folder.parent,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["(64, 64) (64, 64)"] * 2


def test_row_groups_are_bounded_by_count_and_weight() -> None:
    found = parts([4, 4, 4, 9, 1, 1, 1, 1], 3, 8)
    assert [(part.start, part.stop) for part in found] == [(0, 2), (2, 3), (3, 4), (4, 7), (7, 8)]
    assert parts([0] * 7, 3, 8) == [slice(0, 3), slice(3, 6), slice(6, 7)]
