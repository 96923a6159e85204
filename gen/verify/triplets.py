"""The proof of binding triplets: files, then rows on their own, then all rows together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic_core import from_json

from gen.triplets.accept import cap
from gen.triplets.constructions import BY_NAME
from gen.triplets.plan import parse_slot, quotas, slots
from gen.triplets.split import SPLITS, assign
from gen.verify import rows
from gen.verify.files import check_files, check_tables, check_vocabulary
from gen.verify.report import Report
from gen.verify.rows import Job, Rows, jobs
from gen.vocab.triplets import BUILTIN, Vocabulary, load
from schemas.manifest import Manifest
from schemas.triplets import examples_schema, triplets_schema


def prove(folder: Path, found: Manifest, vocab: Path | None, workers: int | None) -> Report:
    """Check a folder whose manifest was `found`.

    Raises:
        ValueError: when the vocabulary is not the data's own.
    """
    vocabulary = load(vocab or BUILTIN)
    check_vocabulary(folder, found, vocabulary.digest)
    report = Report()
    check_files(folder, found, ("rejected.jsonl", "README.md"), report)
    if not report.broken:
        _check_tables(folder, found, report)
    if not report.broken:
        _check_settings(found, vocabulary, report)
    if not report.broken:
        _check_rows(folder, found, vocab or BUILTIN, workers, report)
    return report


def _check_tables(folder: Path, found: Manifest, report: Report) -> None:
    """Every Parquet file has its columns and rows, and its twin in the other config."""
    schemas = {"examples": examples_schema(), "triplets": triplets_schema()}
    groups = check_tables(folder, found, schemas, report)
    for name in sorted({name.partition("/")[2] for name in groups}):
        doubled = [2 * count for count in groups.get(f"examples/{name}", ())]
        report.check("two triplets an example", name, groups.get(f"triplets/{name}") == doubled)


def _check_settings(found: Manifest, vocabulary: Vocabulary, report: Report) -> None:
    """The manifest says what the rules about all rows need to know."""
    mix, seed = found.config.get("mix"), found.config.get("seed")
    weights = mix.items() if isinstance(mix, dict) else [("", 0)]
    sound = all(name in BY_NAME and isinstance(w, int) and w > 0 for name, w in weights)
    report.check("settings in manifest", "mix", sound and bool(weights))
    report.check("settings in manifest", "seed", isinstance(seed, int))
    report.check("settings in manifest", "vocabulary", found.vocabulary == vocabulary.counts)


def _check_rows(
    folder: Path, found: Manifest, vocab: Path, workers: int | None, report: Report
) -> None:
    """Every row on its own; then the rules about all rows together."""
    todo = list(jobs(folder, found))
    splits: dict[str, list[str]] = {}
    claims = []
    for (split, *_), proved in zip(todo, _proofs(found, todo, vocab, workers), strict=True):
        splits.setdefault(split, []).extend(proved.ids)
        claims += proved.claims
        report.checked["row proved"] += len(proved.ids)
        for rule, name in proved.reasons:
            report.check(f"row: {rule}", name, False)
    ids = [name for members in splits.values() for name in members]
    report.distinct("id used once", ids, ids)
    report.distinct("caption used once", [c.caption for c in claims], ids)
    report.distinct("bindings used once", [c.bindings for c in claims], ids)
    report.distinct("words used once in type", [(c.construction, c.term_set) for c in claims], ids)
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
    reasons = _reasons(folder / "rejected.jsonl")
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


def _proofs(
    found: Manifest, todo: Sequence[Job], vocab: Path, workers: int | None
) -> Iterator[Rows]:
    """The proof of each job, in order; in worker processes where there is enough to do."""
    from gen.base.workers import cpus, pool, sigint_blocked
    from gen.triplets.run import INLINE

    workers = workers or cpus()
    if workers == 1 or found.examples < INLINE:
        rows.start(vocab)
        yield from map(rows.prove, todo)
        return
    with pool(workers, rows.start, vocab) as executor:
        with sigint_blocked():
            results = executor.map(rows.prove, todo)
        yield from results


def _reasons(path: Path) -> Counter[str]:
    """How many rejected attempts each reason has in the file."""
    reasons: Counter[str] = Counter()
    with path.open("rb") as file:
        for line in file:
            try:
                reasons[from_json(line)["reason"]] += 1
            except (KeyError, TypeError, ValueError):
                reasons["damaged"] += 1
    return reasons
