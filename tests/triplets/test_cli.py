"""The commands: quick help, one clear line for anything wrong, a preview that writes nothing."""

from __future__ import annotations

import errno
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import gen.base.log
import gen.triplets.recorder
import gen.triplets.run
import gen.triplets.session
import gen.verify.rows
from gen.base.config import Config
from gen.triplets import __main__ as triplets
from gen.triplets.config import ModelConfig, TripletsConfig
from gen.verify import __main__ as verify
from gen.verify.__main__ import VerifyConfig
from tests.support import runs

MARK = re.compile(r"\b[\w'-]+[¹²³]")


# --- help


@pytest.mark.parametrize("program", ["gen.triplets", "gen.verify"])
def test_help_answers_at_once(program: str) -> None:
    """Best of three, as another process may hold the machine up."""
    seconds = []
    for _ in range(3):
        start = time.monotonic()
        done = runs.finish(runs.command("--help", program=program))
        seconds.append(time.monotonic() - start)
        assert (done.status, done.err) == (0, "")
        assert done.out.startswith(f"usage: python -m {program}")
        if seconds[-1] < 1:
            break
    assert min(seconds) < 1


@pytest.mark.parametrize("program", ["gen.triplets", "gen.verify"])
def test_help_imports_nothing_heavy(program: str) -> None:
    code = (
        f"import sys; from {program}.__main__ import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: print('HEAVY', sorted({'pyarrow', 'inflect', 'rich', 'jinja2',"
        " 'datasets'} & set(sys.modules)))"
    )
    done = runs.finish(runs.command(program=code))
    assert done.out.splitlines()[-1] == "HEAVY []"


@pytest.mark.parametrize("config", [TripletsConfig, ModelConfig, VerifyConfig])
def test_there_are_few_flags_and_each_is_explained(config: type[Config]) -> None:
    """A group of flags counts as one, and has a limit of its own."""
    assert len(config.model_fields) <= 10
    for field in config.model_fields.values():
        group = isinstance(field.default, Config)
        assert type(field.default).__doc__ if group else field.description


# --- bad flags


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--n", "0"], "--n '0'"),
        (["--n", "-1"], "--n '-1'"),
        (["--n", "x"], "--n 'x'"),
        (["--n", "1e5"], "--n '1e5'"),
        (["--n", ""], "--n ''"),
        (["--n"], "--n"),
        (["--seed", "new"], "--seed 'new'"),
        (["--writer", "gpt"], "choose from grammar"),
        (["--mix", "pair_swap"], "NAME=WHOLE_NUMBER"),
        (["--mix", "pair_swap=0"], "NAME=WHOLE_NUMBER"),
        (["--mix", "pair_swap=-2"], "NAME=WHOLE_NUMBER"),
        (["--mix", "pair_swap=0.5"], "NAME=WHOLE_NUMBER"),
        (["--mix", "pair_swap=²"], "NAME=WHOLE_NUMBER"),
        (["--mix", "pair_swap=1,pair_swap=2"], "write each construction once"),
        (["--mix", "swap=1"], "'swap' is not a construction; choose from pair_swap"),
        (["--mix", "pair_swap=1,"], "'' is not a construction"),
        (["--mix", ""], "'' is not a construction"),
        (["--workers", "0"], "--workers '0'"),
        (["--workers", "many"], "--workers 'many'"),
        (["--preview", "0"], "--preview '0'"),
        (["--colour"], "--colour"),
        (["stray"], "stray"),
    ],
)
def test_a_bad_flag_is_one_line(tmp_path: Path, flags: list[str], said: str) -> None:
    done = runs.cli(triplets.main, "--out", tmp_path / "out", *flags)
    assert done.status == 2
    assert done.error.startswith("python -m gen.triplets: error: ")
    assert said in done.error
    assert done.out == ""
    assert not (tmp_path / "out").exists()


