"""Audit a dataset: python -m gen.audit FOLDER_OR_FILE"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gen.audit.config import AuditConfig
from gen.config import INTERRUPTED
from schemas.config import fail

PROG = "python -m gen.audit"
ABOUT = """\
Ask of a dataset, or of anyone's file of (positive, negative) pairs: can it be cheated, is it
varied, is it well-formed? Writes audit.json, audit.md, sightings.jsonl and plots/; the data is
never changed. Exits with status 1 when any figure is beyond its bound."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns 0 when every bound is kept, 1 otherwise."""
    try:
        config = AuditConfig.from_argv(argv, PROG, ABOUT)
        from gen.audit.session import run

        audit = run(config)
    except (ValueError, OSError) as error:
        fail(PROG, str(error))
    except KeyboardInterrupt:
        print("\nStopped; nothing was written.", file=sys.stderr)
        return INTERRUPTED
    for finding in audit.broken:
        limit = f"{'at most' if finding.worse == 'above' else 'at least'} {finding.bound}"
        print(f"  {finding.check}, {finding.group}: {finding.value:.4g} ({limit})")
    verdict = f"{len(audit.broken)} figures beyond their bounds" if audit.broken else "passed"
    print(f"\n{config.results}/audit.md: {verdict}")
    return 0 if audit.passed else 1


if __name__ == "__main__":
    sys.exit(main())
