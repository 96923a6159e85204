"""Prompts say what the plan asks and the check enforces.

After a change of a template, look at the difference that this writes:
`python -m pytest tests/triplets/test_prompts.py --update-golden`
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from gen.base.templates import PROMPTS, environment
from gen.triplets import prompts
from gen.triplets.accept import NO_GUIDANCE, Guidance
from gen.triplets.build import build
from gen.triplets.constructions import BY_NAME, CONSTRUCTIONS
from gen.triplets.constructions.base import LINKING
from gen.triplets.constructions.deferred_bind_anaphoric import FIRST, PRONOUNS, SECOND
from gen.triplets.context import Contexts, Opener, Scene, contexts
from gen.triplets.plan import Plan, Slot, make_plan
from gen.triplets.prompts import render, suggestions
from gen.triplets.validate import check_example
from gen.triplets.validate_draft import check_draft
from gen.vocab.triplets import BUILTIN, Vocabulary, load
from schemas.triplets import Draft, Example
from tests.support import ROOT, TESTS

GOLDEN = TESTS / "golden" / "prompts"
SMALL = TESTS / "data" / "vocab_small"
NAMES = [construction.name for construction in CONSTRUCTIONS]

HARBOR = Plan(
    slot=Slot("pair_swap", 0),
    attempt=0,
    seed=1,
    setting="fishing_village",
    scene="below the seawall",
    time="dawn",
    weather="rain",
    register="auction listing",
    opener="place",
    band=(16, 22),
    window=(3, 6),
    distractors=2,
    choice=0,
    order=(1, 0),
)
GUIDANCE = Guidance(
    avoid=("red", "lantern", "old", "tiny", "kettle"),
    banned=frozenset({"old", "bench"}),
    uses=Counter({"red": 3, "blue": 1, "old": 9, "huge": 2}),
)
CASES: dict[str, tuple[Plan, Guidance]] = {
    **dict.fromkeys(NAMES, (HARBOR, GUIDANCE)),
    "triple_bind_cycle": (
        replace(HARBOR, band=(27, 34), window=(7, 13), distractors=0, order=(2, 0, 1)),
        GUIDANCE,
    ),
    "triple_bind_swap": (
        replace(HARBOR, band=(12, 17), window=(0, 2), distractors=0, order=(0, 1, 2), time=None),
        GUIDANCE,
    ),
    "attr_bundle": (
        replace(HARBOR, band=(31, 42), window=(14, 26), distractors=0, opener="question"),
        GUIDANCE,
    ),
    "predicative": (replace(HARBOR, band=(23, 30), distractors=1, weather=None), GUIDANCE),
    "deferred_bind_anaphoric": (replace(HARBOR, choice=1, distractors=0), GUIDANCE),
    "deferred_bind_respective": (replace(HARBOR, distractors=3, time=None), NO_GUIDANCE),
}


@pytest.fixture(scope="module")
def small() -> Vocabulary:
    return load(SMALL)


@pytest.fixture
def fixed_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Openers of the test's own, so that golden files do not move with gen/triplets/context."""
    openers = {
        "place": Opener("place", 0, "begin with where it happens", "scene"),
        "question": Opener("question", 4, "begin with a short question"),
    }
    scenes = {HARBOR.scene: Scene(HARBOR.setting, HARBOR.scene, False, frozenset())}
    monkeypatch.setattr(prompts, "contexts", lambda: Contexts({}, scenes, {}, {}, {}, openers))


def plan_of(name: str) -> Plan:
    return replace(CASES[name][0], slot=Slot(name, 0))


# What is sent, word for word.


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("fixed_hints")
def test_prompt_is_the_golden_one(name: str, small: Vocabulary, update_golden: bool) -> None:
    path = GOLDEN / f"{name}.txt"
    prompt = render(plan_of(name), CASES[name][1], small)
    if update_golden:
        path.write_text(prompt + "\n")
    assert prompt + "\n" == path.read_text()


def test_golden_files_are_of_the_constructions() -> None:
    assert {path.stem for path in GOLDEN.glob("*")} == set(NAMES)


def test_prompt_is_clean_text(small: Vocabulary) -> None:
    for name in NAMES:
        for case in (CASES[name][0], replace(CASES[name][0], time=None, weather=None)):
            for guidance in (GUIDANCE, NO_GUIDANCE):
                prompt = render(replace(case, slot=Slot(name, 0)), guidance, small)
                assert not re.search(r"[ \t]$|\n\n\n|[{]%|\{\{|\bNone\b", prompt, re.MULTILINE)
                assert prompt == prompt.strip()


# Templates.


def test_every_construction_has_a_template_and_every_template_a_construction() -> None:
    assert {path.name for path in (PROMPTS / "constructions").iterdir()} == {
        f"{name}.j2" for name in NAMES
    }


@pytest.mark.parametrize("name", NAMES)
def test_template_opens_with_the_rule_in_words(name: str) -> None:
    text = (PROMPTS / "constructions" / f"{name}.j2").read_text()
    assert text.startswith(f"{{# {name}. The check enforces: ")


