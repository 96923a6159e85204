"""Objects and attributes handed out evenly, and the appearance of each attribute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush

from gen.base.draws import Draws
from gen.vocab.saber import SaberVocabulary


class Terms:
    """The objects, or the attributes: the least used that may come next, ties at random."""

    def __init__(self, terms: Iterable[str], group: Mapping[str, str], draws: Draws) -> None:
        self._group, self._draws = group, draws
        self._heap = [(0, draws.bits(), term) for term in terms]
        heapify(self._heap)

    def draw(self, beside: Iterable[str], uses: int) -> str:
        """A term that looks like none of those it comes beside, to be used so many times.

        The vocabulary has one (`settings.check_room`).
        """
        taken = {self._group[term] for term in beside}
        passed = []
        while self._group[self._heap[0][2]] in taken:
            passed.append(heappop(self._heap))
        used, _, term = heappop(self._heap)
        for entry in (*passed, (used + uses, self._draws.bits(), term)):
            heappush(self._heap, entry)
        return term

    def give_back(self, term: str, uses: int) -> None:
        """Take uses of a term off again."""
        self._heap = [(used - uses * (one == term), tie, one) for used, tie, one in self._heap]
        heapify(self._heap)


def instantiate(
    attributes: Sequence[str], vocabulary: SaberVocabulary, draws: Draws
) -> dict[str, str]:
    """The appearance of each attribute, one for all scenes they meet in (A.3).

    Colors are drawn from the palette (A.1), and first those that nothing else there has, so that
    a red kite doesn't come beside a red glowing one where there is a choice.
    """
    palette = vocabulary.palette
    shown = Counter(attributes)
    looks = {}
    for name in attributes:
        attribute = vocabulary.attributes[name]
        values: list[str] = []
        if attribute.variants:
            values = [attribute.variants[draws.below(len(attribute.variants))]]
        elif attribute.colors:
            mixed = [palette[place] for place in draws.shuffled(len(palette))]
            suited = filter(attribute.suits, mixed)
            values = sorted(suited, key=shown.__getitem__)[: attribute.colors]
            shown.update(values)
        looks[name] = attribute.fill(values)
    return looks
