"""What a vision model's answers say of the images: how many agree, and where they don't."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gen.base.chat.breaker import counts_of
from gen.base.progress import usage_note
from gen.verify.vision.answers import Answered
from gen.verify.vision.question import MISSING, NONE, Question
from schemas.manifest import Prices, Usage

WORST, SHOWN = 10, 100
"""Attributes, and objects, that are named; disagreements that are listed."""
AGREES, OTHER, SILENT = "agrees", "another object's look", "no answer"
VERDICTS = (AGREES, OTHER, NONE, MISSING, SILENT)


@dataclass(frozen=True)
class Findings:
    """The questions of one check and what was answered."""

    model: str
    pairs: list[tuple[Question, Answered]]
    usage: Usage
    """Of all tries at these questions, earlier runs' included."""
    asked: int
    """Questions that this run has asked."""
    prices: Prices | None = None

    @property
    def agreement(self) -> float:
        """The share of questions that are answered as the images were made; silence is no such."""
        return sum(verdict(*pair) == AGREES for pair in self.pairs) / len(self.pairs)

    def lines(self) -> Iterator[str]:
        """The report as text."""
        images = len({question.row for question, _ in self.pairs})
        counts = Counter(verdict(*pair) for pair in self.pairs)
        yield f"{self.model}: {len(self.pairs):,} questions about {images:,} images"
        for name in VERDICTS:
            yield f"  {name:<22} {counts[name]:>8,}  {counts[name] / len(self.pairs):>7.1%}"
        reasons = Counter(answered.reason for _, answered in self.pairs if answered.reason)
        if reasons:
            yield f"  without an answer: {counts_of(reasons)}"
        yield from self._by("pairs", lambda question: f"{question.n}")
        yield from self._by("attribute", lambda question: question.attribute, worst=True)
        yield from self._by("object", lambda question: question.object, worst=True)
        yield from self._disagreements()
        taken = usage_note(self.usage, self.prices)
        yield f"\n{self.usage.requests:,} requests, {self.asked:,} of them now{taken}"

    def _by(
        self, label: str, of: Callable[[Question], str], *, worst: bool = False
    ) -> Iterator[str]:
        """Agreement by a property of the questions; the worst values alone, if so asked."""
        shares = self._shares(of)
        names = list(shares)
        if worst:
            below = [name for name in names if shares[name][0] < 1]
            names = sorted(below, key=lambda name: (*shares[name], name))[:WORST]
        if names:
            yield f"\n  {label + (', worst first' if worst else ''):<22} questions   agree"
        for name in names:
            share, count = shares[name]
            yield f"  {name:<22} {-count:>9,}  {share:>6.1%}"

    def _shares(self, of: Callable[[Question], str]) -> dict[str, tuple[float, int]]:
        """(share that agrees, questions as a negative number) for each value, in sorting order."""
        asked, agreed = Counter[str](), Counter[str]()
        for question, answered in self.pairs:
            asked[of(question)] += 1
            agreed[of(question)] += verdict(question, answered) == AGREES
        return {name: (agreed[name] / count, -count) for name, count in asked.items()}

    def _disagreements(self) -> Iterator[str]:
        """Answers that do not agree: worst attributes first, of one attribute worst objects first.

        A question without an answer says nothing of its image.
        """
        attributes = self._shares(lambda question: question.attribute)
        objects = self._shares(lambda question: question.object)
        wrong = [pair for pair in self.pairs if verdict(*pair) not in (AGREES, SILENT)]
        wrong.sort(
            key=lambda pair: (
                *(attributes[pair[0].attribute], pair[0].attribute),
                *(objects[pair[0].object], pair[0].object),
                pair[0].row,
            )
        )
        if wrong:
            yield f"\n  {'row':<28} {'object':<16} {'made as':<28} answered"
        for question, answered in wrong[:SHOWN]:
            made = f"{question.row:<28} {question.object:<16} {question.look:<28}"
            yield f"  {made} {answered.answered}"
        if len(wrong) > SHOWN:
            yield f"  and {len(wrong) - SHOWN:,} more: lines of the file of answers"


def verdict(question: Question, answered: Answered) -> str:
    """What an answer means: one of `VERDICTS`."""
    if answered.answered is None:
        return SILENT
    if answered.answered == question.look:
        return AGREES
    return answered.answered if answered.answered in (NONE, MISSING) else OTHER
