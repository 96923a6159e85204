"""Write a dataset of binding triplets: python -m gen.triplets --n 100000"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gen.config import INTERRUPTED, TripletsConfig
from schemas.config import fail

PROG = "python -m gen.triplets"
ABOUT = """\
Write a dataset of binding triplets: validated examples of the seven construction types, each
with two hard negatives, in a folder that load_dataset opens. The same command goes on where an
interrupted one stopped; a larger --n tops a finished folder up."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    try:
        config = TripletsConfig.from_argv(argv, PROG, ABOUT)
        from gen.session import preview, run

        return preview(config) if config.preview else run(config)
    except ValueError as error:
        fail(PROG, str(error))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        fail(
            PROG,
            f"{place}{error.strerror or error}; accepted rows are safe, run again when mended",
            1,
        )
    except KeyboardInterrupt:
        print("\nStopped. Every accepted row is safe; the same command goes on.", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    raise SystemExit(main())
