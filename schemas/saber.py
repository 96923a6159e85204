"""The SABER contracts: what a question is and what the rows of its four configs hold.

Source: "Stuck on Shuffle", section 3 and appendix A.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import pyarrow as pa

SUBSETS = ("independent", "nested")
"""Questions sampled on their own, and those of chains, where each adds one binding (A.5)."""

PRESERVING = "binding_preserving"
ATTRIBUTE_SWAP, OBJECT_SWAP, JOINT_SWAP = "attribute_swap", "object_swap", "joint_swap"
REPLACEMENT = "replacement"
"""Takes the place of `JOINT_SWAP` where there are two pairs, hence only two assignments (A.2)."""

CONFIGS = ("mcq", "queries", "corpus", "qrels")
SPLIT = "test"
"""The only split: nobody trains on a benchmark."""


class Binding(NamedTuple):
    """An attribute and the object that has it."""

    attribute: str
    object: str


Scene: TypeAlias = tuple[Binding, ...]
"""What one caption and one image show, in the order in which the caption names it."""


class Candidate(NamedTuple):
    """One of the four answers to a question."""

    kind: str
    """How it relates to the query: one of the constants above."""
    scene: Scene


class Question(NamedTuple):
    """A query and its four candidates (A.2)."""

    subset: str
    n: int
    """Pairs in the query, and in each candidate."""
    number: int
    """Running number within subset and size; for a nested question, its chain."""
    query: Scene
    candidates: tuple[Candidate, ...]
    """In the shuffled order in which they are shown."""
    looks: dict[str, str]
    """The instantiation of every attribute, the same in all five scenes (A.3)."""
    layout_seed: int
    """Camera, light and places of the five images: 63 bits."""

    @property
    def id(self) -> str:
        """The row id: `independent-n05-00042`."""
        return question_id(self.subset, self.n, self.number)

    @property
    def chain(self) -> int | None:
        """The chain of a nested question."""
        return self.number if self.subset == SUBSETS[1] else None

    @property
    def answer(self) -> int:
        """The place of the candidate that preserves the bindings."""
        return [candidate.kind for candidate in self.candidates].index(PRESERVING)


def question_id(subset: str, n: int, number: int) -> str:
    """The row id of a question."""
    return f"{subset}-n{n:02d}-{number:05d}"


def candidate_id(question: str, place: int) -> str:
    """The row id of a candidate in the retrieval gallery."""
    return f"{question}-c{place}"


def kinds(n: int) -> tuple[str, ...]:
    """The kinds of candidates of a question of `n` pairs."""
    last = JOINT_SWAP if n > 2 else REPLACEMENT
    return (PRESERVING, ATTRIBUTE_SWAP, OBJECT_SWAP, last)


def schema(config: str) -> pa.Schema:
    """The Arrow schema of one of `CONFIGS`.

    Images are null in a dataset of texts; their type is that of the `Image` feature.
    """
    import pyarrow as pa

    text, whole, words = pa.string(), pa.int32(), pa.list_(pa.string())
    image = pa.struct([("bytes", pa.binary()), ("path", text)])
    kind = [("n", whole), ("subset", text), ("chain", whole)]
    parts = [("objects", words), ("attributes", words), ("instantiations", words)]
    document = [("_id", text), ("text", text), ("generation_text", text), ("image", image), *parts]
    shown = [("caption", text), ("generation_caption", text), ("image", image)]
    candidate = [*shown, ("kind", text)]
    mcq = [("id", text), *kind, *((f"query_{name}", type_) for name, type_ in shown)]
    for place in range(4):
        mcq += ((f"candidate_{place}_{name}", type_) for name, type_ in candidate)
    fields: dict[str, list[tuple[str, pa.DataType]]] = {
        "mcq": [*mcq, ("answer", whole), *parts, ("layout_seed", pa.int64())],
        "queries": [*document, *kind],
        "corpus": [*document, ("kind", text)],
        "qrels": [("query-id", text), ("corpus-id", text), ("score", whole)],
    }
    return pa.schema(fields[config])
