"""Write the benchmark: python -m gen.saber --out saber"""

from __future__ import annotations

from collections.abc import Sequence

from gen.base.command import command
from gen.saber.config import SaberConfig

PROG = "python -m gen.saber"
ABOUT = """\
Write SABER, the benchmark of attribute-object binding: multiple-choice questions of 2 to 10
pairs, their captions, and the gallery, queries and judgements of the retrieval task, in a folder
that load_dataset opens."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    config = SaberConfig.from_argv(argv, PROG, ABOUT)

    def work() -> int:
        from gen.saber.session import preview, run

        return preview(config) if config.preview else run(config)

    return command(PROG, work, "the same command goes on")


if __name__ == "__main__":
    raise SystemExit(main())
