"""An OpenAI-compatible server of images that misbehaves on command: `POST /v1/images/generations`.

    with ImagesServer(paint) as server:
        client = OpenAI(base_url=server.base_url, api_key="none")

Its images are real PNG files, another one for each prompt. In tests it runs in a thread; in the
foreground it is `python -m tests.support.images_server`. A script is a function from a request to
an action (`tests.support.llm_script`), as `paint` is.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import re
import signal
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from PIL import Image, ImageDraw

from tests.support.llm_http import End
from tests.support.llm_script import Action, hang, status
from tests.support.llm_server import ENDINGS, Entry, LlmServer

TOKENS = (600, 1767)
"""Prompt and image tokens of each image."""
LINE = re.compile(r"^\d+\. (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for an image."""

    id: str
    """The header X-Client-Request-Id: `<row>.<attempt>`."""
    seen: int
    """How often this id was asked for before."""
    body: dict[str, Any]
    key: str

    @property
    def row(self) -> str:
        return self.id.partition(".")[0]


def picture(prompt: str, side: int) -> bytes:
    """A PNG of a disk for each object of the prompt, on gray ground; none is like another."""
    image = Image.new("RGB", (side, side), (128, 128, 128))
    draw, random = ImageDraw.Draw(image), Random(prompt)
    for _ in LINE.findall(prompt):
        x, y, size = (random.randrange(side) for _ in range(3))
        color = (random.randrange(256), random.randrange(256), random.randrange(256))
        draw.ellipse((x, y, x + 4 + size // 4, y + 4 + size // 4), color)
    return png(image)


def png(image: Image.Image) -> bytes:
    held = io.BytesIO()
    image.save(held, "PNG")
    return held.getvalue()


def answer(data: bytes | str) -> Action:
    """A response with an image file, or with what is no base64 at all."""
    text = data if isinstance(data, str) else base64.b64encode(data).decode()
    prompt, image = TOKENS
    body = {
        "created": 0,
        "background": "opaque",
        "data": [{"b64_json": text}],
        "output_format": "png",
        "quality": "medium",
        "usage": {
            "input_tokens": prompt,
            "input_tokens_details": {"text_tokens": prompt, "image_tokens": 0},
            "output_tokens": image,
            "total_tokens": prompt + image,
        },
    }
    return Action(json.dumps(body).encode(), headers=(("x-request-id", "req_test"),))


def paint(asked: Asked) -> Action:
    """The honest script."""
    width, height = map(int, asked.body["size"].split("x"))
    assert width == height
    return answer(picture(asked.body["prompt"], width))


def blocked(code: str = "moderation_blocked") -> Action:
    """A refusal by the content filter, in the words of OpenAI's API."""
    message = (
        "Your request was rejected by the safety system. If you believe this is an error, contact "
        "us at help.openai.com and include the request ID req_test. safety_violations=[violence]."
    )
    return error(400, message, "image_generation_user_error", code)


def error(code: int, message: str, kind: str, slug: str | None) -> Action:
    """An error with the fields of OpenAI's API."""
    body = {"error": {"message": message, "type": kind, "param": None, "code": slug}}
    return Action(json.dumps(body).encode(), code, (("x-request-id", "req_test"),))


class ImagesServer(LlmServer):
    """A server in a thread of its own."""

    def __init__(self, painter: Callable[[Asked], Action] = paint, port: int = 0) -> None:
        super().__init__(lambda request: status(404), port)
        self.painter = painter
        self.asked: dict[str, list[Asked]] = defaultdict(list)
        """All requests, by row."""

    @property
    def total(self) -> int:
        return self.seen.total()

    def _handle(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[Action, End]:
        if (method, path) != ("POST", "/v1/images/generations"):
            return self._beside(method, path), lambda how: None
        name = headers.get("x-client-request-id", "unnamed")
        key = headers.get("authorization", "").removeprefix("Bearer ")
        asked = Asked(name, self.seen[name], json.loads(body), key)
        self.asked[asked.row].append(asked)
        self.seen[name] += 1
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        started = time.monotonic()
        try:
            action = self.painter(asked)
        except Exception as failure:
            self._failure = self._failure or failure
            action = Action(b"", cut=0.0)

        def end(how: str) -> None:
            self.in_flight -= 1
            self.entries.append(
                Entry(name, started, time.monotonic() - started, action.status, how)
            )

        return action, end


def faults(asked: Asked) -> Action:
    """Every third request goes wrong, each in another way."""
    good = paint(asked)
    draw = Random(f"{asked.id} {asked.seen}").randrange(24)
    side = int(asked.body["size"].split("x")[0])
    wrong = [
        status(429, "Rate limit reached for images per minute", retry_after="0.05"),
        status(500, "The server had an error"),
        hang(30),
        replace(good, cut=0.6),
        answer("no base64 at all!"),
        blocked(),
        answer(picture("1. small", side // 2)),
        answer(png(Image.new("RGB", (side, side), "gray"))),
    ]
    return wrong[draw] if draw < len(wrong) else good


def main() -> None:
    """Serve in the foreground until a signal comes; then print what was counted."""
    parser = argparse.ArgumentParser(description="A server of images for tests.")
    parser.add_argument("--port", type=int, default=8000, help="0: any free one (8000)")
    parser.add_argument("--latency", type=float, default=1.0, help="seconds to an answer (1)")
    parser.add_argument("--faults", action="store_true", help="429, 500, hangs, refusals, junk")
    options = parser.parse_args()
    script = faults if options.faults else paint
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
    with ImagesServer(
        lambda asked: replace(script(asked), after=options.latency), options.port
    ) as server:
        print(server.base_url, flush=True)
        signal.sigwait(ENDINGS)
    print(json.dumps(server.counts()))


if __name__ == "__main__":
    main()
