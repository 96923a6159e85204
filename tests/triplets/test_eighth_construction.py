"""An eighth construction type costs what CONTRIBUTING.md says and no more.

A type that this repository lacks (`tests/data/eighth`) is put into a copy of it, which then has to
make, prove and audit data of it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from schemas.manifest import Manifest
from tests.support import ROOT, TESTS, runs

NAME = "relative"
TOY = TESTS / "data" / "eighth"
LIST = Path("gen/triplets/constructions/__init__.py")
COPIED = ("gen", "schemas", "cards", "prompts", "tests", "pyproject.toml", "README.md")
AUDIT = """
import sys
from pathlib import Path
from gen.audit.attack import shortcuts
from gen.audit.data import load
from gen.audit.variety import coverage
data = load(Path(sys.argv[1]))
for found in (*shortcuts.rules(data).findings, *coverage.check(data.examples)):
    print(found.check, found.group, found.bound)
"""


def files(root: Path) -> dict[Path, bytes]:
    """What is in a checkout's folders that are copied, by path."""
    paths = [path for name in COPIED for path in (root / name, *(root / name).rglob("*"))]
    return {
        path.relative_to(root): path.read_bytes()
        for path in paths
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this repository with the eighth type in it."""
    root = tmp_path_factory.mktemp("checkout")
    for name in COPIED:
        copy = shutil.copy if (ROOT / name).is_file() else shutil.copytree
        copy(ROOT / name, root / name)
    for path in TOY.rglob("*.*"):
        place = root / path.relative_to(TOY)
        text = path.read_text()
        place.write_text(place.read_text() + text if place.exists() else text)
    text = (root / LIST).read_text()
    text = text.replace("import (\n", f"import (\n    {NAME},\n", 1)
    last = max(re.finditer(r"    \w+\.CONSTRUCTION,\n", text), key=lambda found: found.end()).end()
    (root / LIST).write_text(f"{text[:last]}    {NAME}.CONSTRUCTION,\n{text[last:]}")
    check_types(root, "prompts", "-k", f"golden and {NAME}", "--update-golden")
    return root


def done(root: Path, *command: object) -> str:
    """What a Python command prints in a checkout; it has to succeed."""
    found = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def check_types(root: Path, name: str, *flags: str) -> str:
    """What the tests of a checkout say: one file of those of triplets."""
    alone = ("-p", "no:cacheprovider", "-p", "no:xdist", "--verbosity=0")
    return done(root, "-m", "pytest", *alone, *flags, f"tests/triplets/test_{name}.py")


@pytest.fixture(scope="module")
def dataset(checkout: Path) -> Path:
    """60 examples of the eighth type among others."""
    mix = f"pair_swap=2,deferred_bind_respective=1,{NAME}=3"
    done(checkout, "-m", "gen.triplets", "--n", 120, "--mix", mix, "--out", "made", "--workers", 1)
    return checkout / "made"


def test_it_costs_the_files_that_contributing_names(checkout: Path) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    section = text.partition("## Add a construction type\n")[2].partition("\n## ")[0]
    named = re.findall(r"^\d\. `([^`]+)`", section, re.M)
    before, after = files(ROOT), files(checkout)
    changed = {str(path) for path in after if before.get(path) != after[path]}
    assert changed == {path.replace("<name>", NAME) for path in named}
    assert not before.keys() - after.keys()


def test_its_rows_are_written_and_proved_and_split(checkout: Path, dataset: Path) -> None:
    manifest = Manifest.model_validate_json((dataset / "manifest.json").read_bytes())
    assert manifest.constructions[NAME] == manifest.splits[NAME] == 60
    assert len(runs.rows(dataset)[NAME]) == 60
    assert f"- split: {NAME}\n" in (dataset / "README.md").read_text()
    assert "every rule holds" in done(checkout, "-m", "gen.verify", dataset, "--workers", 1)


def test_the_audit_knows_what_is_right_about_it_by_definition(
    checkout: Path, dataset: Path
) -> None:
    lines = done(checkout, "-c", AUDIT, dataset).splitlines()
    assert f"nearest_object_before construction={NAME} None" in lines
    assert f"attributes_in_object_order construction={NAME} None" in lines
    assert any(line.startswith(f"largest_share construction={NAME} ") for line in lines)


@pytest.mark.parametrize("name", ["constructions", "plan", "prompts"])
def test_the_tests_of_all_types_take_it_in(checkout: Path, name: str) -> None:
    assert " passed" in check_types(checkout, name, "-k", NAME)