def test_a_bad_flag_of_the_real_command_is_one_line(tmp_path: Path) -> None:
    done = runs.finish(runs.command("--n", "0", "--out", tmp_path / "out"))
    assert done.status == 2
    assert done.error.startswith("python -m gen.triplets: error: --n '0': ")
    assert runs.finish(runs.command(program="gen.verify")).error.endswith("(see --help)")


# --- bad vocabularies


def edit(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / f"{name}.toml"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return change


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


BAD_VOCABULARIES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (shutil.rmtree, "adjectives.toml: missing"),
    "no nouns": (remove("nouns.toml"), "nouns.toml: missing"),
    "broken TOML": (edit("nouns", "kind =", "kind"), "nouns.toml: not valid TOML"),
    "not text": (
        lambda folder: (folder / "nouns.toml").write_bytes(b"\xff\xfe"),
        "nouns.toml: not valid TOML",
    ),
    "empty file": (lambda folder: (folder / "nouns.toml").write_text(""), "[classes.NAME]"),
    "unknown kind": (edit("nouns", '"thing"', '"gadget"'), "kind is 'gadget'; choose from thing"),
    "kind of a wrong type": (edit("nouns", '"thing"', '["thing"]'), "choose from thing"),
    "unknown setting": (edit("nouns", "words =", 'where = ["moon"]\nwords ='), "['moon']"),
    "setting of a wrong type": (
        edit("nouns", "words =", 'where = [["home"]]\nwords ='),
        "where is [['home']]",
    ),
    "unknown verb": (edit("adjectives", '["look"]', '["sing"]'), "verbs is ['sing']"),
    "no order": (edit("adjectives", "order = 2", ""), "order must be a whole number"),
    "no words": (edit("nouns", 'words = "banner', 'word = "banner'), "textiles.words must be"),
    "empty words": (edit("nouns", "banner flag quilt towel curtain", " "), "words is empty"),
    "capital letter": (edit("nouns", "flag", "Flag"), "'Flag'; entries are lower case"),
    "odd sign": (edit("adjectives", "torn", "torn,"), "'torn,'; an entry is one word"),
    "duplicate noun": (edit("nouns", "lamp", "flag"), "'flag' is listed twice"),
    "duplicate adjective": (edit("adjectives", "blue", "small"), "'small' is listed twice"),
    "no line in compatibility": (
        edit("compatibility", 'textiles = "size condition color"', ""),
        "no line for the class 'textiles'",
    ),
    "unknown family": (edit("compatibility", "size", "sise"), "names 'sise', not in adjectives"),
    "family of a wrong type": (
        edit("compatibility", '"size condition color"', '[["size"]]'),
        "not in adjectives.toml",
    ),
    "unknown class": (
        edit("compatibility", "textiles", 'boats = "size"\ntextiles'),
        "'boats' is not a class",
    ),
    "unknown threshold": (
        edit("compatibility", "[families]", "[thresholds]\nsizes = 1\n[families]"),
        "thresholds names 'sizes', not in adjectives.toml",
    ),
    "threshold of a wrong type": (
        edit("compatibility", "[families]", '[thresholds]\nsize = "1"\n[families]'),
        "thresholds.size is '1'; write nats",
    ),
    "exception without a reason": (
        edit("compatibility", "[families]", 'never = "large flag"\n[families]'),
        "write `adjective noun | reason`",
    ),
    "exception about an unknown word": (
        edit("compatibility", "[families]", 'never = "large ensign | no"\n[families]'),
        "no list of words has 'ensign'",
    ),
    "exception both ways": (
        edit(
            "compatibility",
            "[families]",
            'never = "large flag | no"\nalways = "large flag | yes"\n[families]',
        ),
        "large flag is in always and in never; keep one",
    ),
    "table without a head": (
        lambda folder: (folder / "plausibility.txt").write_text("large\tPPPP\n"),
        "plausibility.txt: line 1 is no head",
    ),
    "table with a short row": (
        lambda folder: (folder / "plausibility.txt").write_text(
            '{"step": 0.25, "nouns": ["flag", "lamp"]}\nlarge\tP\n'
        ),
        "line 2 has no 2 characters for 'large'",
    ),
    "unknown synonym": (
        edit("nouns", "[classes.textiles]", 'synonyms = "flag ensign"\n[classes.textiles]'),
        "names 'ensign', which no list holds",
    ),
}


