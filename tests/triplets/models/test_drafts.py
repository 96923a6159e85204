"""A model's answer is a draft or has a reason that leads to a cause, whatever it says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.base.chat.backend import Answer
from gen.base.chat.parse import CAUSES
from gen.triplets.constructions import CONSTRUCTIONS, Construction
from gen.triplets.models.drafts import parse, schema
from schemas.triplets import Draft, Rejected
from tests.support.generated import Made, any_made
from tests.support.llm_script import Request
from tests.support.llm_weak import WEAK

DRAFT = Draft(
    objects=("flag", "banner"),
    attributes=(("torn",), ("red",)),
    positive="A torn flag hung beside a red banner.",
)
TEXT = DRAFT.model_dump_json()
REQUEST = Request("pair_swap-000012.3", None, 3, round=0, seen=0, arrival=0, raw=b"{}", cached=0)


# --- weak answers -----------------------------------------------------------------------

REASONS = {
    "answer_fenced": "fenced",
    "answer_prose": "prose_around",
    "answer_not_json": "prose broken control_character escaped_surrogate",
    "answer_cut_off": "cut_off",
    "answer_blank": "white_space",
    "answer_empty": "empty no_text",
    "answer_refused": "refusal content_filter",
    "answer_shape": "list nested extra_key missing_key wrong_type nulls",
}
KINDS = {kind: reason for reason, kinds in REASONS.items() for kind in kinds.split()}


def test_every_reason_is_met_and_every_kind_of_weak_answer_has_one() -> None:
    assert set(REASONS) == set(CAUSES)
    assert set(KINDS) == set(WEAK) - {"lone_surrogate"}, "which no response body can hold"


@pytest.mark.parametrize("kind", KINDS)
def test_a_weak_answer_has_its_reason(kind: str) -> None:
    """The choices of the server's own responses, read by hand."""
    choice = json.loads(WEAK[kind](REQUEST, TEXT).body)["choices"][0]
    message = choice["message"]
    finish = "refusal" if message["refusal"] else choice["finish_reason"]
    answer = Answer(message["content"] or message["refusal"] or "", finish)
    assert parse(answer) == Rejected(KINDS[kind])


@pytest.mark.parametrize(
    ("text", "finish", "reason"),
    [
        ("", "length", "answer_empty"),
        (" \n ", "stop", "answer_empty"),
        (" " * 5000, "length", "answer_blank"),
        (TEXT[:-1] + " " * 500, "stop", "answer_blank"),
        (TEXT[:30], "length", "answer_cut_off"),
        (f"```json\n{TEXT[:30]}", "length", "answer_cut_off"),
        (f"```\n{TEXT}\n```", "stop", "answer_fenced"),
        (f"<think>Two objects.</think>{TEXT}", "stop", "answer_prose"),
        (f"{TEXT}\n{TEXT}", "stop", "answer_not_json"),
        (TEXT[:-1], "stop", "answer_not_json"),
        ("I'd rather not.", "stop", "answer_not_json"),
        ("null", "stop", "answer_shape"),
        ("{}", "length", "answer_shape"),
        (TEXT, "refusal", "answer_refused"),
        (TEXT, "content_filter", "answer_refused"),
    ],
)
def test_of_two_reasons_the_one_that_tells_more_is_given(
    text: str, finish: str, reason: str
) -> None:
    assert parse(Answer(text, finish)) == Rejected(reason)


@given(
    st.one_of(
        st.text(st.characters(), max_size=80),  # lone surrogates too
        st.recursive(
            st.one_of(st.none(), st.booleans(), st.floats(), st.text(max_size=5)),
            lambda inner: (
                st.lists(inner) | st.dictionaries(st.sampled_from([*DRAFT.model_fields_set]), inner)
            ),
            max_leaves=12,
        ).map(json.dumps),
        st.builds(
            lambda cut, mark: TEXT[:cut] + mark, st.integers(0, len(TEXT)), st.text(max_size=3)
        ),
    ),
    st.one_of(st.sampled_from(["stop", "length", "refusal", "content_filter", "None"]), st.text()),
)
def test_any_answer_is_a_draft_or_has_a_reason(text: str, finish: str) -> None:
    found = parse(Answer(text, finish))
    assert isinstance(found, Draft) or found.reason in CAUSES


