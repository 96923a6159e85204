"""From a model's answer to the shape that was asked for, or to the reason why it has none."""

from __future__ import annotations

import re
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from gen.base.chat.backend import Answer

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
