"""Write the benchmark: python -m gen.saber --out saber"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gen.config import INTERRUPTED
from gen.saber.config import SaberConfig
from schemas.config import fail

PROG = "python -m gen.saber"
ABOUT = """\
Write SABER, the benchmark of attribute-object binding: multiple-choice questions of 2 to 10
pairs, their captions, and the gallery, queries and judgements of the retrieval task, in a folder
that load_dataset opens."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    try:
        config = SaberConfig.from_argv(argv, PROG, ABOUT)
        from gen.saber.session import preview, run

        return preview(config) if config.preview else run(config)
    except ValueError as error:
        fail(PROG, str(error))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        fail(PROG, f"{place}{error.strerror or error}; run again when mended", 1)
    except KeyboardInterrupt:
        print("\nStopped; the same command goes on.", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    raise SystemExit(main())
