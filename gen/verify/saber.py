"""The proof of a SABER dataset: files, then questions on their own, then what holds of them all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice, starmap
from pathlib import Path
from typing import Any

from gen.saber.candidates import bind
from gen.saber.retrieval import judgements
from gen.saber.rows import Row, rows
from gen.saber.settings import Settings
from gen.verify.files import check_files, check_tables, check_vocabulary
from gen.verify.images import FILES, check_images
from gen.verify.question import broken_rules
from gen.verify.report import Report
from gen.vocab.saber import BUILTIN, SaberVocabulary, load
from schemas.manifest import Manifest
from schemas.saber import (
    CONFIGS,
    PRESERVING,
    SPLIT,
    SUBSETS,
    Binding,
    Candidate,
    Question,
    Scene,
    candidate_id,
    question_id,
    schema,
)

EVEN = 0.1
"""How far the uses of an attribute may be from even use, as a part of it."""


def prove(
    folder: Path, found: Manifest, vocab: Path | None, workers: int | None, pixels: int = 0
) -> Report:
    """Check a folder whose manifest was `found`, and so many images by their pixels.

    One process does.

    Raises:
        ValueError: when the vocabulary is not the data's own.
    """
    vocabulary = load(vocab or BUILTIN)
    check_vocabulary(folder, found, vocabulary.digest)
    report = Report()
    check_files(folder, found, ("README.md", *_truth(found)), report)
    if not report.broken:
        check_tables(folder, found, {config: schema(config) for config in CONFIGS}, report)
    if not report.broken:
        _check_settings(found, vocabulary, report)
    if not report.broken:
        settings = settings_of(found)
        questions = list(_questions(folder, found, vocabulary, report))
        _check_numbers(found, settings, questions, report)
        _check_chains(questions, report)
        _check_judgements(folder, found, questions, report)
        _check_even_use(settings, questions, vocabulary, report)
        for config in FILES if _truth(found) else ():
            rows = records(folder, found, config)
            check_images(config, rows, folder, found, pixels, report)
    return report


def _truth(found: Manifest) -> tuple[str, ...]:
    """The files of ground truth that a dataset has to have: none, if it is one of texts."""
    return tuple(FILES.values()) if "images" in found.config else ()


def settings_of(found: Manifest) -> Settings:
    """The settings that a sound manifest names."""
    config = found.config
    return Settings(config["seed"], tuple(config["sizes"]), config["questions_per_size"])


def _check_settings(found: Manifest, vocabulary: SaberVocabulary, report: Report) -> None:
    config = found.config
    sizes, per_size = config.get("sizes"), config.get("questions_per_size")
    listed = sizes if isinstance(sizes, list) else []
    sound = bool(listed) and all(isinstance(n, int) and n >= 2 for n in listed)
    report.check("settings in manifest", "sizes", sound and listed == sorted(set(listed)))
    many = isinstance(per_size, int) and per_size > 0
    report.check("settings in manifest", "questions_per_size", many)
    report.check("settings in manifest", "seed", isinstance(config.get("seed"), int))
    if "images" in config:
        size = config.get("size")
        report.check("settings in manifest", "size", isinstance(size, int) and size > 0)
    report.check("settings in manifest", "vocabulary", found.vocabulary == vocabulary.counts)


def _questions(
    folder: Path, found: Manifest, vocabulary: SaberVocabulary, report: Report
) -> Iterator[Question]:
    """Every question that makes sense, proved on its own against its rows in three configs."""
    queries, corpus = records(folder, found, "queries"), records(folder, found, "corpus")
    for row in records(folder, found, "mcq"):
        query, documents = next(queries, {}), list(islice(corpus, 4))
        try:
            question = question_of_rows(row, query, documents)
            broken = list(broken_rules(question, vocabulary))
            images = [_image(found, document) for document in (query, *documents)]
            same = rows(question, images) == (row, query, documents)
        except (KeyError, IndexError, TypeError, ValueError):
            report.check("question makes sense", str(row["id"]), False)
            continue
        report.checked["question proved"] += 1
        for rule in broken:
            report.check(f"question: {rule}", question.id, False)
        report.check("rows as the question gives", question.id, same)
        yield question
    report.check("rows as the question gives", "rows left over", next(queries, None) is None)
    report.check("rows as the question gives", "candidates left over", next(corpus, None) is None)


def _image(found: Manifest, document: Row) -> bytes | None:
    """A row's image, where the dataset has images."""
    if "images" not in found.config or document["image"] is None:
        return None
    data: bytes | None = document["image"]["bytes"]
    return data


