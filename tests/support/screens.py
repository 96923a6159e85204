"""Folders to screen, with images painted by hand, and a server of the page within this process."""

from __future__ import annotations

import hashlib
import http.client
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any, Literal, NamedTuple

from PIL import Image

from gen import __version__
from gen.base.folder import RUN
from gen.saber.images.job import Job
from gen.saber.images.store import NAMES, Made, Store
from gen.screen.answers import Answers
from gen.screen.board import Board, Only
from gen.screen.folder import Folder, Item
from gen.screen.redraw import Redrawer
from gen.screen.server import Screen
from gen.vocab.saber import load
from schemas.saber import Question

IDENTITY = {
    "dataset": "saber",
    "version": __version__,
    "seed": 0,
    "sizes": [2, 3],
    "questions_per_size": 2,
    "vocabulary": load().digest,
    "images": "render",
    "variant": "scalar",
    "size": 64,
    "samples": 1,
    "layout": "jitter",
    "renderer": "none",
}
"""Four questions, twenty images."""


class Painter(NamedTuple):
    """A source of images that need no renderer: one color for each image and attempt."""

    layout: Literal["fixed", "jitter"] = "jitter"
    started: Event = Event()
    go: Event | None = None
    """Where there is one, a question waits for it."""

    def identity(self) -> dict[str, Any]:
        return {key: IDENTITY[key] for key in ("images", "variant", "size", "samples", "layout")}

    def attempts(self, rejections: Sequence[int]) -> tuple[int, ...]:
        if self.layout == "fixed":
            return (sum(rejections),) * len(rejections)
        return tuple(rejections)

    def plan(self, jobs: Sequence[Job]) -> str:
        return f"{len(jobs)} to paint"

    def usage(self, store: Store) -> None:
        pass

    def make(self, store: Store, jobs: Sequence[Job]) -> Iterator[int]:
        for job in jobs:
            self.started.set()
            if self.go:
                assert self.go.wait(30)
            for scene in job.missing:
                paint(store, job.question, scene, job.attempts[scene])
            yield len(job.missing)


def paint(store: Store, question: Question, scene: int, attempt: int = 0, side: int = 64) -> None:
    """Put an image into a store, with one object in its middle half."""
    color = hashlib.sha256(f"{question.id} {scene} {attempt}".encode()).digest()[:3]
    held = io.BytesIO()
    Image.new("RGB", (side, side), tuple(color)).save(held, "WEBP", lossless=True)
    quarter, half = side // 4, side // 2
    note = {
        "category_id": 1,
        "look": "red",
        "bbox": [quarter, quarter, half, half],
        "segmentation": {
            "size": [side, side],
            "counts": [quarter * side + quarter, *[half, half] * (half - 1), half],
        },
    }
    store.put(question, scene, attempt, Made(held.getvalue(), None, {"width": side}, [note]))


def empty(out: Path, **changes: object) -> Folder:
    """A run that has no images yet."""
    (out / RUN).mkdir(parents=True)
    (out / RUN / "identity.json").write_text(json.dumps(IDENTITY | changes))
    return Folder.of(out, None)


def painted(out: Path, **changes: object) -> Folder:
    """A run with all images."""
    folder = empty(out, **changes)
    for question in folder.questions:
        for scene in range(len(NAMES)):
            paint(folder.store, question, scene)
    return folder


def digest(folder: Folder, item: Item) -> str:
    """The SHA-256 of an image that is there."""
    found: str = folder.store.record(item.question, item.scene)["sha256"]
    return found


def board(folder: Folder, reviewer: str = "ann", count: int | None = None) -> Board:
    """A board that has looked at its folder."""
    found = Board(folder, folder.items(count), reviewer)
    found.refresh()
    return found


class Answer(NamedTuple):
    """What a server answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        assert self.status == 200, self.body
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode().strip()


class Client:
    """A reviewer's browser, without the browser."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.cookie = f"{screen.cookie}={screen.token}"
        self.own = {"Host": f"127.0.0.1:{screen.server_port}"}

    def ask(
        self,
        path: str,
        method: str = "GET",
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """One request, on a connection of its own; `headers` replace the usual ones."""
        usual = {**self.own, "Cookie": self.cookie, "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self.screen.server_port, timeout=30)
        try:
            connection.request(method, path, body, usual | (headers or {}))
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def decide(self, item: Item, accepted: object, **more: object) -> Answer:
        """Send a decision on the image that is there."""
        sha256 = digest(self.screen.answers.board.folder, item)
        asked = {"id": item.id, "sha256": sha256, "accepted": accepted} | more
        return self.ask("/decide", "POST", json.dumps(asked).encode())


@contextmanager
def serving(
    board: Board, only: Only = "undecided", source: Painter | None = None
) -> Iterator[Client]:
    """A server of a board, on a free port."""
    redrawer = Redrawer(board.folder, lambda: source or Painter())
    screen = Screen(Answers(board, redrawer, only), 0)
    thread = Thread(target=screen.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield Client(screen)
    finally:
        screen.shutdown()
        thread.join()
        screen.server_close()
        redrawer.stop()
