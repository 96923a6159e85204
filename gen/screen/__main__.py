"""Look through the images of a run in a browser: python -m gen.screen saber"""

from __future__ import annotations

import getpass
import re
import sys
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field, PositiveInt, field_validator

from gen.base.command import command
from gen.base.config import Config

if TYPE_CHECKING:
    from gen.screen.board import Board
    from gen.screen.folder import Folder

REVIEWER = re.compile(r"\w[\w.-]{0,63}")
PROG = "python -m gen.screen"
ABOUT = """\
Accept or reject each image of a run of gen.saber beside its caption, by keyboard, in a page that
this machine alone can open. Images appear as they are made. Rejected ones are made again by the
next run of gen.saber, or from the page at once."""


class ScreenConfig(Config):
    """Settings of one screening."""

    folder: Path = Field(description="the run's output folder, finished or not")
    reviewer: str | None = Field(
        None, description="whose decisions these are (default: the login name)"
    )
    sample: PositiveInt | None = Field(
        None,
        description="images to look at, spread evenly over sizes, subsets and kinds; the same ones "
        "for every reviewer (default: all)",
    )
    only: Literal["undecided", "rejected", "disagreed", "all"] = Field(
        "undecided",
        description="images that you have not decided on (undecided), that anybody rejected, or "
        "that two reviewers disagree on; or all",
    )
    port: int = Field(8765, ge=0, le=65535, description="port on 127.0.0.1; 0 for any free one")
    browser: bool = Field(True, description="open the page; --no-browser prints its address alone")
    report: bool = Field(
        False, description="print how far each reviewer is and how far they agree; serve nothing"
    )
    merge: Path | None = Field(
        None,
        description="add a reviewer's decisions from elsewhere, a .jsonl file or a folder of them; "
        "serve nothing",
    )
    vocab: Path | None = Field(
        None, description="the vocabulary folder the run was made with (default: the built-in one)"
    )

    @field_validator("reviewer")
    @classmethod
    def _names_a_file(cls, value: str | None) -> str | None:
        if value is not None and not REVIEWER.fullmatch(value):
            raise ValueError("write up to 64 letters, digits, dots, hyphens; a file is named so")
        return value

    @property
    def name(self) -> str:
        """Who decides.

        Raises:
            ValueError: where a login name won't do.
        """
        name = self.reviewer or getpass.getuser()
        if not REVIEWER.fullmatch(name):
            raise ValueError(f"the login name {name!r} can't be a file's; name a --reviewer")
        return name


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    config = ScreenConfig.from_argv(argv, PROG, ABOUT)

    def work() -> int:
        from gen.screen.board import Board
        from gen.screen.folder import Folder

        folder = Folder.of(config.folder, config.vocab)
        if config.merge:
            return _merge(folder, config.merge)
        board = Board(folder, folder.items(config.sample), config.name)
        return _report(board) if config.report else _serve(config, board)

    return command(PROG, work, "every decision is kept")


def _merge(folder: Folder, source: Path) -> int:
    from gen.screen.merge import merge

    for reviewer, count in merge(folder, source).items():
        print(f"{reviewer}: {count:,} decisions added")
    print(f"\nHow far reviewers agree:  {PROG} {folder.path} --report")
    return 0


def _report(board: Board) -> int:
    from gen.screen.report import lines

    print(*lines(board), sep="\n")
    return 0


def _serve(config: ScreenConfig, board: Board) -> int:
    """Serve the page until Ctrl-C, then say where things stand."""
    from gen.screen.answers import Answers
    from gen.screen.redraw import Redrawer
    from gen.screen.server import Screen

    redrawer = Redrawer(board.folder, board.folder.source)
    try:
        screen = Screen(Answers(board, redrawer, config.only), config.port)
    except OSError as error:
        raise ValueError(
            f"--port {config.port}: {error.strerror}; choose another, or 0 for any free one"
        ) from None
    print(f"{board.reviewer} screens {config.folder}: {screen.url}\nCtrl-C ends it.", flush=True)
    if config.browser:
        webbrowser.open(screen.url)
    with suppress(KeyboardInterrupt):
        screen.serve_forever(poll_interval=0.1)
    screen.server_close()
    if redrawer.busy:
        print("\nEnding with the images that are being drawn ...", file=sys.stderr, flush=True)
    redrawer.stop()
    print()
    _summarize(board)
    return 0


def _summarize(board: Board) -> None:
    board.refresh()
    now = board.standing()
    print(
        f"{board.reviewer}: {now.accepted:,} accepted, {now.rejected:,} rejected, "
        f"{now.undecided:,} undecided of {now.there:,} images"
        + (f"; {now.images - now.there:,} are not made yet" if now.images > now.there else "")
    )
    if now.rejected:
        print("Rejected images are drawn again, and the dataset written, by")
    else:
        print("The dataset is written, with the decisions in it, by")
    print(f"  {board.folder.command}")


if __name__ == "__main__":
    raise SystemExit(main())
