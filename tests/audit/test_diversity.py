"""The audit of diversity: each kind of repetition that is planted is found, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from gen.audit.config import AuditConfig
from gen.audit.data import Data, Pair, example_pairs
from gen.audit.result import Result
from gen.audit.variety import diversity
from gen.triplets.accept import Acceptor, claim
from gen.triplets.context import PLAIN
from schemas.audit import Finding
from schemas.triplets import Example
from tests.support.written import Sample

CONFIG = AuditConfig(folder=Path("data"))


@pytest.fixture(scope="module")
def examples(written: Sample) -> list[Example]:
    """Some 1,000 rows that the acceptor took."""
    acceptor = Acceptor()
    rows = [row.example for row in written.good[:1000]]
    return [row for row in rows if acceptor.offer(claim(row)) is None]


def audited(examples: Sequence[Example]) -> Data:
    pairs = tuple(pair for example in examples for pair in example_pairs(example))
    return Data("own", Path("own"), "binding-triplets", "", pairs, tuple(examples))


def failing(result: Result) -> set[str]:
    return {f"{one.check} {one.group}" for one in result.findings if not one.passed}


def one(result: Result, check: str, group: str = "all") -> Finding:
    [finding] = [one for one in result.findings if (one.check, one.group) == (check, group)]
    return finding


def test_what_the_grammar_writes_passes(examples: list[Example]) -> None:
    result = diversity.check(audited(examples), CONFIG)
    assert not failing(result)
    assert not result.flagged
    assert one(result, "coverage", "what=register").bound == 1
    assert one(result, "coverage", "what=scene").bound is None  # 1,000 rows for 1,000 scenes


def test_a_repeated_caption_is_found(examples: list[Example]) -> None:
    twin = examples[0]._replace(id="twin", positive=examples[0].positive.upper())
    result = diversity.check(audited([*examples, twin]), CONFIG)
    assert failing(result) == {"distinct_captions all"}
    assert {row.id for row in result.flagged} == {examples[0].id, "twin"}
    assert examples[0].id in result.flagged[-1].why


def test_captions_with_a_word_or_two_replaced_are_found(examples: list[Example]) -> None:
    copies = [
        row._replace(id=f"copy-{row.id}", positive=f"{row.positive} Really.")
        for row in examples[:30]
    ]
    result = diversity.check(audited([*examples, *copies]), CONFIG)
    assert "near_duplicates all" in failing(result)
    assert one(result, "near_duplicates").value == pytest.approx(60 / (len(examples) + 30))
    assert len(result.flagged) == diversity.SHOWN


def test_templates_are_found_whatever_fills_them(examples: list[Example]) -> None:
    templated = []
    for row in examples:
        listed = " and ".join(
            f"a {' '.join(words)} {noun}"
            for words, noun in zip(row.attributes, row.objects, strict=True)
        )
        templated.append(
            row._replace(positive=f"There is {listed} on the wooden table.", distractors=())
        )
    result = diversity.check(audited(templated), CONFIG)
    assert failing(result) >= {"skeletons all", "near_skeletons all", "commonest_run all"}
    assert "on the wooden table" in one(result, "commonest_run").note


def test_a_word_above_its_cap_is_found(examples: list[Example]) -> None:
    own = [row for row in examples if row.construction == "pair_swap"]
    often = [row._replace(objects=("anvil", row.objects[1])) for row in own[:11]]
    result = diversity.check(audited([*often, *own[11:]]), CONFIG)
    found = one(result, "largest_share", "construction=pair_swap")
    assert not found.passed
    assert found.value >= 11 / len(own)
    assert "'anvil'" in found.note


def test_what_is_never_used_is_found(examples: list[Example]) -> None:
    register, opener = next((row.register, row.opener) for row in examples if row.register != PLAIN)
    left = [row for row in examples if row.register != register and row.opener != opener]
    result = diversity.check(audited(left), CONFIG)
    found = {name for name in failing(result) if name.startswith("coverage")}
    assert found == {"coverage what=register", "coverage what=opener"}
    assert one(result, "coverage", "what=register").value == 32 / 33


def test_a_band_or_a_window_that_is_never_used_is_found(examples: list[Example]) -> None:
    moved = [row._replace(length_band="31-42", distance_window="0-2") for row in examples]
    result = diversity.check(audited([row for row in moved if len(row.objects) == 2]), CONFIG)
    found = {"coverage what=length_band", "coverage what=distance_window"}
    assert found <= failing(result)
    assert one(result, "evenness", "what=distance_window").value < 0.6


def test_names_of_another_version_are_said_and_not_judged(examples: list[Example]) -> None:
    renamed = [row._replace(register="Telegram") for row in examples[:1]]
    found = one(
        diversity.check(audited([*renamed, *examples[1:]]), CONFIG), "coverage", "what=register"
    )
    assert found.bound is None
    assert found.value == 1
    assert "1 examples have another" in found.note


def test_templates_are_found_in_a_file_of_pairs_too() -> None:
    colors, things = "red blue green black white".split(), "cup book lamp coat shoe drum".split()
    pairs = [
        Pair(
            f"A {one} {thing} on a {other} chair.",
            f"A {other} {thing} on a {one} chair.",
            None,
            f"{one}-{other}-{thing}",
            "",
            "",
        )
        for thing in things
        for one in colors
        for other in colors
        if one != other
    ]
    data = Data("pairs.csv", Path("pairs.csv"), "pairs", "", tuple(pairs))
    result = diversity.check(data, CONFIG)
    assert "skeletons all" in failing(result)
    assert one(result, "skeletons").value == len(things) / len(pairs)


def test_figures_of_saber_describe(examples: list[Example]) -> None:
    data = audited(examples)
    saber = Data("s", data.path, "saber", "", tuple(pair for pair in data.pairs for _ in "ab"))
    assert all(finding.bound is None for finding in diversity.check(saber, CONFIG).findings)


def test_two_datasets_are_measured_over_as_much_text(
    examples: list[Example], tmp_path: Path
) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    other = tmp_path / "own"
    other.write_text(
        "\n".join(f"There is a sign that says {n} in tall letters on it." for n in range(500))
    )
    config = AuditConfig(folder=Path("own"), against=other)
    result = diversity.check(audited(examples), config)
    [theirs] = [row for row in result.findings if row.group == f"dataset={other}"][1:2]
    ours = one(result, theirs.check, "dataset=own")
    assert theirs.check == "gzip_ratio"
    assert theirs.value > 2 * ours.value
    assert ours.n == theirs.n == 500
    assert ours.note == theirs.note
    assert one(result, "near_duplicates", f"dataset={other}").value == 1
    axes = Figure().add_subplot()
    result.plots[0].draw(axes)
    assert [line.get_label() for line in axes.get_lines()] == ["own", str(other)]
