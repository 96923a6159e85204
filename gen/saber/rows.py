"""From a question to the rows of the configs `mcq`, `queries` and `corpus`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gen.saber.captions import generation_form, text_form
from schemas.saber import Question, Scene, candidate_id

Row = dict[str, Any]

SHOWN = {"text": "caption", "generation_text": "generation_caption", "image": "image"}
"""Columns of a document, and what they are called beside one another in a row of `mcq`."""


def spread(count: int, wanted: int) -> list[int]:
    """Places of `wanted` of `count` rows, or of all of them, as far apart as can be.

    >>> spread(10, 3), spread(2, 5)
    ([1, 5, 8], [0, 1])
    """
    wanted = min(wanted, count)
    return [(2 * place + 1) * count // (2 * wanted) for place in range(wanted)]


class Rows(NamedTuple):
    """The rows that a question gives."""

    mcq: Row
    query: Row
    corpus: list[Row]
    """Of its four candidates."""


def rows(question: Question, images: Sequence[bytes | None] = (None,) * 5) -> Rows:
    """The rows of a question with its images as files, the query's first; null without them."""
    first, *others = images
    kind: Row = {"n": question.n, "subset": question.subset, "chain": question.chain}
    query = {"_id": question.id, **_document(question.query, question, first), **kind}
    corpus = [
        {
            "_id": candidate_id(question.id, place),
            **_document(candidate.scene, question, image),
            "kind": candidate.kind,
        }
        for place, (candidate, image) in enumerate(zip(question.candidates, others, strict=True))
    ]
    return Rows(_mcq(question, query, corpus), query, corpus)


def _mcq(question: Question, query: Row, corpus: Sequence[Row]) -> Row:
    """The question in one row, as the Hub's viewer shows it."""
    row: Row = {"id": question.id}
    row |= {name: query[name] for name in ("n", "subset", "chain")}
    row |= {f"query_{name}": query[column] for column, name in SHOWN.items()}
    for place, document in enumerate(corpus):
        row |= {f"candidate_{place}_{name}": document[column] for column, name in SHOWN.items()}
        row[f"candidate_{place}_kind"] = document["kind"]
    row["answer"] = question.answer
    row |= {name: query[name] for name in ("objects", "attributes", "instantiations")}
    row["layout_seed"] = question.layout_seed
    return row


def _document(scene: Scene, question: Question, image: bytes | None) -> Row:
    """A scene's texts and image, and its bindings as three lists of the same order."""
    return {
        "text": text_form(scene),
        "generation_text": generation_form(scene, question.looks),
        "image": None if image is None else {"bytes": image, "path": None},
        "objects": [binding.object for binding in scene],
        "attributes": [binding.attribute for binding in scene],
        "instantiations": [question.looks[binding.attribute] for binding in scene],
    }
