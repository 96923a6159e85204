"""Write a dataset of binding triplets: python -m gen.triplets --n 100000"""

from __future__ import annotations

from collections.abc import Sequence

from gen.base.command import command
from gen.triplets.config import TripletsConfig

PROG = "python -m gen.triplets"
ABOUT = """\
Write a dataset of binding triplets: validated examples of the seven construction types, each
with two hard negatives, in a folder that load_dataset opens. The same command goes on where an
interrupted one stopped; a larger --n tops a finished folder up."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    config = TripletsConfig.from_argv(argv, PROG, ABOUT)

    def work() -> int:
        from gen.triplets.session import preview, run

        return preview(config) if config.preview else run(config)

    return command(PROG, work, "every accepted row is safe, the same command goes on")


if __name__ == "__main__":
    raise SystemExit(main())