@pytest.mark.parametrize("fault", BAD_VOCABULARIES)
def test_a_bad_vocabulary_is_one_line_that_names_the_place(tmp_path: Path, fault: str) -> None:
    shutil.copytree(runs.TINY, tmp_path / "words")
    change, said = BAD_VOCABULARIES[fault]
    change(tmp_path / "words")
    done = runs.run(tmp_path / "out", n=3, vocab=tmp_path / "words")
    assert done.status == 2
    assert f"{tmp_path / 'words'}" in done.error
    assert said in done.error
    assert not (tmp_path / "out").exists()


def test_a_vocabulary_that_is_a_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "words.toml").write_text("")
    done = runs.run(tmp_path / "out", n=3, vocab=tmp_path / "words.toml")
    assert "words.toml" in done.error


# --- bad places


def test_an_output_folder_that_is_a_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    for settings in ({}, {"resume": False}):
        done = runs.run(tmp_path / "out", n=3, **settings)
        assert f"{tmp_path / 'out'}: not a folder" in done.error
        assert (tmp_path / "out").read_text() == "mine"


def test_an_output_folder_below_a_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    assert str(tmp_path / "file") in runs.run(tmp_path / "file" / "out", n=3).error


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_a_place_that_can_not_be_written_is_one_line() -> None:
    assert "/proc/x" in runs.run(Path("/proc/x"), n=3).error


