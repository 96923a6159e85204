"""The folder opens with `load_dataset` as the card says, and the card declares what is there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from schemas.triplets import TRIPLET_COLUMNS, Example
from tests.support import runs

pytest.importorskip("datasets")

LOAD = """\
import itertools, json, sys
from datasets import get_dataset_config_names, get_dataset_default_config_name, load_dataset
name = sys.argv[1]
seen = {"names": get_dataset_config_names(name), "default": get_dataset_default_config_name(name)}
for config in (None, "triplets", "examples"):
    loaded = load_dataset(name, config)
    seen[str(config)] = {
        split: {
            "rows": data.to_list(),
            "features": str(data.features),
            "declared": data.info.splits[split].num_examples if data.info.splits else None,
        }
        for split, data in loaded.items()
    }
    seen[f"streamed {config}"] = {
        split: {"rows": list(data), "features": str(data.features)}
        for split, data in load_dataset(name, config, streaming=True).items()
    }
json.dump(seen, open(sys.argv[2], "w"))
"""


def load(folder: Path, name: str, work: Path) -> dict[str, Any]:
    """What a user in the folder's parent gets, offline and with an empty cache."""
    work.mkdir()
    seen = work / "seen.json"
    runs.loading(LOAD, folder, work / "home", name, str(seen))
    found: dict[str, Any] = json.loads(seen.read_text())
    return found


@pytest.fixture(scope="module")
def loaded(baseline: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return load(baseline, baseline.name, tmp_path_factory.mktemp("loading") / "work")


@pytest.fixture(scope="module")
def card(baseline: Path) -> Any:
    from huggingface_hub import DatasetCard

    return DatasetCard.load(baseline / "README.md")


def test_triplets_is_the_default(loaded: dict[str, Any]) -> None:
    assert loaded["names"] == ["triplets", "examples"]
    assert loaded["default"] == "triplets"
    assert loaded["None"] == loaded["triplets"]


@pytest.mark.parametrize("config", ["triplets", "examples"])
def test_every_row_comes_back(loaded: dict[str, Any], baseline: Path, config: str) -> None:
    written = runs.rows(baseline, config)
    assert {split: data["rows"] for split, data in loaded[config].items()} == written
    assert sum(map(len, written.values())) == (360 if config == "triplets" else 180)


@pytest.mark.parametrize("config", ["None", "triplets", "examples"])
def test_streaming_gives_the_same(loaded: dict[str, Any], config: str) -> None:
    streamed = loaded[f"streamed {config}"]
    assert streamed.keys() == loaded[config].keys()
    for split, data in streamed.items():
        assert data["rows"] == loaded[config][split]["rows"]
        assert data["features"] == loaded[config][split]["features"]


def test_splits_are_as_the_manifest_says(loaded: dict[str, Any], baseline: Path) -> None:
    splits = runs.summary(baseline).splits
    assert list(loaded["examples"]) == list(splits)
    for split, count in splits.items():
        assert len(loaded["examples"][split]["rows"]) == count
        assert len(loaded["triplets"][split]["rows"]) == 2 * count


def test_columns_are_as_the_contract_says(loaded: dict[str, Any]) -> None:
    assert tuple(loaded["examples"]["train"]["rows"][0]) == Example._fields
    assert tuple(loaded["triplets"]["train"]["rows"][0]) == TRIPLET_COLUMNS


@pytest.mark.parametrize("config", ["triplets", "examples"])
def test_features_are_those_that_the_card_declares(
    loaded: dict[str, Any], card: Any, baseline: Path, config: str
) -> None:
    """And those that the Parquet files have of themselves, without the card."""
    import pyarrow.parquet as pq
    from datasets import Features

    info = next(i for i in card.data.to_dict()["dataset_info"] if i["config_name"] == config)
    declared = Features._from_yaml_list(info["features"])
    for split, data in loaded[config].items():
        path = baseline / config / f"{split}-00000-of-00001.parquet"
        assert Features.from_arrow_schema(pq.read_schema(path)) == declared
        assert data["features"] == str(declared)


@pytest.mark.parametrize("config", ["triplets", "examples"])
def test_declared_counts_are_the_true_ones(loaded: dict[str, Any], card: Any, config: str) -> None:
    info = next(i for i in card.data.to_dict()["dataset_info"] if i["config_name"] == config)
    declared = {split["name"]: split["num_examples"] for split in info["splits"]}
    assert declared == {split: len(data["rows"]) for split, data in loaded[config].items()}


def test_the_folder_loads_by_path_too(baseline: Path, tmp_path: Path) -> None:
    """A folder of any name, here one shard a few rows long, without a trace of the run."""
    shutil.copytree(baseline, tmp_path / "renamed", ignore=shutil.ignore_patterns(".run"))
    found = load(tmp_path / "renamed", str(tmp_path / "renamed"), tmp_path / "work")
    assert found["default"] == "triplets"
    assert len(found["examples"]["train"]["rows"]) == runs.summary(baseline).splits["train"]


def test_a_folder_of_few_splits_loads(tmp_path: Path) -> None:
    runs.made(tmp_path / "out", n=3, mix="deferred_bind_respective=1")
    found = load(tmp_path / "out", "out", tmp_path / "work")
    assert list(found["triplets"]) == ["deferred_bind_respective"]
    assert len(found["triplets"]["deferred_bind_respective"]["rows"]) == 6


def test_the_card_says_what_the_hub_wants_to_know(card: Any) -> None:
    data = card.data.to_dict()
    assert data["license"] == "apache-2.0"
    assert data["language"] == ["en"]
    assert "synthetic" in data["tags"]
    assert data["size_categories"] == ["n<1K"]
    assert data["task_categories"]
    assert [config["config_name"] for config in data["configs"]] == ["triplets", "examples"]
    assert [config.get("default", False) for config in data["configs"]] == [True, False]


def test_the_card_shows_a_true_example_and_true_numbers(card: Any, baseline: Path) -> None:
    everything = [row for rows in runs.rows(baseline).values() for row in rows]
    first = min(
        (row for row in everything if row["construction"] == "pair_swap"), key=lambda row: row["id"]
    )
    for column in ("query", "positive", "negative_attribute", "negative_object"):
        assert f"| {first[column]} |" in card.text
    summary = runs.summary(baseline)
    for split, count in summary.splits.items():
        assert f"| `{split}` | {count} | {2 * count} |" in card.text
    for name, count in {**summary.constructions, **summary.rejections}.items():
        assert f"| `{name}` | {count} |" in card.text


@pytest.mark.parametrize(
    ("rows", "category"),
    [
        (999, "n<1K"),
        (1_000, "1K<n<10K"),
        (99_999, "10K<n<100K"),
        (200_000, "100K<n<1M"),
        (1_000_000, "1M<n<10M"),
    ],
)
def test_the_size_category_is_the_hubs(rows: int, category: str) -> None:
    from cards.render import size_category

    assert size_category(rows) == category
