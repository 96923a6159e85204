"""`gen.saber --images render`: tiny images through the real renderer, resumed, loaded, proved."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from gen.saber.shards import parts
from tests.support import runs, saber
from tests.verify.test_saber import Rows, broken, change, seal

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with images; read only."""
    out = tmp_path_factory.mktemp("images") / "saber"
    saber.made(out, **saber.IMAGES)
    return out


def made(folder: Path) -> dict[Path, float]:
    """The images that are there, and when they were made."""
    return {path: path.stat().st_mtime for path in (folder / ".run" / "images").glob("*/*.json")}


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


def test_a_kill_leaves_no_half_image_and_the_rest_is_drawn(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "saber"
    flags = {name.replace("_", "-"): value for name, value in saber.IMAGES.items()}
    process = runs.command(*runs.arguments({"out": out, **flags}), program="gen.saber")
    runs.until(lambda: len(made(out)) >= 3, 300)
    os.killpg(process.pid, signal.SIGKILL)
    runs.finish(process)
    before = made(out)
    assert 3 <= len(before) < 10
    assert not (out / "manifest.json").exists()
    done = saber.run(out, **saber.IMAGES)
    assert f"{10 - len(before)} of 10 images to make" in done.out
    assert before.items() <= made(out).items()
    assert runs.files(out) == runs.files(folder)


def test_parts_are_drawn_apart_and_put_together(folder: Path, tmp_path: Path) -> None:
    for part in (1, 2):
        done = saber.run(tmp_path / f"{part}", shard=f"{part}/2", **saber.IMAGES)
        assert (done.status, f"Part {part}/2 is made: 5 images" in done.out) == (0, True)
        assert runs.files(tmp_path / f"{part}") == {}
    source, target = (tmp_path / part / ".run" / "images" for part in "21")
    shutil.copytree(source, target, dirs_exist_ok=True)
    done = saber.run(tmp_path / "1", **saber.IMAGES)
    assert (done.status, "to make" in done.out) == (0, False)
    assert runs.files(tmp_path / "1") == runs.files(folder)


def test_images_of_other_settings_are_refused(folder: Path, tmp_path: Path) -> None:
    assert "another size" in saber.run(folder, **{**saber.IMAGES, "size": 96}).error
    assert "another images" in saber.run(folder, sizes="2,3", questions_per_size=1).error
    shutil.copytree(folder / ".run" / "images", tmp_path / "out" / ".run" / "images")
    done = saber.run(tmp_path / "out", **{**saber.IMAGES, "size": 96})
    assert "was made with other settings" in done.error


def test_ctrl_c_stops_after_the_image_at_hand_and_says_how_to_go_on(tmp_path: Path) -> None:
    flags = {name.replace("_", "-"): value for name, value in saber.IMAGES.items()}
    flags |= {"out": tmp_path / "out", "questions-per-size": 20}
    process = runs.command(*runs.arguments(flags), program="gen.saber")
    runs.until(lambda: bool(made(tmp_path / "out")), 300)
    os.killpg(process.pid, signal.SIGINT)
    done = runs.finish(process)
    assert done.status == 130
    assert done.err.strip() == "Stopped; the same command goes on."
    assert not list((tmp_path / "out").rglob("*.tmp"))


def test_a_damaged_image_is_named(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "saber"
    shutil.copytree(folder, out)
    (out / "manifest.json").unlink()
    path = next((out / ".run" / "images").glob("*/query.webp"))
    path.write_bytes(path.read_bytes()[:-9])
    assert (
        f"{path} is damaged or missing; remove its folder" in saber.run(out, **saber.IMAGES).error
    )
    path.with_suffix(".json").write_text("{")
    assert f"{path.with_suffix('.json')} is damaged" in saber.run(out, **saber.IMAGES).error
    shutil.rmtree(path.parent)
    assert saber.made(out, **saber.IMAGES) == runs.files(folder)


def test_the_proof_holds(folder: Path) -> None:
    done = saber.check(folder)
    assert (done.status, done.err) == (0, "")
    assert any(line.split() == ["image", "decodes", "10", "ok"] for line in done.out.splitlines())


def exchange(rows: Rows) -> None:
    """Two images in each other's place."""
    rows[0]["image"], rows[1]["image"] = rows[1]["image"], rows[0]["image"]


def cut(rows: Rows) -> None:
    """An image without its end."""
    rows[0]["image"]["bytes"] = rows[0]["image"]["bytes"][:-2000]


def lose(rows: Rows) -> None:
    """An image that isn't there."""
    rows[0]["image"] = None


@pytest.mark.parametrize(
    ("edit", "rule"),
    [
        (exchange, "image as in ground truth"),
        (cut, "image decodes"),
        (lose, "image present"),
        (lambda rows: rows[0]["attributes"].reverse(), "ground truth as the row"),
    ],
)
def test_a_wrong_image_is_found(
    folder: Path, tmp_path: Path, edit: Callable[[Rows], object], rule: str
) -> None:
    out = tmp_path / "saber"
    shutil.copytree(folder, out, ignore=shutil.ignore_patterns(".run"))
    change(out, "queries", edit)
    seal(out)
    assert rule in broken(out)


def test_wrong_truth_is_found(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "saber"
    shutil.copytree(folder, out, ignore=shutil.ignore_patterns(".run"))
    path = out / "truth" / "queries.json"
    truth = json.loads(path.read_text())
    truth["annotations"][0]["area"] += 1
    truth["images"][1]["sha256"] = ""
    path.write_text(json.dumps(truth))
    seal(out)
    assert broken(out) == {"every object has pixels", "image as in ground truth"}
    path.write_text("[]")
    seal(out)
    assert broken(out) == {"ground truth makes sense"}


def test_an_image_without_its_objects_fails_by_its_pixels(folder: Path, tmp_path: Path) -> None:
    """White everywhere, with a digest that fits."""
    held = io.BytesIO()
    Image.new("RGB", (64, 64), "white").save(held, "WEBP", lossless=True)
    out = tmp_path / "saber"
    shutil.copytree(folder, out, ignore=shutil.ignore_patterns(".run"))

    def paint(rows: Rows) -> None:
        rows[0]["image"]["bytes"] = held.getvalue()

    change(out, "queries", paint)
    seal(out)
    done = saber.check(out, "--pixels", 2)
    name = saber.rows(out, "queries")[0]["_id"]
    (line,) = [line for line in done.out.splitlines() if line.startswith("pixels fit")]
    assert f"{name}: wrong_color" in line


def test_pixels_are_for_datasets_with_images(tmp_path: Path) -> None:
    saber.made(tmp_path / "out", sizes="2", questions_per_size=1)
    assert "has none" in saber.check(tmp_path / "out", "--pixels", 2).error


def test_images_load_as_pictures(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    code = (
        "from datasets import load_dataset\n"
        "for row in load_dataset('saber', 'mcq', split='test'):\n"
        "    print(row['query_image'].size, row['candidate_3_image'].size)\n"
    )
    shown = runs.loading(code, folder, tmp_path)
    assert shown.splitlines() == ["(64, 64) (64, 64)"] * 2


def test_row_groups_are_bounded_by_count_and_weight() -> None:
    found = parts([4, 4, 4, 9, 1, 1, 1, 1], 3, 8)
    assert [(part.start, part.stop) for part in found] == [(0, 2), (2, 3), (3, 4), (4, 7), (7, 8)]
    assert parts([0] * 7, 3, 8) == [slice(0, 3), slice(3, 6), slice(6, 7)]
