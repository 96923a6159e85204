"""From a model's answer to a draft, or to the reason why it is none."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from gen.constructions import Construction
from gen.llm.backend import Answer
from schemas.triplets import Draft

CAUSES = {
    "answer_refused": "the model refuses, or a content filter stops it; try another model",
    "answer_blank": "the model loops in white space; start the server with disable_any_whitespace "
    "(vLLM: --structured-outputs-config "
    '\'{"backend":"xgrammar","disable_any_whitespace":true}\')',
    "answer_cut_off": "answers end at max_tokens; raise it with "
    "--sampling '{\"max_tokens\": 2048}', or turn the model's thinking off",
    "answer_empty": "answers have no text; the model may think only, turn that off",
    "answer_fenced": "the server ignores response_format (JSON in code fences); use one that "
    "constrains its output: vLLM, llama.cpp, SGLang, OpenAI",
    "answer_prose": "the server ignores response_format (prose around JSON); use one that "
    "constrains its output: vLLM, llama.cpp, SGLang, OpenAI",
    "answer_not_json": "the server ignores response_format, or its JSON is broken; use one that "
    "constrains its output: vLLM, llama.cpp, SGLang, OpenAI",
    "answer_shape": "answers are JSON of another shape: the server ignores json_schema; use one "
    "that constrains its output: vLLM, llama.cpp, SGLang, OpenAI",
}
"""Why an answer is not of the shape that was asked for, and the likely cause when nearly all are
not."""

S = TypeVar("S", bound=BaseModel)

_LOOP = re.compile(r"\s{200}")
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


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


def parse(answer: Answer) -> Draft | str:
    """The draft that an answer holds, or the reason why it holds none (a key of `CAUSES`)."""
    return read(answer, Draft)


def read(answer: Answer, shape: type[S]) -> S | str:
    """What an answer holds, or the reason why it is not of that shape (a key of `CAUSES`).

    Nothing around the JSON is forgiven: a server that lets it through does not constrain
    its model, and what it sends next may be half right in ways that no one sees.
    """
    if answer.finish in ("refusal", "content_filter"):
        return "answer_refused"
    text = answer.text
    try:
        return shape.model_validate_json(text)
    except ValidationError as error:
        if error.errors(include_url=False)[0]["type"] != "json_invalid":
            return "answer_shape"
    if _LOOP.search(text):
        return "answer_blank"
    if not text.strip():
        return "answer_empty"
    if answer.finish == "length":
        return "answer_cut_off"
    if "```" in text:
        return "answer_fenced"
    inner = _OBJECT.search(text)
    return "answer_prose" if inner and inner.group() != text.strip() else "answer_not_json"
