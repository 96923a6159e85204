"""Prove a dataset again, from its files alone: python -m gen.verify FOLDER"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from gen.base.command import command
from gen.base.config import Config
from gen.verify.vision.config import VisionConfig

if TYPE_CHECKING:
    from gen.verify.report import Report
    from schemas.manifest import Manifest

PROG = "python -m gen.verify"
ABOUT = """\
Prove every row of a finished dataset again, with no state of the run that made it. Of binding
triplets: words, structure, length, distance, negatives, articles, caps, duplicates, splits. Of
SABER: bindings and candidates, captions, chains, judgements, even use, images with their ground
truth. Of both the manifest's sums.
Exits with status 1 when any rule is broken. With --check-with a vision model is asked about the
images instead."""


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
    vision_model: VisionConfig = VisionConfig()

    @model_validator(mode="after")
    def _fitting_flags(self) -> Self:
        for name in ("vocab", "workers", "pixels"):
            if self.vision_model.check_with is not None and name in self.model_fields_set:
                raise ValueError(f"--{name} is for the proof, not for --check-with")
        return self


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns 0 when every rule holds, 1 otherwise."""
    config = VerifyConfig.from_argv(argv, PROG, ABOUT)
    if config.vision_model.check_with:
        return command(PROG, lambda: look(config), "every answer is kept, the same command goes on")
    return command(PROG, lambda: check(config), "nothing was changed")


def check(config: VerifyConfig) -> int:
    """Prove a folder and print what was found; 1 when a rule is broken, else 0.

    Raises:
        ValueError: as `verify`.
    """
    report = verify(config)
    for line in report.lines():
        print(line)
    broken = sum(len(names) for names in report.broken.values())
    print(f"\n{config.folder}: " + (f"{broken:,} violations" if broken else "every rule holds"))
    return 1 if broken else 0


def look(config: VerifyConfig) -> int:
    """Ask a vision model about a folder's images; 1 when it agrees less than it has to, else 0.

    Raises:
        ValueError: when there is nothing to ask about, or no one who answers.
    """
    from gen.base.files import finished_manifest
    from gen.verify.vision.check import check

    settings = config.vision_model
    findings = check(config.folder, finished_manifest(config.folder), settings)
    for line in findings.lines():
        print(line)
    least = settings.check_least or 0.0
    short = findings.agreement < least
    end = f", less than --check-least {least:.1%}" if short else ""
    print(f"\n{config.folder}: {findings.agreement:.1%} agree{end}")
    return 1 if short else 0


def verify(config: VerifyConfig) -> Report:
    """Check a folder.

    Raises:
        ValueError: when there is nothing to check, or the vocabulary is not the data's own.
    """
    from gen.base.files import finished_manifest
    from gen.verify import saber, triplets

    found = finished_manifest(config.folder)
    proofs: dict[str, Callable[[Path, Manifest, Path | None, int | None], Report]] = {
        "binding-triplets": triplets.prove,
        "saber": partial(saber.prove, pixels=config.pixels),
    }
    if found.dataset not in proofs:
        raise ValueError(
            f"{config.folder}: the manifest says {found.dataset!r}; this program proves "
            f"{' and '.join(proofs)}"
        )
    if config.pixels and found.config.get("images") != "render":
        raise ValueError(f"--pixels is for rendered images; {config.folder} has none")
    return proofs[found.dataset](config.folder, found, config.vocab, config.workers)


if __name__ == "__main__":
    raise SystemExit(main())
