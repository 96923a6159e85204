"""Whether pictures of SABER give the answer away to who recognizes nothing in them.

With the query's image given, the candidate whose image is nearest by color, by light and shade, by
file size is the choice. The answer shows what the query shows: where a question's images have one
layout it is nearly the same picture, and such measures find it as they should. Their figures have
no bound; they say what a score from image to image has to be read against. Without the query, or
by the places of objects alone, nothing may find the answer: that would be a leak.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from gen.audit.config import AuditConfig
from gen.audit.data import Data
from gen.audit.result import FlaggedRow, Result
from gen.audit.saber.questions import (
    AGAINST,
    PLACES,
    by_size,
    cluster,
    even,
    files,
    nearest,
)
from gen.base.progress import phase
from gen.base.statistics import measured
from gen.base.workers import cpus
from schemas.audit import Finding
from schemas.saber import candidate_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gen.verify.images import Truth

LARGE = "n>=3"
"""Questions whose candidates are alike: of two pairs one has a new word, and two show the same."""
LEAK = 0.3
"""Bound on the share found without the query: chance, and five points as many are looked at."""
BATCH = 16
"""Questions whose images are held at a time."""
BINS = 8
"""Of each color channel of the histogram."""


class Seen(NamedTuple):
    """What was measured of a question's images."""

    id: str
    n: int
    cluster: str
    answer: int
    far: dict[str, list[list[float]]]
    """Under each measure, the distances of the five images, the query's first."""
    scalars: dict[str, list[float]]
    """Of each candidate's image."""
    same: list[int]
    """Candidates whose file is the query's."""
    orders: list[list[str]]
    """The objects of each image from left to right, the query's first."""
    mentioned: list[str]
    """The objects in the order of the query's caption."""


def check(data: Data, config: AuditConfig) -> Result:
    """Audit the images of a SABER folder.

    Raises:
        ValueError: without Pillow and NumPy, or for an image that can't be read.
    """
    seen = list(_seen(data, config))
    numbered = [(one.n, one.cluster) for one in seen]
    result = Result()
    kept = str(data.manifest.config.get("layout")) if data.manifest else "unknown"
    for name in seen[0].far:
        won = [nearest(one.far[name][0][1:], one.answer) for one in seen]
        note = f"image to image, layout {kept}; {AGAINST}"
        result.findings += by_size(f"pixels_{name}", numbered, won, note=note)
    result.findings += blind(seen)
    result.findings += order(seen)
    copied = [one for one in seen if one.same]
    note = "questions with the query's very file among the candidates"
    result.findings.append(
        Finding(check="pixels_copied", value=len(copied), n=len(seen), bound=0, note=note)
    )
    result.flagged += [
        FlaggedRow(
            "pixels_copied", f"n={one.n:02d}", candidate_id(one.id, place), one.id, "same file"
        )
        for one in copied
        for place in one.same
    ]
    return result


def blind(seen: Sequence[Seen]) -> Iterator[Finding]:
    """Without the query: is the answer the candidate like the others, or first by some figure?"""
    large = [one for one in seen if one.n > 2]
    if not large:
        return
    for name in large[0].far:
        won = [nearest([sum(row[1:]) for row in one.far[name][1:]], one.answer) for one in large]
        yield _leak(f"blind_{name}", large, won, "nearest to the other candidates, without query")
    for name in large[0].scalars:
        ranks = [
            sorted(PLACES, key=one.scalars[name].__getitem__).index(one.answer) for one in large
        ]
        yield even(f"blind_rank_{name}", LARGE, ranks)


def order(seen: Sequence[Seen]) -> Iterator[Finding]:
    """By the order of the objects from left to right alone, where boxes say it."""
    large = [one for one in seen if one.n > 2 and all(one.orders)]
    if not large:
        return
    won = [
        nearest([_moved(one.orders[0], own) for own in one.orders[1:]], one.answer) for one in large
    ]
    yield _leak("pixels_object_order", large, won, "objects from left to right, image to image")
    won = [
        nearest([_moved(one.mentioned, own) for own in one.orders[1:]], one.answer) for one in large
    ]
    yield _leak("pixels_mention_order", large, won, "query's words against left to right")


