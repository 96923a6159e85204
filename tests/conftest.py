"""Options and fixtures that several test files share."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support import runs
from tests.support.written import Sample, write_sample

# The same examples in every run, and no deadline: a busy machine is no failure.
settings.register_profile("toolkit", max_examples=100, deadline=None, derandomize=True)
settings.load_profile("toolkit")


def pytest_configure() -> None:
    # What a shell starts in the background ignores Ctrl-C, and so would every command of a test.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the golden files anew instead of comparing with them",
    )


@pytest.fixture(autouse=True)
def _no_command_outlives_its_test() -> Iterator[None]:
    yield
    runs.end_commands()


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether the run writes golden files (read the difference before you commit it)."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def written() -> Sample:
    """3,000 first drafts of the default mix, judged (a few seconds; shared by the session)."""
    return write_sample()


@pytest.fixture(scope="session")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of 180 with the tiny vocabulary, in one go and one process; read only."""
    folder = tmp_path_factory.mktemp("baseline") / "binding-triplets"
    runs.made(folder, n=180)
    assert len(runs.rejections(folder)) > 10, "too easy: nothing was tried again"
    return folder