def test_undefined_name_raises() -> None:
    with pytest.raises(UndefinedError, match="'regsiter' is undefined"):
        environment().from_string("- Register: {{ regsiter }}.").render(register="memoir")


def test_importing_the_module_does_not_import_jinja2() -> None:
    code = "import sys, gen.triplets.prompts; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


@pytest.mark.parametrize("name", NAMES)
def test_fixed_part_comes_first(name: str, small: Vocabulary) -> None:
    """The part that a prefix cache keeps is most of the prompt, long lists included."""
    words = tuple(f"avoided{number}" for number in range(140))
    first = render(make_plan(1, Slot(name, 0), 0), Guidance(words, frozenset(words[:5])), small)
    other = render(make_plan(2, Slot(name, 9), 1), Guidance(words[::-1]), small)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, other, strict=False))
    shared = "".join(character for character, _ in same)
    assert len(shared) >= 0.6 * min(len(first), len(other))
    assert "YOUR REQUEST\n- Length: " in shared


# The worked example keeps its own promises.


@pytest.mark.parametrize("folder", [SMALL, BUILTIN], ids=["small", "builtin"])
@pytest.mark.parametrize("name", NAMES)
def test_worked_example_passes_every_check(name: str, folder: Path) -> None:
    prompt = render(plan_of(name), NO_GUIDANCE, load(SMALL))
    example = prompt[prompt.index("\nEXAMPLE") : prompt.index("\nYOUR REQUEST")]
    (line,) = re.findall(r"^\{.*\}$", example, re.MULTILINE)
    length, distance = re.findall(r"(\d+) to (\d+) words", example)
    band = (int(length[0]), int(length[1]))
    window = (int(distance[0]), int(distance[1]))
    construction, vocabulary = BY_NAME[name], load(folder)
    assert band in construction.bands[construction.shortest :]
    assert window in construction.windows

    draft = Draft.model_validate_json(line)
    assert check_draft(draft, construction, vocabulary) is None
    for choice in range(construction.choices):
        plan = replace(plan_of(name), band=band, window=window, choice=choice)
        row = build(plan, draft, "prompt", vocabulary)
        assert isinstance(row, Example), row
        described = "the object mentioned second, then" in example
        if name == "deferred_bind_anaphoric" and choice != int(described):
            assert check_example(row, vocabulary, choice) == "description_order"
            continue
        assert check_example(row, vocabulary, choice) is None
        assert f"Why it is right: {row.words} words;" in example
        assert re.search(rf"\b(distance is|stands?) {row.distance}\b", example)
    asked = int(match[1]) if (match := re.search(r"(\d) distractor", example)) else 0
    assert len(draft.distractors) == asked


@pytest.mark.parametrize("name", NAMES)
def test_answer_has_the_fields_of_the_schema(name: str, small: Vocabulary) -> None:
    """Templates show distractors as pairs; the schema that servers enforce must agree."""
    prompt = render(plan_of(name), NO_GUIDANCE, small)
    assert re.findall(r'^- "(\w+)":', prompt, re.MULTILINE) == list(Draft.model_fields)
    assert Draft.model_json_schema()["$defs"]["Distractor"]["type"] == "array"


def test_templates_name_the_words_that_the_checks_know(small: Vocabulary) -> None:
    """A word list in a template must not drift from the one in the check."""
    prompt = render(plan_of("deferred_bind_anaphoric"), NO_GUIDANCE, small)
    pronouns = re.search(r"The words (.*) occur nowhere", prompt)
    reserved = re.search(r"Use the words (.*) for nothing else", prompt)
    verbs = re.search(
        r"Use a form of be, (.*)\.", render(plan_of("predicative"), NO_GUIDANCE, small)
    )
    assert pronouns
    assert reserved
    assert verbs
    assert set(listed(pronouns[1])) == PRONOUNS
    simple = {word for word in FIRST | SECOND if "-" not in word}
    assert set(listed(reserved[1])) == simple | {"other"}
    assert set(listed(verbs[1])) <= LINKING


def listed(text: str) -> list[str]:
    """The items of `a, b and c`."""
    return re.split(r", | and | or ", text)


# The request says what the plan says.


def request(plan: Plan, guidance: Guidance, vocabulary: Vocabulary) -> str:
    """The variable part of a prompt."""
    return render(plan, guidance, vocabulary).partition("\nYOUR REQUEST\n")[2]


@pytest.mark.parametrize("name", NAMES)
def test_request_states_every_property_of_the_plan(name: str, small: Vocabulary) -> None:
    for index in range(40):
        plan = make_plan(3, Slot(name, index), 0)
        lines = request(plan, NO_GUIDANCE, small).splitlines()
        assert "- Length: {} to {} words.".format(*plan.band) in lines
        assert "- Distance: {} to {} words.".format(*plan.window) in lines
        assert f"- Scene: {plan.scene} ({plan.setting.replace('_', ' ')})." in lines
        assert f"- Register: {plan.register}." in lines
        assert f"- Opening: {contexts().openers[plan.opener].hint}." in lines
        assert (f"- Time of day: {plan.time}." in lines) == (plan.time is not None)
        assert (f"- Weather: {plan.weather}." in lines) == (plan.weather is not None)
        count = f"- Distractors: {plan.distractors or 'none'}."
        assert (count in lines) == BY_NAME[name].distractors