def descriptors(data: bytes) -> dict[str, NDArray[np.float64]]:
    """What a look without recognition sees of an image file, each a flat vector.

    Raises:
        ValueError: without Pillow, or when the image can't be read.
    """
    import numpy as np

    from gen.verify.images import decoded

    image = decoded(data)
    if image is None:
        raise ValueError("an image can't be decoded")
    pixels = np.asarray(image.convert("RGB"))
    bins = (pixels // (256 // BINS)).astype(np.int64) @ (BINS**2, BINS, 1)
    return {
        "mean_color": pixels.reshape(-1, 3).mean(0) / 255,
        "color_histogram": np.bincount(bins.ravel(), minlength=BINS**3) / bins.size,
        "gray_layout": np.asarray(image.convert("L").resize((16, 16)), np.float64).ravel() / 255,
        "color_layout": np.asarray(image.convert("RGB").resize((32, 32)), np.float64).ravel() / 255,
        "file_size": np.array([float(len(data))]),
    }


def _seen(data: Data, config: AuditConfig) -> Iterator[Seen]:
    """The questions, or `config.sample` of them, measured in threads."""
    import numpy as np
    import pyarrow.parquet as pq

    from gen.verify.images import FILES, Truth

    assert data.manifest is not None
    total = data.manifest.rows("mcq")
    count = min(total, config.sample)
    chosen = set(np.random.default_rng(config.seed).permutation(total)[:count].tolist())
    truths = [Truth(data.path / FILES[name]) for name in ("queries", "corpus")]
    columns = ["id", "n", "chain", "answer", "objects", "query_image"]
    columns += [f"candidate_{place}_image" for place in PLACES]
    at = 0
    with phase("images", count) as display, ThreadPoolExecutor(config.workers or cpus()) as pool:
        for path in files(data, "mcq"):
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(BATCH, columns=columns):
                    rows = [row for at, row in enumerate(batch.to_pylist(), at) if at in chosen]
                    at += batch.num_rows
                    for row, measured in zip(rows, pool.map(_measured, rows), strict=True):
                        yield _with_orders(row, measured, truths)
                        display.advance(1)


def _measured(row: dict[str, Any]) -> Seen:
    """The figures of a question's five images."""
    import numpy as np

    names = ("query", *(f"candidate_{place}" for place in PLACES))
    images = [row[f"{name}_image"]["bytes"] for name in names]
    try:
        found = [descriptors(image) for image in images]
    except ValueError as error:
        raise ValueError(f"{row['id']}: {error}") from None
    far = {}
    for measure in found[0]:
        stack = np.stack([own[measure] for own in found])
        far[measure] = np.abs(stack[:, None] - stack[None]).sum(2).tolist()
    scalars = {
        "file_size": [float(own["file_size"][0]) for own in found[1:]],
        "brightness": [float(own["mean_color"].mean()) for own in found[1:]],
        "contrast": [float(own["gray_layout"].std()) for own in found[1:]],
        "colorfulness": [float(np.ptp(own["mean_color"])) for own in found[1:]],
    }
    same = [place for place in PLACES if images[place + 1] == images[0]]
    return Seen(
        row["id"], row["n"], cluster(row), row["answer"], far, scalars, same, [], row["objects"]
    )


def _with_orders(row: dict[str, Any], seen: Seen, truths: Sequence[Truth]) -> Seen:
    """The same with the places of the objects, from the boxes of the ground truth."""
    queries, corpus = truths
    notes = [queries.notes(seen.id)]
    notes += [corpus.notes(candidate_id(seen.id, place)) for place in PLACES]
    orders = []
    for own in notes:
        middle = {note["object"]: note["bbox"][0] + note["bbox"][2] / 2 for note in own}
        orders.append(sorted(middle, key=middle.__getitem__))
    return seen._replace(orders=orders)


def _moved(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(map(str.__ne__, one, other))


def _leak(check: str, seen: Sequence[Seen], won: Sequence[float], note: str) -> Finding:
    """A share that has to be near chance."""
    clusters = [one.cluster for one in seen]
    return measured(check, won, clusters, LARGE, bound=LEAK, note=f"{note}; {AGAINST}")
