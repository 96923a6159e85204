"""Prove a dataset again, from its files alone: python -m gen.verify FOLDER"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, PositiveInt

from gen.config import INTERRUPTED
from schemas.config import Config, fail
from schemas.triplets import SPLITS

if TYPE_CHECKING:
    from gen.proof import Job, Rows
    from gen.vocabulary import Vocabulary
    from schemas.manifest import Manifest

PROG = "python -m gen.verify"
ABOUT = """\
Prove every row of a dataset of binding triplets again, with no state of the run that made it:
words, structure, length, distance, negatives, articles, caps, duplicates, splits, and the
manifest's sums. Exits with status 1 when any rule is broken."""

SHOWN = 3
"""Offending rows that are named for each rule."""


class VerifyConfig(Config):
    """Settings of one verification."""

    folder: Path = Field(description="the dataset's folder")
    vocab: Path | None = Field(
        None, description="the vocabulary folder the data was made with (default: the built-in one)"
    )
    workers: PositiveInt | None = Field(
        None, description="worker processes (default: one for each CPU)"
    )


@dataclass
class Report:
    """Rows or files checked, and those that broke each rule."""

    checked: Counter[str] = field(default_factory=Counter)
    broken: dict[str, list[str]] = field(default_factory=dict)

    def check(self, rule: str, name: str, holds: bool) -> None:
        """Count one check of a rule."""
        self.checked[rule] += 1
        if not holds:
            self.broken.setdefault(rule, []).append(name)

    def lines(self) -> Iterator[str]:
        """The report, a line a rule."""
        for rule, count in self.checked.items():
            bad = self.broken.get(rule, [])
            names = ", ".join(bad[:SHOWN]) + (", ..." if len(bad) > SHOWN else "")
            verdict = f"{len(bad):,} BROKEN: {names}" if bad else "ok"
            yield f"{rule:<28} {count:>9,}  {verdict}"


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
    from gen.vocabulary import BUILTIN, load
    from schemas import manifest

    found = manifest.read(config.folder)
    if found is None:
        raise ValueError(
            f"{config.folder}: no manifest.json, so this is not a finished dataset; "
            "run the command that writes it again"
        )
    vocabulary = load(config.vocab or BUILTIN)
    if vocabulary.digest != found.config.get("vocabulary"):
        raise ValueError(
            f"{config.folder} was made with another vocabulary; name its folder with --vocab"
        )
    report = Report()
    _check_files(config.folder, found, report)
    if not report.broken:
        _check_tables(config.folder, found, report)
    if not report.broken:
        _check_settings(found, vocabulary, report)
    if not report.broken:
        _check_rows(config, found, report)
    return report


def _check_files(folder: Path, found: Manifest, report: Report) -> None:
    """The manifest's sums hold, and no data file stands beside the listed ones."""
    from schemas.manifest import describe

    for name, entry in found.files.items():
        path = folder / name
        same = path.is_file() and describe(path, entry.rows) == entry
        report.check("file as in manifest", name, same)
    tables = [str(path.relative_to(folder)) for path in sorted(folder.glob("*/*.parquet"))]
    for name in (*tables, "rejected.jsonl", "README.md"):
        report.check("file listed in manifest", name, name in found.files)