def test_a_disk_that_fills_up_loses_no_row(
    tmp_path: Path, baseline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some lines go through, then half a line, then nothing."""
    left = 100_000
    real = os.write

    def write(file: int, data: memoryview) -> int:
        nonlocal left
        if left == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = real(file, data[:left])
        left -= written
        return written

    with monkeypatch.context() as patch:
        patch.setattr(gen.base.log.os, "write", write)
        patch.setattr(gen.triplets.recorder, "BATCH", 20)
        done = runs.run(tmp_path / "out", n=180)
    assert done.status == 1
    assert "No space left on device" in done.error
    assert "every accepted row is safe" in done.error
    assert runs.log_of(tmp_path / "out").stat().st_size == 100_000
    assert runs.made(tmp_path / "out", n=180) == runs.files(baseline)


@pytest.mark.parametrize("kilobytes", [50, 260])
def test_a_file_size_limit_of_the_system_loses_no_row(
    tmp_path: Path, baseline: Path, kilobytes: int
) -> None:
    """The real command against a limit that the system sets, in the log and in a shard."""
    log = runs.log_of(baseline).stat().st_size
    out = tmp_path / "out"
    if kilobytes == 260:  # the log is there, and the shards are what no longer fits
        shutil.copytree(baseline, out)
        (out / "manifest.json").unlink()
    limit = 50_000 if kilobytes == 50 else 9_000
    assert limit < log
    done = subprocess.run(
        [sys.executable, "-m", "gen.triplets", "--n=180", f"--vocab={runs.TINY}", f"--out={out}"],
        cwd=runs.ROOT,
        env={**os.environ, "PYTHONPATH": str(runs.ROOT)},
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    ended = runs.Done(done.returncode, done.stdout, done.stderr)
    assert ended.status == 1
    assert "File too large" in ended.error or "file too large" in ended.error
    assert not (out / "manifest.json").exists()
    assert runs.made(out, n=180) == runs.files(baseline)


def test_a_worker_that_dies_is_one_line_and_loses_no_row(
    tmp_path: Path, baseline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(gen.triplets.run, "INLINE", 0)
        patch.setattr(gen.triplets.run, "_first_attempts", runs.die)
        done = runs.run(tmp_path / "out", n=180, workers=2)
    assert "a worker process died" in done.error
    assert runs.made(tmp_path / "out", n=180) == runs.files(baseline)


# --- preview


def test_a_preview_writes_nothing_and_marks_the_bindings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = runs.cli(triplets.main, "--preview", 3, "--vocab", runs.TINY)
    assert (done.status, done.err) == (0, "")
    assert list(tmp_path.iterdir()) == []
    lines = done.out.splitlines()
    for label in ("query", "positive", "attribute", "object"):
        shown = [line for line in lines if line.startswith(f"  {label} ")]
        assert len(shown) == 3
        assert all(len(MARK.findall(line)) >= 4 for line in shown)


def test_a_preview_shows_the_same_words_in_all_four_texts(tmp_path: Path) -> None:
    """Each pair keeps its mark: in a negative, marks stand with the words they belong to."""
    done = runs.run(tmp_path / "out", preview=1, mix="pair_swap=1")
    marked = [
        sorted(word.casefold() for word in MARK.findall(line))
        for line in done.out.splitlines()
        if line.startswith("  ")
    ]
    assert len(marked) == 4
    assert all(words == marked[0] for words in marked)


def test_a_preview_is_what_the_run_writes(tmp_path: Path, baseline: Path) -> None:
    done = runs.run(tmp_path / "out", preview=3)
    shown = re.sub("[¹²³]", "", done.out)
    written = {row["id"]: row for part in runs.rows(baseline).values() for row in part}
    ids = re.findall(r"^([a-z_]+-\d{6}) ", shown, flags=re.M)
    assert len(ids) == 3
    for name in ids:
        assert written[name]["positive"] in shown


def test_a_preview_shows_what_is_of_a_kind_in_a_row(tmp_path: Path) -> None:
    """Constructions in their order, and registers within; --mix gives many of one."""
    done = runs.run(tmp_path / "out", preview=24, mix="predicative=1,pair_swap=1")
    heads = re.findall(r"^─+ (\w+): (.+?) ─+$", done.out, flags=re.M)
    assert heads == sorted(set(heads))
    parts = re.split(r"^─+ .+ ─+$", done.out, flags=re.M)[1:]
    ids = [re.findall(r"^([a-z_]+)-\d{6} ", part, flags=re.M) for part in parts]
    assert sum(map(len, ids)) == 24
    for (construction, register), part, own in zip(heads, parts, ids, strict=True):
        assert set(own) == {construction}
        assert part.count(f"{register};") == len(own)


def test_more_previews_than_there_are_words_for_end(tmp_path: Path) -> None:
    shutil.copytree(runs.TINY, tmp_path / "words")
    path = tmp_path / "words" / "adjectives.toml"
    path.write_text(path.read_text().replace("order =", 'slot = "all"\norder ='))
    done = runs.run(tmp_path / "out", preview=2, mix="attr_bundle=1", vocab=tmp_path / "words")
    assert done.status == 3
    assert "no_words" in done.out
    assert done.error.startswith("0 of 2 examples")


# --- verify's own flags


def test_verify_says_one_line_for_what_is_no_dataset(tmp_path: Path, baseline: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "none", tmp_path, tmp_path / "file"):
        done = runs.check(folder)
        assert (done.status, done.out) == (2, "")
        assert str(folder) in done.error
    done = runs.cli(verify.main, baseline)
    assert "another vocabulary; name its folder with --vocab" in done.error
    done = runs.check(baseline, "--workers", "0")
    assert "--workers '0'" in done.error


def test_verify_answers_ctrl_c_with_one_line(
    baseline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gen.verify.rows, "prove", lambda job: signal.raise_signal(signal.SIGINT))
    done = runs.check(baseline)
    assert done.status == 130
    assert done.err == "\nStopped; nothing was changed.\n"
