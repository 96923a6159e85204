"""`gen.verify --check-with` on images of the real renderer, known to the model by their pixels."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest
from PIL import Image

from tests.support import llm_runs, runs, saber, vision
from tests.support.llm_script import Action, Request, answer
from tests.support.llm_server import LlmServer
from tests.support.saber import IMAGES
from tests.support.vision import Asked

pytestmark = pytest.mark.slow


def test_drawn_images_are_asked_about_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    llm_runs.quicken(monkeypatch)
    folder = tmp_path / "saber"
    saber.made(folder, **{**IMAGES, "sizes": "2"})
    known: dict[tuple[str, str], str] = {}
    for config in ("queries", "corpus"):
        for row in saber.rows(folder, config):
            image = digest(Image.open(io.BytesIO(row["image"]["bytes"])))
            pairs = zip(row["objects"], row["instantiations"], strict=True)
            known |= {(image, name): look for name, look in pairs}
    wrong = next(iter(known))

    def script(request: Request) -> Action:
        asked = Asked.of(request)
        key = digest(asked.image), asked.object
        look = "not there" if key == wrong else known[key]
        return answer(request, f'{{"look": "{look}"}}')

    with LlmServer(script) as server:
        done = vision.check(folder, server)
        assert (done.status, done.err) == (0, "")
        assert "10 questions about 5 images" in done.out
        assert done.out.endswith("90.0% agree\n")
        assert server.seen.total() == 10
    proof = saber.check(folder)
    assert (proof.status, proof.err) == (0, "")
    assert "vision.jsonl" in runs.files(folder)


def digest(image: Image.Image) -> str:
    """Of the pixels, whatever the format."""
    return hashlib.sha256(image.convert("RGB").tobytes()).hexdigest()
