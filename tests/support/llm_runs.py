"""Runs with a language model for tests: the real command, the server of the tests."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gen.base.chat import client
from gen.base.chat.endpoints import ClientPolicy
from gen.base.chat.retry import RetryPolicy
from gen.triplets.models import flow
from gen.triplets.models.record import ANSWERS, Exchange, read
from gen.vocab.triplets import load
from tests.support import runs
from tests.support.llm_script import Drafts
from tests.support.llm_server import LlmServer

MODEL = "test"

FAST = """\
import gen.triplets.models.flow
gen.triplets.models.flow.EVERY = 0.02
from gen.triplets.__main__ import main
raise SystemExit(main())
"""
"""The command with many small writes to disk, so that a kill finds it at many places."""


QUICK = ClientPolicy(
    retry=replace(ClientPolicy().retry, backoff=0.01),
    pause=0.05,
    longest_pause=0.2,
    outage=0.5,
    first_outage=0.3,
    floor=2.0,
    sweep=0.02,
)
"""What bounds the waiting in tests: shorter times in the same order."""


def quicken(monkeypatch: pytest.MonkeyPatch, **others: Any) -> None:
    """No test waits for what a run would wait for: `QUICK` with other values for some fields."""
    monkeypatch.setattr(client, "POLICY", replace(QUICK, **others))
    monkeypatch.setattr(flow, "EVERY", 0.02)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def tries(most: int) -> RetryPolicy:
    """That of `QUICK` with so many tries."""
    return replace(QUICK.retry, tries=most)


@cache
def drafts() -> Drafts:
    """The honest script for the tiny vocabulary; a run's first drafts are written once."""
    return Drafts(vocabulary=load(runs.TINY))


def flags(*servers: LlmServer, **settings: object) -> dict[str, object]:
    """Settings of a run with these servers; `in_flight=4` is --in-flight 4."""
    url = ",".join(server.base_url for server in servers)
    given: dict[str, object] = {"writer": "openai", "model": MODEL, "base_url": url, **settings}
    return {name.replace("_", "-"): value for name, value in given.items()}


def run(out: Path, *servers: LlmServer, **settings: object) -> runs.Done:
    """The command within this process."""
    return runs.run(out, **flags(*servers, **settings))


def made(out: Path, *servers: LlmServer, **settings: object) -> dict[str, bytes]:
    """The files of a run that is to succeed."""
    done = run(out, *servers, **settings)
    assert done.status == 0, done.err + done.out
    return runs.files(out)


def command(
    out: Path, *servers: LlmServer, program: str = FAST, **settings: object
) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    given = {"out": out, "vocab": runs.TINY, **flags(*servers, **settings)}
    return runs.command(*runs.arguments(given), program=program)


def replay(out: Path, answers: Path, **settings: object) -> runs.Done:
    """The command that uses the answers on record in another folder."""
    return runs.run(out, writer="replay", answers=answers, **settings)


def answers_of(folder: Path) -> Path:
    """The file with a run's answers."""
    return folder / ".run" / ANSWERS


def exchanges(folder: Path) -> list[Exchange]:
    """The answers on record."""
    return list(read(answers_of(folder)))


def records(folder: Path) -> list[dict[str, Any]]:
    """The lines of a run's log."""
    return runs.json_lines(runs.log_of(folder))


def asked_as(exchange: Exchange) -> str:
    """The id that the server saw an exchange's request under."""
    return f"{exchange.slot}.{exchange.plan}" + (f".r{exchange.round}" if exchange.round else "")
