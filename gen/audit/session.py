"""One audit from settings to files."""

from __future__ import annotations

import shutil
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from gen import __version__
from gen.audit.config import AuditConfig
from gen.audit.data import load
from gen.audit.parts import PARTS
from gen.audit.reading import sheet
from gen.audit.report import write
from gen.audit.result import Result
from schemas.audit import Audit

AUDIT_FILE = "audit.json"
PACKAGES = (
    *("matplotlib", "numpy", "pyarrow", "scikit-learn", "scipy", "spacy"),
    *("gguf", "sentence-transformers", "torch", "transformers"),
)
"""Packages whose versions are on record."""


def run(config: AuditConfig) -> Audit:
    """Audit a dataset, and put the results in place when all of them are there.

    Raises:
        ValueError: when the data or the settings can't be audited, or something isn't installed.
        OSError: when a file can't be read or written.
    """
    out = config.results
    check_out(out)
    data = load(config.folder)
    left_out = {part.name: part.unless(data, config) for part in PARTS}
    todo = [(part.name, part.load()) for part in PARTS if not left_out[part.name]]
    print(f"{data.name}: {len(data.pairs):,} pairs, {len(data.captions):,} captions", flush=True)
    result = Result()
    for number, (name, part) in enumerate(todo, 1):
        start = time.monotonic()
        print(f"[{number}/{len(todo)}] {name} ...", flush=True)
        one = part(data, config)
        result.add(one)
        broken = sum(not finding.passed for finding in one.findings)
        print(
            f"[{number}/{len(todo)}] {name}: {len(one.findings)} figures, "
            f"{broken or 'none'} beyond bounds, {time.monotonic() - start:.0f} s",
            flush=True,
        )
    audit = Audit(
        dataset=data.dataset,
        name=data.name,
        fingerprint=data.fingerprint,
        pairs=len(data.pairs),
        generator=__version__,
        settings=settings(config),
        versions=versions(),
        left_out={name: why for name, why in left_out.items() if why},
        findings=tuple(result.findings),
    )
    put(out, audit, result)
    return audit


def write_sheet(config: AuditConfig) -> Path:
    """Write a sheet for readers into the folder of the results; returns its path.

    Raises:
        ValueError: when it is there already, or can't be made of these data.
        OSError: when a file can't be read or written.
    """
    check_out(config.results)
    return sheet.write(load(config.folder), config)


def settings(config: AuditConfig) -> dict[str, object]:
    """What the findings depend on; of paths, the last part."""
    found = config.model_dump(exclude={"folder", "out", "workers", "reading"})
    if config.score_reading:
        found["score_reading"] = [path.name for path in config.verdicts]
    for name in ("against", "language_model", "outcome_model", "sugarcrepe_pp"):
        if found[name] is not None:
            found[name] = Path(found[name]).name if Path(found[name]).exists() else found[name]
    return found


def versions() -> dict[str, str]:
    """Versions of the packages that are installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def check_out(out: Path) -> None:
    """Refuse a folder that is there and is no audit's.

    Raises:
        ValueError: naming it.
    """
    if not out.exists() or (out / AUDIT_FILE).is_file():
        return
    if out.is_file() or any(path.name != sheet.READING for path in out.iterdir()):
        raise ValueError(f"{out} exists and holds no audit; choose another --out")


def put(out: Path, audit: Audit, result: Result) -> None:
    """Write the results beside their place, then put them there; an earlier audit gives way.

    Its sheets for readers stay. A kill leaves the earlier audit or the new one, or, for an
    instant, none: never parts of both.
    """
    fresh, stale = (out.with_name(f".{out.name}.{end}") for end in ("new", "old"))
    for path in (fresh, stale):
        shutil.rmtree(path, ignore_errors=True)
    fresh.mkdir(parents=True)
    write(fresh, audit, result)
    if (out / sheet.READING).exists():
        shutil.copytree(out / sheet.READING, fresh / sheet.READING)
    if out.exists():
        out.rename(stale)
    fresh.rename(out)
    shutil.rmtree(stale, ignore_errors=True)
