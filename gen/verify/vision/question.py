"""What a vision model is asked: a forced choice for each object of an image.

The options are the object's true look, the looks of at most three other objects of the image,
that it looks otherwise, and that it is not there. So a right answer takes the binding: every look
that is offered can be seen, but on another object.
"""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict
from pydantic_core import to_json

from gen.base.chat.backend import Answer, Request
from gen.base.chat.parse import read
from gen.base.draws import Draws
from gen.base.templates import environment
from gen.verify.images import decoded

NONE, MISSING = "none of these", "not there"
OTHERS = 3
"""Looks of other objects that are offered, at most."""


class Question(NamedTuple):
    """One object of one image."""

    row: str
    n: int
    """Objects in the image."""
    object: str
    attribute: str
    look: str
    """The instantiation of the attribute: the right answer."""
    options: tuple[str, ...]
    prompt: str
    key: str
    """BLAKE2b of all that an answer depends on, 128 bits: model, sampling, image, prompt."""

    def request(self, image: str) -> Request:
        """The request, with the image as a data URL before the text: many questions share it."""
        parts: list[dict[str, Any]] = [
            {"type": "image_url", "image_url": {"url": image}},
            {"type": "text", "text": self.prompt},
        ]
        choice = {"type": "string", "enum": list(self.options)}
        schema = {
            "type": "object",
            "properties": {"look": choice},
            "required": ["look"],
            "additionalProperties": False,
        }
        name = f"{self.row}.{self.object.replace(' ', '-')}"
        return Request(name, ({"role": "user", "content": parts},), schema)

    def choice(self, answer: Answer) -> tuple[str | None, str]:
        """(the option that was chosen, or None; then the reason: a key of `parse.CAUSES`)."""
        found = read(answer, _Choice)
        if isinstance(found, str):
            return None, found
        return (found.look, "") if found.look in self.options else (None, "answer_shape")


class _Choice(BaseModel):
    """The answer that is asked for."""

    model_config = ConfigDict(extra="forbid", strict=True)

    look: str


def questions(row: Mapping[str, Any], model: str, sampling: Mapping[str, Any]) -> list[Question]:
    """The questions about a row's image, one for each of its objects.

    Raises:
        ValueError: the row has no image, or makes no sense.
    """
    try:
        looks = dict(zip(row["objects"], row["instantiations"], strict=True))
        digest = hashlib.sha256(row["image"]["bytes"]).hexdigest()
        attributes = dict(zip(row["objects"], row["attributes"], strict=True))
    except (KeyError, TypeError, ValueError):
        raise unusable(row) from None
    if len(set(looks.values())) < len(row["objects"]):
        raise unusable(row)
    found = []
    for name, look in looks.items():
        options = _options(Draws("vision", row["_id"], name), look, looks.values())
        prompt = (
            environment()
            .get_template("saber/vision.j2")
            .render(object=name, options=options, otherwise=NONE, missing=MISSING)
        )
        state = to_json([model, sampling, digest, prompt])
        key = blake2b(state, digest_size=16).hexdigest()
        asked = (row["_id"], len(looks), name, attributes[name], look, options, prompt, key)
        found.append(Question(*asked))
    return found


def _options(draws: Draws, look: str, looks: Iterable[str]) -> tuple[str, ...]:
    """The options in a random order."""
    others = [other for other in looks if other != look]
    chosen = [others[place] for place in draws.shuffled(len(others))[:OTHERS]]
    options = [look, *chosen, NONE, MISSING]
    return tuple(options[place] for place in draws.shuffled(len(options)))


def data_url(row: Mapping[str, Any]) -> str:
    """A row's image as a data URL of a PNG file: llama.cpp's server reads no WebP.

    Raises:
        ValueError: it can't be decoded.
    """
    image = decoded(row["image"]["bytes"])
    if image is None:
        raise unusable(row)
    held = io.BytesIO()
    image.convert("RGB").save(held, "PNG", compress_level=1)
    return f"data:image/png;base64,{base64.b64encode(held.getvalue()).decode()}"


def unusable(row: Mapping[str, Any]) -> ValueError:
    """The error for a row that nothing can be asked about."""
    return ValueError(
        f"row {row.get('_id')!r} or its image makes no sense; prove the folder first: "
        "run python -m gen.verify without --check-with"
    )
