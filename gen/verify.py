"""Prove a dataset again, from its files alone: python -m gen.verify FOLDER"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, NonNegativeInt, PositiveInt

from gen.config import INTERRUPTED
from schemas.config import Config, fail

if TYPE_CHECKING:
    from gen.proof.report import Report
    from schemas.manifest import Manifest

PROG = "python -m gen.verify"
ABOUT = """\
Prove every row of a finished dataset again, with no state of the run that made it. Of binding
triplets: words, structure, length, distance, negatives, articles, caps, duplicates, splits. Of
SABER: bindings and candidates, captions, chains, judgements, even use, images with their ground
truth. Of both the manifest's sums.
Exits with status 1 when any rule is broken."""


class VerifyConfig(Config):
    """Settings of one verification."""

    folder: Path = Field(description="the dataset's folder")
    vocab: Path | None = Field(
        None, description="the vocabulary folder the data was made with (default: the built-in one)"
    )
    workers: PositiveInt | None = Field(
        None, description="worker processes (default: one for each CPU)"
    )
    pixels: NonNegativeInt = Field(
        0,
        description="images of queries, and of candidates, to hold against their masks as well: "
        "how large, how far apart, in what colors their objects are",
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns 0 when every rule holds, 1 otherwise."""
    try:
        config = VerifyConfig.from_argv(argv, PROG, ABOUT)
        report = verify(config)
    except (ValueError, OSError) as error:
        fail(PROG, str(error))
    except BrokenProcessPool:
        fail(PROG, "a worker process died (out of memory?); try fewer --workers")
    except KeyboardInterrupt:
        print("\nStopped; nothing was changed.", file=sys.stderr)
        return INTERRUPTED
    for line in report.lines():
        print(line)
    broken = sum(len(names) for names in report.broken.values())
    print(f"\n{config.folder}: " + (f"{broken:,} violations" if broken else "every rule holds"))
    return 1 if broken else 0


def verify(config: VerifyConfig) -> Report:
    """Check a folder.

    Raises:
        ValueError: when there is nothing to check, or the vocabulary is not the data's own.
    """
    from gen.proof import saber, triplets
    from schemas import manifest

    found = manifest.read(config.folder)
    if found is None:
        raise ValueError(
            f"{config.folder}: no manifest.json, so this is not a finished dataset; "
            "run the command that writes it again"
        )
    proofs: dict[str, Callable[[Path, Manifest, Path | None, int | None], Report]] = {
        "binding-triplets": triplets.prove,
        "saber": partial(saber.prove, pixels=config.pixels),
    }
    if found.dataset not in proofs:
        raise ValueError(
            f"{config.folder}: the manifest says {found.dataset!r}; this program proves "
            f"{' and '.join(proofs)}"
        )
    if config.pixels and "images" not in found.config:
        raise ValueError(f"--pixels is for a dataset with images; {config.folder} has none")
    return proofs[found.dataset](config.folder, found, config.vocab, config.workers)


if __name__ == "__main__":
    sys.exit(main())
