"""Datasets of images and a vision model for tests: both know the same small world.

An image has a column of pixels for each of `OBJECTS`, in the color of its look, and gray ones for
those that are not there. `Eyes` is a script for the tests' language-model server: it decodes the
image of a request and answers from its pixels, as a model would that never errs.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from gen.base.files import describe, write_manifest
from gen.verify import __main__ as verify
from schemas.manifest import File, Manifest
from schemas.saber import schema
from tests.support import runs
from tests.support.llm_script import Action, Request, answer
from tests.support.llm_server import LlmServer

MODEL = "eyes"
OBJECTS = "cube kite teapot kayak cannon cherry".split()
LOOKS = {"red": "#f00", "icy": "#0ff", "dark-brown wooden": "#410", "glass": "#fff", "lava": "#f80"}
ATTRIBUTES = {"red": "red", "icy": "icy", "wooden": "dark-brown wooden", "glass": "glass"} | {
    "lava": "lava"
}
NOTHING, STRANGE = "#888", "#123"

Row = dict[str, Any]
Shown = Mapping[str, str]
"""What an image shows: the attribute of each object."""


class Asked(NamedTuple):
    """What a request asks."""

    object: str
    options: list[str]
    image: Image.Image

    @classmethod
    def of(cls, request: Request) -> Asked:
        """Read a request as a server does; fails where it is not what a server expects."""
        body = request.body
        [message] = body["messages"]
        first, second = message["content"]
        assert (message["role"], first["type"], second["type"]) == ("user", "image_url", "text")
        kind, _, data = first["image_url"]["url"].partition(",")
        assert kind == "data:image/png;base64"
        image = Image.open(io.BytesIO(base64.b64decode(data, validate=True)))
        assert image.format == "PNG"
        found = re.search(r"Object: (.+)\nOptions:\n((?:- .+\n?)+)$", second["text"])
        assert found
        options = [line.removeprefix("- ") for line in found[2].splitlines()]
        assert body["response_format"]["json_schema"]["schema"] == {
            "type": "object",
            "properties": {"look": {"type": "string", "enum": options}},
            "required": ["look"],
            "additionalProperties": False,
        }
        return cls(found[1], options, image)


class Eyes:
    """The vision model: says what it sees."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> Action:
        """Answer by the color of the object's column."""
        self.asked.append(request)
        asked = Asked.of(request)
        return answer(request, f'{{"look": "{self.sees(asked)}"}}')

    def sees(self, asked: Asked) -> str:
        """The option that fits the pixels."""
        pixel = asked.image.getpixel((OBJECTS.index(asked.object), 0))
        if pixel == rgb(NOTHING):
            return "not there"
        colors = {rgb(color): look for look, color in LOOKS.items()}
        look = colors.get(pixel, "") if isinstance(pixel, tuple) else ""
        return look if look in asked.options else "none of these"


def rgb(color: str) -> tuple[int, ...]:
    return tuple(17 * int(digit, 16) for digit in color[1:])


def picture(shown: Shown) -> bytes:
    """An image; an attribute that is none of `ATTRIBUTES` has a strange color."""
    image = Image.new("RGB", (len(OBJECTS), 4), NOTHING)
    for name, attribute in shown.items():
        color = LOOKS[ATTRIBUTES[attribute]] if attribute in ATTRIBUTES else STRANGE
        image.paste(color, (OBJECTS.index(name), 0, OBJECTS.index(name) + 1, 4))
    held = io.BytesIO()
    image.save(held, "WEBP", lossless=True)
    return held.getvalue()


def row(name: str, said: Shown, shown: Shown | None = None) -> Row:
    """A row that says what its image shows, unless something else is shown."""
    return {
        "_id": name,
        "text": "",
        "generation_text": "",
        "image": {"bytes": picture(said if shown is None else shown), "path": None},
        "objects": list(said),
        "attributes": list(said.values()),
        "instantiations": [ATTRIBUTES[attribute] for attribute in said.values()],
    }


PAIR: Shown = {"cube": "red", "kite": "icy"}
MANY: Shown = dict(zip(OBJECTS, ATTRIBUTES, strict=False))


def good_rows() -> tuple[list[Row], list[Row]]:
    """Two queries and eight candidates: 35 objects."""
    queries = [row("independent-n02-00000", PAIR), row("independent-n05-00000", MANY)]
    shown = (PAIR, MANY)
    corpus = [
        row(f"{query['_id']}-c{place}", pairs)
        for query, pairs in zip(queries, shown, strict=True)
        for place in range(4)
    ]
    return queries, corpus


QUESTIONS = 35


def write(folder: Path, queries: Sequence[Row], corpus: Sequence[Row], **config: object) -> Path:
    """A dataset of these rows: as much of one as the vision check reads."""
    files: dict[str, File] = {}
    for name, rows in (("queries", queries), ("corpus", corpus)):
        path = folder / name / "test-00000-of-00001.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        records = [{"n": None, "subset": "", "chain": None, "kind": "", **row} for row in rows]
        pq.write_table(pa.Table.from_pylist(records, schema(name)), path)
        files[f"{name}/{path.name}"] = describe(path, len(rows))
    summary = Manifest(
        dataset="saber",
        generator="",
        commit=None,
        config={"images": "render", **config},
        requested=1,
        examples=1,
        constructions={},
        splits={},
        attempts=1,
        rejections={},
        vocabulary={},
        files=files,
    )
    write_manifest(folder, summary)
    return folder


def flags(folder: Path, *servers: LlmServer, **settings: object) -> list[object]:
    """Arguments of a check; `check_sample=1` is --check-sample 1."""
    url = ",".join(server.base_url for server in servers)
    given = {"check-with": MODEL, "base-url": url}
    given |= {name.replace("_", "-"): value for name, value in settings.items()}
    return [folder, *runs.arguments(given)]


def check(folder: Path, *servers: LlmServer, **settings: object) -> runs.Done:
    """The command within this process."""
    return runs.cli(verify.main, *flags(folder, *servers, **settings))
