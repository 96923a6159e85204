"""The audit of SABER's images: drawn by hand here, a rectangle for each object.

Where an object stands comes from the layout, its color from its attribute: honest pictures, in
which only a look at single objects finds the answer without the query's picture beside it.
"""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image, ImageDraw, ImageStat

from gen.audit.config import AuditConfig
from gen.audit.data import load
from gen.audit.result import Result
from gen.audit.saber import pixels as audit
from gen.audit.saber.questions import PLACES
from schemas.saber import candidate_id
from tests.support import runs, saber
from tests.verify.test_saber import set_manifest

SIDE, CELL = 48, 12
LARGE = "n>=3"
Document = dict[str, Any]
"""A row of `queries` or `corpus`."""
Boxes = dict[str, tuple[int, int, int, int]]
"""Of each object: left, top, width, height."""
Layout = Callable[[str, int, Document], Boxes]
"""Takes question, place of the image in it (the query's is -1) and row."""
Retouch = Callable[[Image.Image], Image.Image]


def scattered(key: object, objects: list[str]) -> Boxes:
    """Objects in cells of a grid, drawn by a key."""
    draws = random.Random(str(key))
    cells = draws.sample(range((SIDE // CELL) ** 2), len(objects))
    return {
        name: (cell % 4 * CELL + draws.randrange(3), cell // 4 * CELL, CELL - 3, CELL - 3)
        for name, cell in zip(sorted(objects), cells, strict=True)
    }


def fixed(question: str, place: int, row: Document) -> Boxes:
    """The same cells in all images of a question."""
    return scattered(question, row["objects"])


def jitter(question: str, place: int, row: Document) -> Boxes:
    """Cells of its own for each image."""
    return scattered((question, place), row["objects"])


def draw(row: Document, boxes: Boxes) -> Image.Image:
    """The picture, with a grain of its own as path tracing leaves it."""
    picture = Image.new("RGB", (SIDE, SIDE), "gray")
    pen = ImageDraw.Draw(picture)
    for attribute, noun in zip(row["attributes"], row["objects"], strict=True):
        left, top, width, height = boxes[noun]
        color = tuple(random.Random(attribute).randbytes(3))
        pen.rectangle((left, top, left + width - 1, top + height - 1), fill=color)
    draws = random.Random(row["_id"])
    for _ in range(20):
        pen.point((draws.randrange(SIDE), draws.randrange(SIDE)), fill="white")
    return picture


def encode(picture: Image.Image) -> bytes:
    file = io.BytesIO()
    picture.save(file, "WEBP", lossless=True)
    return file.getvalue()


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder without images; read only."""
    out = tmp_path_factory.mktemp("audit") / "saber"
    saber.made(out, sizes="2-5", questions_per_size=24)
    return out


@pytest.fixture
def audited(texts: Path, tmp_path: Path) -> Callable[..., Result]:
    """Draws the images of the folder, the answers' retouched, and audits them."""

    def run(
        layout: Layout = fixed, answer: Callable[[bytes, bytes], bytes] | None = None, **config: int
    ) -> Result:
        return audit.check(
            load(pictured(texts, tmp_path / "saber", layout, answer)),
            AuditConfig(folder=tmp_path, **config),
        )

    return run


def pictured(
    texts: Path, out: Path, layout: Layout, answer: Callable[[bytes, bytes], bytes] | None
) -> Path:
    """The folder with images. `answer` takes the answer's image and the query's."""
    (out / "truth").mkdir(parents=True)
    (out / "mcq").mkdir()
    rows = {
        row["_id"]: row for config in ("queries", "corpus") for row in saber.rows(texts, config)
    }
    mcq = saber.rows(texts, "mcq")
    boxes: dict[str, Boxes] = {}
    for row in mcq:
        names = {-1: row["id"], **{place: candidate_id(row["id"], place) for place in PLACES}}
        images = {}
        for place, name in names.items():
            boxes[name] = layout(row["id"], place, rows[name])
            images[place] = encode(draw(rows[name], boxes[name]))
        if answer:
            images[row["answer"]] = answer(images[row["answer"]], images[-1])
        for place, image in images.items():
            column = "query_image" if place == -1 else f"candidate_{place}_image"
            row[column] = {"bytes": image, "path": None}
    schema = pq.read_schema(next(texts.glob("mcq/*.parquet")))
    pq.write_table(pa.Table.from_pylist(mcq, schema), out / "mcq" / "test-00000-of-00001.parquet")
    for config in ("queries", "corpus"):
        truth = coco({row["_id"]: boxes[row["_id"]] for row in saber.rows(texts, config)})
        (out / "truth" / f"{config}.json").write_text(json.dumps(truth))
    (out / "manifest.json").write_bytes((texts / "manifest.json").read_bytes())
    settings = runs.summary(out).config
    set_manifest(
        out, config={**settings, "images": "render", "layout": layout.__name__, "size": SIDE}
    )
    return out


def coco(boxes: dict[str, Boxes]) -> dict[str, Any]:
    """The ground truth file of images with these boxes."""
    names = sorted({noun for own in boxes.values() for noun in own})
    return {
        "categories": [{"id": at, "name": name} for at, name in enumerate(names)],
        "images": [{"id": at, "file_name": f"{name}.webp"} for at, name in enumerate(boxes)],
        "annotations": [
            {"image_id": at, "category_id": names.index(noun), "bbox": box}
            for at, own in enumerate(boxes.values())
            for noun, box in own.items()
        ],
    }


def values(result: Result) -> dict[str, float]:
    """The figures of all questions, or of those that are compared."""
    return {one.check: one.value for one in result.findings if one.group in ("all", LARGE)}


def failed(result: Result) -> set[str]:
    return {finding.check for finding in result.findings if not finding.passed}


# --- honest pictures --------------------------------------------------------------------


@pytest.mark.parametrize("layout", [fixed, jitter])
def test_honest_pictures_keep_every_bound(audited: Callable[..., Result], layout: Layout) -> None:
    result = audited(layout)
    assert not failed(result)
    assert not result.flagged


def test_with_one_layout_the_answer_is_the_querys_picture_again(
    audited: Callable[..., Result],
) -> None:
    """So any measure of pictures finds it, which the figures say and nothing holds against it."""
    result = audited(fixed)
    found = values(result)
    assert found["pixels_color_layout"] > 0.9
    assert "layout fixed" in next(
        one.note for one in result.findings if one.check == "pixels_mean_color"
    )


def test_with_many_layouts_the_picture_is_another(audited: Callable[..., Result]) -> None:
    found = values(audited(jitter))
    assert found["pixels_color_layout"] < 0.6


def test_a_sample_is_of_so_many_questions(audited: Callable[..., Result]) -> None:
    assert {one.n for one in audited(jitter, sample=30).findings if one.group == "all"} == {30}


def test_figures_do_not_depend_on_the_number_of_threads(texts: Path, tmp_path: Path) -> None:
    data = load(pictured(texts, tmp_path / "saber", jitter, None))
    one, two = (audit.check(data, AuditConfig(folder=tmp_path, workers=count)) for count in (1, 2))
    assert one.findings == two.findings


# --- planted leaks ----------------------------------------------------------------------


def retouched(change: Callable[[Image.Image], Image.Image]) -> Callable[[bytes, bytes], bytes]:
    return lambda answer, query: encode(change(Image.open(io.BytesIO(answer))))


def tinted(picture: Image.Image) -> Image.Image:
    red, green, blue = picture.split()
    return Image.merge("RGB", (red.point(lambda value: min(255, value + 80)), green, blue))


def faded(picture: Image.Image) -> Image.Image:
    """Less contrast, the same brightness."""
    (mean,) = ImageStat.Stat(picture.convert("L")).mean
    return picture.point(lambda value: round(mean + (value - mean) / 4))


@pytest.mark.parametrize(
    ("figure", "change"),
    [
        ("brightness", lambda picture: picture.point(lambda value: min(255, value + 60))),
        ("contrast", faded),
        ("colorfulness", tinted),
    ],
)
def test_an_answer_that_looks_different_is_found(
    audited: Callable[..., Result], figure: str, change: Callable[[Image.Image], Image.Image]
) -> None:
    assert f"blind_rank_{figure}" in failed(audited(jitter, retouched(change)))


def test_an_answer_like_all_others_is_found_without_the_query() -> None:
    """As when the others are edits of it; questions of two pairs, which differ, aside."""
    far = [[1.0] * 5 for _ in range(5)]
    for one, other in ((1, 3), (1, 4), (3, 4)):
        far[one][other] = far[other][one] = 2.0
    far[0][2] = far[2][0] = 100.0
    seen = audit.Seen("id", 3, "id", 1, {"some": far}, {"other": [0.0] * 4}, [], [], [])
    asked = [seen._replace(cluster=str(number)) for number in range(20)]
    small = [one._replace(n=2, answer=0) for one in asked]
    finding = next(audit.blind([*asked, *small]))
    assert (finding.value, finding.n, finding.passed) == (1.0, 20, False)


def test_a_larger_file_is_found(audited: Callable[..., Result]) -> None:
    """Padding behind the image, as another encoder or a block of metadata leaves it."""
    found = failed(audited(jitter, lambda answer, query: answer + bytes(4_000)))
    assert found == {"blind_rank_file_size"}


def test_an_answer_with_the_querys_file_is_found(audited: Callable[..., Result]) -> None:
    result = audited(jitter, lambda answer, query: query)
    assert "pixels_copied" in failed(result)
    assert len(result.flagged) == 4 * 24
    assert {one.check for one in result.flagged} == {"pixels_copied"}


def test_an_answer_laid_out_as_the_query_names_its_objects_is_found(
    audited: Callable[..., Result], texts: Path
) -> None:
    answers = {candidate_id(row["id"], row["answer"]): row for row in saber.rows(texts, "mcq")}

    def told(question: str, place: int, row: Document) -> Boxes:
        if (asked := answers.get(candidate_id(question, place))) is None:
            return jitter(question, place, row)
        return {name: (8 * at, 8 * at, 7, 7) for at, name in enumerate(asked["objects"])}

    assert "pixels_mention_order" in failed(audited(told))


def test_an_answer_with_the_querys_places_alone_is_found(
    audited: Callable[..., Result], texts: Path
) -> None:
    answers = {candidate_id(row["id"], row["answer"]) for row in saber.rows(texts, "mcq")}

    def kept(question: str, place: int, row: Document) -> Boxes:
        return jitter(question, -1 if candidate_id(question, place) in answers else place, row)

    assert "pixels_object_order" in failed(audited(kept))


def test_a_damaged_image_is_named(audited: Callable[..., Result]) -> None:
    with pytest.raises(ValueError, match=r"^\w+-n0\d-\d+: an image can't be decoded$"):
        audited(jitter, lambda answer, query: b"RIFF")