@pytest.mark.parametrize(("choice", "order"), [(0, "first, then"), (1, "second, then")])
def test_order_of_description_follows_the_choice(
    choice: int, order: str, small: Vocabulary
) -> None:
    plan = replace(plan_of("deferred_bind_anaphoric"), choice=choice)
    line = f"- Order of description: the object mentioned {order}"
    assert line in request(plan, NO_GUIDANCE, small)


def test_no_list_contradicts_another(small: Vocabulary) -> None:
    text = request(plan_of("pair_swap"), GUIDANCE, small)
    lists = {
        line.partition(":")[0]: re.findall(r"\w+", line.partition(":")[2])
        for line in text.splitlines()
        if line.startswith(("- Overused", "- Banned", "  "))
    }
    assert len(lists) == 5
    seen = Counter(word for found in lists.values() for word in found)
    assert max(seen.values()) == 1
    assert {"lantern", "kettle", "old", "bench", "tiny"} <= set(seen)


def test_empty_lists_leave_no_line(small: Vocabulary) -> None:
    text = request(plan_of("pair_swap"), NO_GUIDANCE, small)
    assert "Overused" not in text
    assert "Banned" not in text
    every = frozenset(small.family_of)
    assert "Little-used" not in request(plan_of("pair_swap"), Guidance(banned=every), small)


# Suggestions.


def test_suggestions_are_the_least_used_below_the_cap(small: Vocabulary) -> None:
    uses: Counter[str] = Counter(dict.fromkeys(small.family_of, 5))
    uses.update({"huge": -4, "tiny": -3, "red": -5})
    guidance = Guidance(banned=frozenset({"red", "old"}), uses=uses)
    for index in range(50):
        found = suggestions(make_plan(1, Slot("pair_swap", index), 0), guidance, small, 2)
        assert found["size"] == ["huge", "tiny"]
        assert set(found) == set(small.families)
        for family, attributes in found.items():
            assert len(attributes) == 2
            assert set(attributes) <= set(small.families[family].words) - guidance.banned


def test_suggestions_with_equal_uses_differ_between_plans_and_cover_the_family(
    small: Vocabulary,
) -> None:
    drawn: Counter[str] = Counter()
    orders = set()
    for index in range(400):
        found = suggestions(make_plan(1, Slot("pair_swap", index), 0), NO_GUIDANCE, small, 2)
        drawn.update(found["natural_color"])
        orders.add(tuple(found))
    assert len(orders) == 6, "the order of the families is drawn too"
    assert set(drawn) == set(small.families["natural_color"].words)
    assert min(drawn.values()) > 90  # 133 expected, standard deviation 9


def test_suggestions_are_a_function_of_the_plan(small: Vocabulary) -> None:
    plan = make_plan(1, Slot("pair_swap", 0), 0)
    assert suggestions(plan, GUIDANCE, small) == suggestions(plan, GUIDANCE, load(SMALL))
    assert list(GUIDANCE.uses) == ["red", "blue", "old", "huge"], "counts are only read"


def test_family_at_its_cap_is_left_out(small: Vocabulary) -> None:
    guidance = Guidance(banned=frozenset(small.families["size"].words))
    assert "size" not in suggestions(plan_of("pair_swap"), guidance, small)


def test_suggestions_suit_the_objects_of_the_scene() -> None:
    """Each is plausible for a tenth of the nouns that may be met there, by plain counting."""
    vocabulary = load()
    for index in range(60):
        plan = make_plan(1, Slot("pair_swap", index), 0)
        classes = contexts().scenes[plan.scene].classes
        met = [noun for name in classes for noun in vocabulary.classes[name].words]
        offered = suggestions(plan, NO_GUIDANCE, vocabulary)
        assert len(offered) >= 8
        for word in (word for words in offered.values() for word in words):
            assert sum(bool(vocabulary.fits(word, noun)) for noun in met) >= len(met) / 10, word


def test_classes_that_a_vocabulary_lacks_are_passed_over() -> None:
    """The small vocabulary has two of the classes that scenes name; where neither is, all suits."""
    small = load(SMALL)
    families = {**small.compatibility.families, "furniture": ("size",)}
    rules = replace(small.compatibility, families=families)
    vocabulary = replace(small, compatibility=rules, digest="another")
    some = next(
        s for s in contexts().scenes.values() if s.classes & small.classes.keys() == {"furniture"}
    )
    none = next(s for s in contexts().scenes.values() if s.classes.isdisjoint(small.classes))
    found = [
        suggestions(replace(HARBOR, scene=scene.text), NO_GUIDANCE, vocabulary)
        for scene in (some, none)
    ]
    assert [set(families) for families in found] == [{"size"}, set(small.families)]