def test_a_cause_says_what_to_do_in_one_line() -> None:
    for reason, cause in CAUSES.items():
        assert reason.startswith("answer_")
        assert "\n" not in cause
        assert re.search("use one|try another|start the server|raise it|turn that off", cause)


# --- good answers -----------------------------------------------------------------------


@st.composite
def spellings(draw: st.DrawFn) -> tuple[Made, str]:
    """A correct draft, and JSON for it: keys in any order, white space, escapes."""
    made = draw(any_made())
    fields = made.draft.model_dump(mode="json")
    keys = draw(st.permutations(sorted(fields)))
    text = json.dumps(
        {key: fields[key] for key in keys}, indent=draw(st.sampled_from([None, 0, 2, "\t"]))
    )
    letters = draw(st.sets(st.sampled_from("aeot-")))  # they stand in strings alone
    text = text.translate({ord(letter): f"\\u{ord(letter):04x}" for letter in letters})
    blank = st.text("\t\n\r ", max_size=300)
    return made, draw(blank) + text + draw(blank)


@given(spellings())
def test_a_correct_draft_parses_in_any_spelling(spelled: tuple[Made, str]) -> None:
    made, text = spelled
    assert parse(Answer(text, "stop")) == made.draft


def test_a_whole_draft_at_the_token_limit_is_a_draft() -> None:
    assert parse(Answer(TEXT, "length")) == DRAFT


# --- the schema -------------------------------------------------------------------------

STRICT = {"type", "properties", "required", "additionalProperties", "items", "title"}
"""What OpenAI's strict mode and every grammar compiler take, besides bounds of lists."""


def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A JSON schema and all schemas in it."""
    yield schema
    for inner in (*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])):
        yield from nodes(inner)


@pytest.mark.parametrize("construction", CONSTRUCTIONS, ids=lambda c: c.name)
def test_the_schema_is_flat_and_strict(construction: Construction) -> None:
    asked = schema(construction)
    assert asked["required"] == list(asked["properties"]) == list(Draft.model_fields)
    assert asked["additionalProperties"] is False
    objects = [node for node in nodes(asked) if node["type"] == "object"]
    assert objects == [asked], "no object inside: no $defs, no $ref"
    for node in nodes(asked):
        lists = {"minItems", "maxItems"} if node["type"] == "array" else set()
        assert set(node) <= STRICT | lists, "above all no length of a string"
    assert json.loads(json.dumps(asked)) == asked


@pytest.mark.parametrize("construction", CONSTRUCTIONS, ids=lambda c: c.name)
def test_the_schema_bounds_what_is_counted(construction: Construction) -> None:
    def bounds(node: dict[str, Any]) -> tuple[int | None, int | None]:
        return node.get("minItems"), node.get("maxItems")

    fields = schema(construction)["properties"]
    pairs, each = construction.pairs, construction.attributes
    assert bounds(fields["objects"]) == bounds(fields["attributes"]) == (pairs, pairs)
    assert bounds(fields["attributes"]["items"]) == (each, each)
    assert bounds(fields["distractors"]["items"]) == (2, 2)
    assert bounds(fields["distractors"]) == (None, None if construction.distractors else 0)


def test_a_construction_has_one_schema_object() -> None:
    """So that what a backend compiles of it can be kept by identity; none changes another's."""
    before = [json.dumps(schema(construction)) for construction in CONSTRUCTIONS]
    for construction in CONSTRUCTIONS:
        assert schema(construction) is schema(construction)
    assert [json.dumps(schema(construction)) for construction in CONSTRUCTIONS] == before


@given(any_made())
def test_a_correct_draft_follows_its_schema(made: Made) -> None:
    construction = next(c for c in CONSTRUCTIONS if c.name == made.plan.slot.construction)
    assert follows(made.draft.model_dump(mode="json"), schema(construction))


def follows(value: Any, node: dict[str, Any]) -> bool:
    """Whether a value follows a schema of the kind that is sent."""
    if node["type"] == "string":
        return isinstance(value, str)
    if node["type"] == "array":
        low, high = node.get("minItems", 0), node.get("maxItems", len(value))
        return low <= len(value) <= high and all(follows(item, node["items"]) for item in value)
    inner = node["properties"]
    return value.keys() == inner.keys() and all(follows(value[key], inner[key]) for key in inner)
