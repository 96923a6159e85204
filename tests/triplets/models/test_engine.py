"""The vLLM writer: what holds without vLLM, and its flags where vLLM is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from gen.base.chat.engine import check_sampling, parse_flags

ORPHAN = """
import os, signal, time
from multiprocessing import get_context
from gen.base.chat.engine import guard

if __name__ == "__main__":
    child = get_context("spawn").Process(target=time.sleep, args=(60,))
    child.start()
    guard()
    print(child.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_without_vllm_one_line_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "vllm.py").write_text("raise ImportError('no CUDA here')")
    flags = ["--writer", "vllm", "--model", "m", "--n", "1", "--out", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-m", "gen.triplets", *flags, "--", "--enforce-eager"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "python -m gen.triplets: error: --writer vllm needs vLLM (no CUDA here): "
        "pip install 'saber-toolkit[vllm]'"
    ]


def test_the_engine_does_not_outlive_a_killed_run() -> None:
    done = subprocess.run([sys.executable, "-c", ORPHAN], capture_output=True, text=True)
    child = int(done.stdout)
    end = time.monotonic() + 10
    while running(child) and time.monotonic() < end:
        time.sleep(0.05)
    assert not running(child)


# --- with vLLM installed ----------------------------------------------------------------


def with_vllm(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test where vLLM is installed; torch and vLLM themselves warn when imported."""
    absent = pytest.mark.skipif(find_spec("vllm") is None, reason="vLLM is not installed")
    return absent(pytest.mark.filterwarnings("ignore")(test))


@with_vllm
def test_flags_mean_what_they_do_to_a_server() -> None:
    args = parse_flags(
        "org/model",
        ["--tensor-parallel-size", "4", "--enable-lora", "--lora-modules", "mine=/adapter"],
    )
    assert (args.model, args.tensor_parallel_size, args.enable_lora) == ("org/model", 4, True)
    assert [(module.name, module.path) for module in args.lora_modules] == [("mine", "/adapter")]


@with_vllm
def test_white_space_between_fields_is_off_unless_the_flags_choose() -> None:
    ours = parse_flags("m", []).structured_outputs_config
    assert (ours.backend, ours.disable_any_whitespace) == ("xgrammar", True)
    theirs = parse_flags("m", ["--structured-outputs-config", '{"backend":"guidance"}'])
    assert theirs.structured_outputs_config.backend == "guidance"
    assert not theirs.structured_outputs_config.disable_any_whitespace


@with_vllm
@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (["--no-such-flag"], "--no-such-flag"),
        (["--tensor-parallel-size", "many"], "--tensor-parallel-size.*many"),
        (["--chat-template", "/no/such.jinja"], "/no/such.jinja"),
    ],
)
def test_a_wrong_flag_is_named(flags: list[str], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        parse_flags("m", flags)


@with_vllm
@pytest.mark.parametrize("sampling", [{"temprature": 1.0}, {"max_tokens": "many"}])
def test_a_wrong_sampling_field_is_named(sampling: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(sampling))):
        check_sampling(sampling)