def _check_tables(folder: Path, found: Manifest, report: Report) -> None:
    """Every Parquet file has its columns and rows, and its twin in the other config."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from schemas.triplets import examples_schema, triplets_schema

    schemas = {"examples": examples_schema(), "triplets": triplets_schema()}
    groups: dict[str, list[int]] = {}
    for name, entry in found.files.items():
        config = name.partition("/")[0]
        if config not in schemas:
            continue
        try:
            with pq.ParquetFile(folder / name) as file:
                meta = file.metadata
                groups[name] = [meta.row_group(i).num_rows for i in range(meta.num_row_groups)]
                same = file.schema_arrow.equals(schemas[config])
        except (pa.ArrowException, OSError):
            same = False
        report.check("columns as declared", name, same)
        report.check("rows as in manifest", name, sum(groups.get(name, ())) == entry.rows)
    for name in sorted({name.partition("/")[2] for name in groups}):
        doubled = [2 * rows for rows in groups.get(f"examples/{name}", ())]
        report.check("two triplets an example", name, groups.get(f"triplets/{name}") == doubled)


def _check_settings(found: Manifest, vocabulary: Vocabulary, report: Report) -> None:
    """The manifest says what the rules about all rows need to know."""
    from gen.constructions import BY_NAME

    mix, seed = found.config.get("mix"), found.config.get("seed")
    weights = mix.items() if isinstance(mix, dict) else [("", 0)]
    sound = all(name in BY_NAME and isinstance(w, int) and w > 0 for name, w in weights)
    report.check("settings in manifest", "mix", sound and bool(weights))
    report.check("settings in manifest", "seed", isinstance(seed, int))
    report.check("settings in manifest", "vocabulary", found.vocabulary == vocabulary.counts)


def _check_rows(config: VerifyConfig, found: Manifest, report: Report) -> None:
    """Every row on its own; then the rules about all rows together."""
    from gen import proof
    from gen.accept import cap
    from gen.plan import parse_slot, quotas, slots
    from gen.split import assign

    jobs = list(proof.jobs(config.folder, found))
    splits: dict[str, list[str]] = {}
    claims = []
    for (split, *_), rows in zip(jobs, _proofs(config, found, jobs), strict=True):
        splits.setdefault(split, []).extend(rows.ids)
        claims += rows.claims
        report.checked["row proved"] += len(rows.ids)
        for rule, name in rows.reasons:
            report.check(f"row: {rule}", name, False)
    ids = [name for members in splits.values() for name in members]
    _distinct(report, "id used once", ids, ids)
    _distinct(report, "caption used once", [c.caption for c in claims], ids)
    _distinct(report, "bindings used once", [c.bindings for c in claims], ids)
    _distinct(
        report, "words used once in type", [(c.construction, c.term_set) for c in claims], ids
    )
    counts = Counter(c.construction for c in claims)
    uses = Counter((c.construction, term) for c in claims for term in c.terms)
    for (construction, term), count in uses.items():
        holds = count <= cap(construction, counts[construction])
        report.check("word within frequency cap", f"{term} in {construction}", holds)
    wanted = quotas(found.requested, found.config["mix"])
    for construction, quota in wanted.items():
        report.check("quota of construction", construction, counts[construction] == quota)
    for name in ids:
        slot = parse_slot(name)
        report.check("id within quota", name, slot.index < wanted.get(slot.construction, 0))
    reasons = _reasons(config.folder / "rejected.jsonl")
    tried = found.attempts - sum(reasons.values())
    most = sum(1 for _ in slots(found.requested, found.config["mix"]))
    listed = found.files["rejected.jsonl"].rows
    report.check("rows as in manifest", "rejected.jsonl", listed == sum(reasons.values()))
    report.check("counts in manifest", "examples", found.examples == len(ids))
    report.check("counts in manifest", "constructions", found.constructions == counts)
    report.check("counts in manifest", "rejections", found.rejections == reasons)
    report.check("counts in manifest", "attempts", len(ids) <= tried <= most)
    report.check("counts in manifest", "splits", set(found.splits) == set(SPLITS))
    dealt = assign(sorted(map(parse_slot, ids), key=str), found.config["seed"])
    for split, members in dealt.items():
        expected = {slot.id for slot in members}
        report.check("split as dealt by seed", split, expected == set(splits.get(split, ())))
        report.check("split as in manifest", split, found.splits.get(split) == len(members))


def _proofs(config: VerifyConfig, found: Manifest, jobs: Sequence[Job]) -> Iterator[Rows]:
    """The proof of each job, in order; in worker processes where there is enough to do."""
    from gen import proof
    from gen.config import cpus
    from gen.run import INLINE
    from gen.vocabulary import BUILTIN
    from gen.workers import pool, sigint_blocked

    vocabulary, workers = config.vocab or BUILTIN, config.workers or cpus()
    if workers == 1 or found.examples < INLINE:
        proof.start(vocabulary)
        yield from map(proof.prove, jobs)
        return
    with pool(workers, proof.start, vocabulary) as executor:
        with sigint_blocked():
            results = executor.map(proof.prove, jobs)
        yield from results


def _reasons(path: Path) -> Counter[str]:
    """How many rejected attempts each reason has in the file."""
    from pydantic_core import from_json

    reasons: Counter[str] = Counter()
    with path.open("rb") as file:
        for line in file:
            try:
                reasons[from_json(line)["reason"]] += 1
            except (KeyError, TypeError, ValueError):
                reasons["damaged"] += 1
    return reasons


def _distinct(report: Report, rule: str, keys: Sequence[Any], names: Sequence[str]) -> None:
    counts = Counter(keys)
    for key, name in zip(keys, names, strict=True):
        report.check(rule, name, counts[key] == 1)


if __name__ == "__main__":
    sys.exit(main())
