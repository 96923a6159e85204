"""Audit a dataset: python -m gen.audit FOLDER_OR_FILE"""

from __future__ import annotations

from collections.abc import Sequence

from gen.audit.config import AuditConfig
from gen.base.command import command

PROG = "python -m gen.audit"
ABOUT = """\
Ask of a dataset, or of anyone's file of (positive, negative) pairs: can it be cheated, is it
varied, is it well-formed? Writes audit.json, audit.md, sightings.jsonl and plots/; the data is
never changed. Exits with status 1 when any figure is beyond its bound."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns 0 when every bound is kept, 1 otherwise."""
    config = AuditConfig.from_argv(argv, PROG, ABOUT)

    def work() -> int:
        from gen.audit.session import run, write_sheet

        if config.reading:
            path = write_sheet(config)
            print(f"{path} and the rubric beside it are for readers; key.jsonl is not.")
            return 0
        audit = run(config)
        for finding in audit.broken:
            limit = f"{'at most' if finding.worse == 'above' else 'at least'} {finding.bound}"
            print(f"  {finding.check}, {finding.group}: {finding.value:.4g} ({limit})")
        broken = f"{len(audit.broken)} figures beyond their bounds"
        print(f"\n{config.results}/audit.md: {'passed' if audit.passed else broken}")
        return 0 if audit.passed else 1

    return command(PROG, work, "nothing was written")


if __name__ == "__main__":
    raise SystemExit(main())
