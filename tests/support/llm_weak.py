"""What weak models and strange servers answer, ready-made; `tests.support.llm_server` sends it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.support.llm_script import Action, Request, answer, drop


def _changed(text: str, **changes: Any) -> str:
    """A draft with other values in some fields."""
    return json.dumps({**json.loads(text), **changes})


def _without(text: str, field: str) -> str:
    """A draft without one of its fields."""
    return json.dumps({name: value for name, value in json.loads(text).items() if name != field})


WEAK: dict[str, Callable[[Request, str], Action]] = {
    "fenced": lambda r, text: answer(r, f"```json\n{text}\n```"),
    "prose_around": lambda r, text: answer(r, f"Sure, here it is:\n\n{text}\n\nAnything else?"),
    "prose": lambda r, text: answer(r, json.loads(text)["positive"]),
    "cut_off": lambda r, text: answer(r, text[: len(text) // 2], "length"),
    "broken": lambda r, text: answer(r, text[: len(text) // 2]),
    "white_space": lambda r, text: answer(r, text[:1] + " \n" * 2000, "length"),
    "empty": lambda r, text: answer(r, ""),
    "no_text": lambda r, text: answer(r, None),
    "refusal": lambda r, text: answer(r, None, refusal="I can't help with that."),
    "content_filter": lambda r, text: answer(r, "", "content_filter"),
    "list": lambda r, text: answer(r, f"[{text}]"),
    "nested": lambda r, text: answer(r, f'{{"answer": {text}}}'),
    "extra_key": lambda r, text: answer(r, _changed(text, reasoning="Both objects suit.")),
    "missing_key": lambda r, text: answer(r, _without(text, "positive")),
    "wrong_type": lambda r, text: answer(r, _changed(text, objects="a banner and a flag")),
    "nulls": lambda r, text: answer(r, _changed(text, attributes=[None, None], positive=None)),
    "control_character": lambda r, text: answer(r, text.replace(" ", "\n\x01", 1)),
    "escaped_surrogate": lambda r, text: answer(r, text.replace(" ", " \\ud800", 1)),
    "lone_surrogate": lambda r, text: answer(r, text.replace(" ", " \ud800", 1)),
}
"""What weak models make of a draft, by name: from the request and the draft as JSON."""


def _raw(body: str, content_type: str = "application/json") -> Action:
    return Action(body.encode(), headers=(("Content-Type", content_type),))


BODIES: dict[str, Action] = {
    "html": _raw("<html><body><h1>Welcome</h1></body></html>", "text/html"),
    "html_502": Action(b"<html>Bad Gateway</html>", 502, (("Content-Type", "text/html"),)),
    "truncated": _raw('{"id": "x", "object": "chat.completion", "choices": [{"ind'),
    "empty": _raw(""),
    "null": _raw("null"),
    "list": _raw("[]"),
    "other_shape": _raw('{"text": "a draft", "done": true}'),
    "no_choices": _raw('{"id": "x", "object": "chat.completion", "choices": []}'),
    "null_message": _raw(
        '{"id": "x", "object": "chat.completion", "choices": [{"message": null}]}'
    ),
    "error_in_200": _raw('{"error": {"message": "out of memory", "code": 500}}'),
    "no_byte": drop(Action(b"")),
    "half_a_body": drop(_raw('{"id": "x", "object": "chat.completion"}'), 0.9),
}
"""Responses that are no chat completion, by name."""
