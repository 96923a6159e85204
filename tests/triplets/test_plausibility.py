"""The tool that makes a plausibility table, with a real small model (SmolLM2-135M)."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gen.triplets.plausibility import __main__ as plausibility
from gen.vocab.plausibility import TABLE_FILE, read
from gen.vocab.triplets import load
from tests.support import ROOT, runs


def test_a_model_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    shutil.copytree(runs.TINY, tmp_path / "words")
    model = tmp_path / "none.gguf"
    done = runs.cli(plausibility.main, "--vocab", tmp_path / "words", "--model", model)
    assert done.status == 2
    assert f"--model {model}: can't be loaded" in done.error


def start(folder: Path) -> subprocess.Popen[bytes]:
    """The tool as a user calls it."""
    command = [sys.executable, "-m", "gen.triplets.plausibility", "--vocab", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    for name in ("whole", "killed"):
        shutil.copytree(runs.TINY, tmp_path / name)
    assert start(tmp_path / "whole").wait() == 0
    part = tmp_path / "killed" / f"{TABLE_FILE}.part"
    with start(tmp_path / "killed") as process:
        while not part.exists() or len(part.read_bytes().splitlines()) < 4:
            assert process.poll() is None, "it was not killed in time"
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    assert not (tmp_path / "killed" / TABLE_FILE).exists()
    part.write_bytes(part.read_bytes()[:-3])  # a kill within a line
    kept = read(part)
    assert kept is not None
    assert 0 < len(kept.rows) < 15
    assert start(tmp_path / "killed").wait() == 0
    assert not part.exists()
    whole = (tmp_path / "whole" / TABLE_FILE).read_bytes()
    assert (tmp_path / "killed" / TABLE_FILE).read_bytes() == whole

    # A new adjective is a new row, the others are kept; a word that goes takes its values along.
    words = tmp_path / "killed" / "adjectives.toml"
    words.write_text(words.read_text().replace("torn dusty", "torn creased dusty"))
    nouns = tmp_path / "killed" / "nouns.toml"
    nouns.write_text(nouns.read_text().replace("flag quilt", "quilt"))
    assert start(tmp_path / "killed").wait() == 0
    before, after = load(tmp_path / "whole"), load(tmp_path / "killed")
    assert after.log_odds("creased", "towel") is not None
    assert after.log_odds("torn", "flag") is None
    for word in before.adjectives:
        for noun in after.class_of:
            assert after.log_odds(word, noun) == before.log_odds(word, noun)
    assert before.fits("torn", "flag")


@pytest.mark.slow
def test_adjectives_that_say_the_same_come_first() -> None:
    done = runs.cli(plausibility.main, "--vocab", runs.TINY, "--adjectives", 12)
    lines = done.out.splitlines()
    assert len(lines) == 12
    values = [float(line.split()[0]) for line in lines]
    assert values == sorted(values, reverse=True)
    assert {"large", "huge"} in [set(line.split()[1:]) for line in lines]
