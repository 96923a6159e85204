"""Runs with a language model for tests: the real command, the server of the tests."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gen.base.chat import client, endpoints
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


def quicken(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for what a run would wait for; the order of the times is the same."""
    monkeypatch.setattr(client, "BACKOFF", 0.01)
    monkeypatch.setattr(client, "SWEEP", 0.02)
    monkeypatch.setattr(endpoints, "FLOOR", 2.0)
    monkeypatch.setattr(endpoints, "PAUSE", 0.05)
    monkeypatch.setattr(endpoints, "LONGEST_PAUSE", 0.2)
    monkeypatch.setattr(endpoints, "PATIENCE", 0.5)
    monkeypatch.setattr(endpoints, "FIRST_PATIENCE", 0.3)
    monkeypatch.setattr(flow, "EVERY", 0.02)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


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
