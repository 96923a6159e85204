"""What is audited, whatever it comes as: pairs of a positive and a negative caption, and more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from gen.audit.tables import READERS, Row, parquet
from gen.base.files import finished_manifest, sha256
from schemas.manifest import MANIFEST, Manifest
from schemas.triplets import Example, from_record

PAIRS = "pairs"
"""`Data.dataset` of a file of pairs."""
NAMES = {
    "query": ("query", "anchor"),
    "construction": ("construction", "subset"),
    "kind": ("kind", "negative_kind"),
    "example": ("example", "example_id", "id"),
}
"""The columns, by preference, that a file of pairs may have besides positive and negative."""


class Pair(NamedTuple):
    """A right and a wrong caption, between which somebody has to choose."""

    positive: str
    negative: str
    query: str | None
    """What the positive has the bindings of; None where the choice is by image alone."""
    example: str
    """Pairs of one example share texts: they are never on two sides of a fold."""
    construction: str
    """Type of the example; empty where there are no types."""
    kind: str
    """Kind of the negative; empty where there are no kinds."""
    same_family: bool | None = None
    """Whether the example exchanges attributes of one family; None where nobody says."""


@dataclass(frozen=True)
class Data:
    """A dataset as the audit sees it."""

    name: str
    path: Path
    dataset: str
    """`binding-triplets`, `saber` or `pairs`."""
    fingerprint: str
    """SHA-256 of the manifest, which has that of every file; of a file of pairs, its own."""
    pairs: tuple[Pair, ...]
    examples: tuple[Example, ...] = ()
    """Every row of binding triplets, in order of splits; empty for anything else."""
    splits: Mapping[str, str] = field(default_factory=dict)
    """Split of each example's id, for binding triplets."""
    manifest: Manifest | None = None

    @property
    def captions(self) -> list[str]:
        """The right captions, each once, in order."""
        return list(dict.fromkeys(pair.positive for pair in self.pairs))


def load(path: Path) -> Data:
    """Read a dataset's folder or a file of pairs.

    Raises:
        ValueError: naming what is wrong with it.
        OSError: when a file can't be read.
    """
    if not path.is_dir():
        return _load_file(path)
    found = finished_manifest(path)
    fingerprint = sha256(path / MANIFEST)
    name = path.resolve().name
    if found.dataset == "binding-triplets":
        splits: dict[str, str] = {}
        examples = []
        for file in found.files:
            if file.startswith("examples/"):
                split = Path(file).name.rsplit("-", 3)[0]
                for record in parquet(path / file):
                    examples.append(from_record(record))
                    splits[record["id"]] = split
        pairs = tuple(pair for example in examples for pair in example_pairs(example))
        return Data(name, path, found.dataset, fingerprint, pairs, tuple(examples), splits, found)
    if found.dataset == "saber":
        pairs = tuple(_saber_pairs(path, found))
        return Data(name, path, found.dataset, fingerprint, pairs, manifest=found)
    raise ValueError(
        f"{path}: the manifest says {found.dataset!r}; this program audits binding-triplets, "
        "saber, and files of pairs"
    )


def captions(path: Path) -> list[str]:
    """The captions, each once, of a dataset, a file of pairs, or a text file (one a line).

    Raises:
        ValueError: naming what is wrong with it.
    """
    if path.is_dir() or path.suffix in READERS:
        return load(path).captions
    lines = path.read_text(encoding="utf-8").splitlines()
    return list(dict.fromkeys(line.strip() for line in lines if line.strip()))


def example_pairs(example: Example) -> Iterator[Pair]:
    """The two pairs of a row of binding triplets."""
    for kind, negative in (
        ("attribute", example.negative_attribute),
        ("object", example.negative_object),
    ):
        yield Pair(
            example.positive,
            negative,
            example.query,
            example.id,
            example.construction,
            kind,
            example.same_family,
        )


def _saber_pairs(folder: Path, found: Manifest) -> Iterator[Pair]:
    """The right candidate of each question against each wrong one; the size is its type."""
    places = [f"candidate_{place}" for place in range(4)]
    columns = ["id", "n", "chain", "answer", "query_caption"]
    columns += [f"{place}_{name}" for place in places for name in ("caption", "kind")]
    for file in found.files:
        for row in parquet(folder / file, columns) if file.startswith("mcq/") else ():
            # The questions of a chain share bindings.
            example = row["id"] if row["chain"] is None else f"chain-{row['chain']}"
            right = row[f"candidate_{row['answer']}_caption"]
            for place in places:
                if place != f"candidate_{row['answer']}":
                    wrong, kind = row[f"{place}_caption"], row[f"{place}_kind"]
                    size = f"n={row['n']:02d}"
                    yield Pair(right, wrong, row["query_caption"], example, size, kind)


def _load_file(path: Path) -> Data:
    if path.suffix not in READERS:
        raise ValueError(
            f"{path}: neither a dataset's folder nor a file of pairs ({', '.join(READERS)})"
        )
    pairs = tuple(
        _pair(f"{path}: row {number}", row)
        for number, row in enumerate(READERS[path.suffix](path), 1)
    )
    if not pairs:
        raise ValueError(f"{path}: holds no pair")
    return Data(path.name, path, PAIRS, sha256(path), pairs)


def _pair(where: str, row: Row) -> Pair:
    """The pair of a row of anyone's file."""
    for name in ("positive", "negative"):
        if not isinstance(row.get(name), str) or not row[name].strip():
            raise ValueError(f"{where}: {name} is {row.get(name)!r}; write a caption there")
    found: dict[str, str | None] = {}
    for name, columns in NAMES.items():
        values = (row.get(column) for column in columns)
        found[name] = next((str(value) for value in values if value not in (None, "")), None)
    return Pair(
        row["positive"],
        row["negative"],
        found["query"],
        found["example"] or row["positive"].casefold(),
        found["construction"] or "",
        found["kind"] or "",
    )
