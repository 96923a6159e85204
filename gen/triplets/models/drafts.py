"""The draft that a model is asked for, and the one that its answer holds."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from gen.base.chat.backend import Answer
from gen.base.chat.parse import read
from gen.triplets.constructions import Construction
from schemas.triplets import Draft, Rejected


class _Asked(BaseModel):
    """The answer that is asked for: a `Draft` in the plain lists that every server takes."""

    model_config = ConfigDict(extra="forbid")

    objects: list[str]
    attributes: list[list[str]]
    positive: str
    distractors: list[list[str]]


@lru_cache(maxsize=16)
def schema(construction: Construction) -> dict[str, Any]:
    """The JSON schema of a construction's answer: flat, every field required.

    It bounds how many objects and attributes there are. Lengths of strings are left to
    validation: with them some servers let raw control characters through.
    """
    asked = _Asked.model_json_schema()
    asked.pop("description")
    fields = asked["properties"]
    _bound(fields["objects"], construction.pairs)
    _bound(fields["attributes"], construction.pairs)
    _bound(fields["attributes"]["items"], construction.attributes)
    _bound(fields["distractors"]["items"], 2)
    if not construction.distractors:
        fields["distractors"]["maxItems"] = 0
    return asked


def _bound(field: dict[str, Any], items: int) -> None:
    field["minItems"] = field["maxItems"] = items


def parse(answer: Answer) -> Draft | Rejected:
    """The draft that an answer holds, or the reason why it holds none (a key of `CAUSES`)."""
    found = read(answer, Draft)
    return found if isinstance(found, Draft) else Rejected(found)
