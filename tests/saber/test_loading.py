"""The folder opens with `load_dataset` from its parent as the card says, streaming too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from schemas.saber import CONFIGS
from tests.support import runs, saber

pytest.importorskip("datasets")

LOAD = """\
import json, sys
from datasets import get_dataset_config_names, get_dataset_default_config_name, load_dataset
name = sys.argv[1]
seen = {"names": get_dataset_config_names(name), "default": get_dataset_default_config_name(name)}
for config in (None, "mcq", "queries", "corpus", "qrels"):
    loaded = load_dataset(name, config)
    streamed = load_dataset(name, config, streaming=True)
    assert list(loaded) == list(streamed) == ["test"]
    data = loaded["test"]
    seen[str(config)] = {
        "rows": data.to_list(),
        "features": {column: str(feature) for column, feature in data.features.items()},
        "declared": data.info.splits["test"].num_examples,
    }
    assert list(streamed["test"]) == seen[str(config)]["rows"]
    assert streamed["test"].features == data.features
json.dump(seen, open(sys.argv[2], "w"))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished small run in a folder of the usual name."""
    out = tmp_path_factory.mktemp("loading") / "saber"
    saber.made(out)
    return out


@pytest.fixture(scope="module")
def loaded(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a user in the folder's parent gets, offline and with an empty cache."""
    work = tmp_path_factory.mktemp("home")
    runs.loading(LOAD, folder, work / "home", "saber", str(work / "seen.json"))
    found: dict[str, Any] = json.loads((work / "seen.json").read_text())
    return found


def test_mcq_is_the_default(loaded: dict[str, Any]) -> None:
    assert loaded["names"] == list(CONFIGS)
    assert loaded["default"] == "mcq"
    assert loaded["None"] == loaded["mcq"]


@pytest.mark.parametrize("config", CONFIGS)
def test_every_row_comes_back(loaded: dict[str, Any], folder: Path, config: str) -> None:
    assert loaded[config]["rows"] == saber.rows(folder, config)
    assert loaded[config]["declared"] == len(loaded[config]["rows"]) > 0


@pytest.mark.parametrize("config", ["mcq", "queries", "corpus"])
def test_images_are_images_even_where_there_are_none(loaded: dict[str, Any], config: str) -> None:
    images = {name: of for name, of in loaded[config]["features"].items() if "image" in name}
    assert len(images) == (5 if config == "mcq" else 1)
    assert all(feature.startswith("Image(") for feature in images.values())
    assert {row[name] for row in loaded[config]["rows"] for name in images} == {None}


def test_columns_are_those_of_the_design(loaded: dict[str, Any]) -> None:
    scenes = ("query", *(f"candidate_{place}" for place in range(4)))
    shown = [
        f"{scene}_{part}"
        for scene in scenes
        for part in ("caption", "generation_caption", "image", "kind")
        if (scene, part) != ("query", "kind")
    ]
    assert list(loaded["mcq"]["features"]) == [
        *("id", "n", "subset", "chain", *shown, "answer"),
        *("objects", "attributes", "instantiations", "layout_seed"),
    ]
    for config, names in (
        ("queries", {"_id", "text", "image"}),
        ("corpus", {"_id", "text", "image"}),
        ("qrels", {"query-id", "corpus-id", "score"}),
    ):
        assert names <= loaded[config]["features"].keys()


@pytest.mark.parametrize("config", CONFIGS)
def test_features_are_those_of_the_files(loaded: dict[str, Any], folder: Path, config: str) -> None:
    """But for images, which Arrow knows as a struct of bytes and path."""
    import pyarrow.parquet as pq
    from datasets import Features

    path = folder / config / "test-00000-of-00001.parquet"
    for name, feature in Features.from_arrow_schema(pq.read_schema(path)).items():
        if not name.endswith("image"):
            assert str(feature) == loaded[config]["features"][name]


def test_the_card_says_what_the_hub_wants_to_know(folder: Path) -> None:
    from huggingface_hub import DatasetCard

    card = DatasetCard.load(folder / "README.md")
    data = card.data.to_dict()
    assert data["license"] == "apache-2.0"
    assert data["language"] == ["en"]
    assert "synthetic" in data["tags"]
    assert data["size_categories"] == ["n<1K"]
    assert [config.get("default", False) for config in data["configs"]] == [True, *[False] * 3]
    assert "a tie is not a win" in card.text


def test_the_card_shows_true_numbers_and_a_true_question(folder: Path) -> None:
    text = (folder / "README.md").read_text()
    row = next(row for row in saber.rows(folder, "mcq") if row["n"] > 2)
    for place in range(4):
        kind, caption = row[f"candidate_{place}_kind"], row[f"candidate_{place}_caption"]
        assert f"| {place} `{kind}` | {caption} |" in text
    assert "40 questions of 2 to 5" in text
    assert "all 160 candidates" in text
    assert "| independent | 3 | 1 | 1 | 1 | 1 | 1 | 1.00 |" in text
    assert runs.summary(folder).files["README.md"].bytes == len(text.encode())