def records(folder: Path, found: Manifest, config: str) -> Iterator[dict[str, Any]]:
    """The rows of a config, over all its files."""
    import pyarrow.parquet as pq

    rows = 50 if "images" in found.config else 5_000
    for name in found.files:
        if name.startswith(f"{config}/"):
            with pq.ParquetFile(folder / name) as file:
                for batch in file.iter_batches(rows):
                    yield from batch.to_pylist()


def question_of_rows(row: Row, query: Row, corpus: list[Row]) -> Question:
    """The question that rows speak of; which then have to be those that it gives."""
    looks: dict[str, str] = {}
    for document in (query, *corpus):
        looks.update(zip(document["attributes"], document["instantiations"], strict=True))
    return Question(
        subset=SUBSETS[SUBSETS.index(row["subset"])],
        n=row["n"],
        number=int(row["id"].rpartition("-")[2]),
        query=_scene(query),
        candidates=tuple(Candidate(document["kind"], _scene(document)) for document in corpus),
        looks=looks,
        layout_seed=row["layout_seed"],
    )


def _scene(row: Row) -> Scene:
    return tuple(starmap(bind, zip(row["attributes"], row["objects"], strict=True)))


def _check_numbers(
    found: Manifest, settings: Settings, questions: list[Question], report: Report
) -> None:
    """Every question that was asked for is there, once and in order; answers stand evenly."""
    subsets = dict(zip(SUBSETS, (settings.independent, settings.chains), strict=True))
    ids = [
        question_id(subset, n, number)
        for n in settings.sizes
        for subset, count in subsets.items()
        for number in range(count)
    ]
    report.check("every question once", "ids", [question.id for question in questions] == ids)
    places: dict[tuple[str, int], Counter[int]] = {}
    for question in questions:
        places.setdefault((question.subset, question.n), Counter(range(4)))[question.answer] += 1
    for kind, counts in places.items():
        even = max(counts.values()) - min(counts.values()) <= 1
        report.check("answer places balanced", str(kind), even)
    subset_counts = dict(Counter(question.subset for question in questions))
    rejected = found.attempts - found.examples
    report.check("counts in manifest", "examples", found.examples == len(ids) == found.requested)
    report.check("counts in manifest", "constructions", found.constructions == subset_counts)
    report.check("counts in manifest", "splits", found.splits == {SPLIT: len(ids)})
    report.check("counts in manifest", "rejections", sum(found.rejections.values()) == rejected)


def _check_chains(questions: list[Question], report: Report) -> None:
    """Each question of a chain keeps the bindings of those before it, and their appearances."""
    chains: dict[int, list[Question]] = {}
    for question in questions:
        if question.chain is not None:
            chains.setdefault(question.chain, []).append(question)
    for chain in chains.values():
        chain.sort(key=lambda question: question.n)
        looks: dict[str, str] = {}
        before: set[Binding] = set()
        for question in chain:
            report.check("chain is nested", question.id, before < set(question.query))
            before = set(question.query)
            same = all(looks.get(name, look) == look for name, look in question.looks.items())
            report.check("chain keeps appearances", question.id, same)
            looks |= question.looks


def _check_judgements(
    folder: Path, found: Manifest, questions: list[Question], report: Report
) -> None:
    """The judgements are what containment gives; an independent query has its own answer alone."""
    expected: dict[str, list[str]] = {}
    for row in judgements(questions):
        expected.setdefault(row["query-id"], []).append(row["corpus-id"])
    given: dict[str, list[str]] = {}
    for row in records(folder, found, "qrels"):
        given.setdefault(row["query-id"], []).append(row["corpus-id"])
        report.check("score of a judgement is 1", row["corpus-id"], row["score"] == 1)
    for question in questions:
        relevant = expected.get(question.id, [])
        report.check("judged by containment", question.id, given.pop(question.id, []) == relevant)
        if question.chain is None and PRESERVING in {c.kind for c in question.candidates}:
            own = [candidate_id(question.id, question.answer)]
            report.check("independent has one relevant", question.id, relevant == own)
    report.check("judged by containment", "queries unknown", not given)


def _check_even_use(
    settings: Settings, questions: list[Question], vocabulary: SaberVocabulary, report: Report
) -> None:
    """Every attribute is used within 10 % of even, or within two chains of it in a small dataset.

    Look-alikes never share a question: a vocabulary with so many in one group that even use is
    impossible is not held to it.
    """
    names = list(vocabulary.attributes)
    largest = max(Counter(vocabulary.group[name] for name in names).values())
    if largest * settings.sizes[-1] > len(names):
        return
    uses = Counter(binding.attribute for question in questions for binding in question.query)
    even = uses.total() / len(names)
    for name in names:
        near = abs(uses[name] - even) <= max(EVEN * even, 2 * len(settings.sizes))
        report.check("attribute used evenly", name, near)
