"""The README's commands do what it says, word for word."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gen.triplets.config import ModelConfig, TripletsConfig
from gen.triplets.constructions import CONSTRUCTIONS

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"```console\n\$ make triplets\n(.*?)```", re.DOTALL)


def recipe(target: str) -> str:
    """The last command line of a Makefile target, as a user's shell would run it."""
    text = (ROOT / "Makefile").read_text()
    match = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", text, re.MULTILINE)
    assert match
    return match.group(1).splitlines()[-1].strip().replace("$(BIN)/python", sys.executable)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What `make triplets` prints once .venv stands, from the folder's line on."""
    done = subprocess.run(
        recipe("triplets").split(),
        cwd=tmp_path_factory.mktemp("checkout"),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.partition("\n\n")[2]


def test_the_first_command_prints_what_the_first_screen_shows(
    printed: str, update_golden: bool
) -> None:
    text = README.read_text()
    shown = BLOCK.search(text)
    assert shown
    if update_golden:
        README.write_text(text.replace(shown.group(1), printed))
    else:
        assert printed == shown.group(1)


def test_the_first_screen_has_both_commands_and_a_triplet() -> None:
    screen = "\n".join(README.read_text().splitlines()[:60])
    for wanted in ("make triplets", "make test", "positive", "attribute", "object"):
        assert wanted in screen


def test_every_flag_is_in_the_table() -> None:
    tables = README.read_text().partition("## Flags")[2]
    names = {*TripletsConfig.model_fields, *ModelConfig.model_fields}
    for name in names - {"language_model", "engine"}:
        flag = name.replace("_", "-")
        assert f"| `--{flag}" in tables or f"| `--no-{flag}`" in tables, name


def test_the_table_of_types_is_that_of_the_program() -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \| .+ \| (\d.*) \|$", README.read_text(), re.MULTILINE)
    assert rows == [
        (one.name, f"{one.weight}{', held out' * one.held_out}")
        for one in CONSTRUCTIONS
        if one.weight
    ]


def test_the_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README.read_text()):
        assert target.startswith("http") or (ROOT / target).exists(), target
