"""How much of what exists binding triplets use, and how evenly: words, contexts, shapes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from gen.audit.variety import measures
from gen.triplets.accept import cap
from gen.triplets.constructions import BY_NAME
from gen.triplets.context import PLAIN, contexts
from schemas.audit import Finding
from schemas.triplets import Example

ENOUGH = 20
"""Examples for each thing that exists: by then one of 1,000 evenly drawn scenes is still missing
in one dataset of 500,000."""


def check(examples: Sequence[Example]) -> list[Finding]:
    """The words, contexts and shapes of examples."""
    return [*vocabulary(examples), *covered(examples)]


def vocabulary(examples: Sequence[Example]) -> Iterator[Finding]:
    """Evenness of objects and attributes, and the most used word of each type against its cap."""
    uses: dict[str, Counter[str]] = {"objects": Counter(), "attributes": Counter()}
    by_type: dict[str, Counter[str]] = defaultdict(Counter)
    sizes = Counter(example.construction for example in examples)
    for example in examples:
        nouns = [noun.casefold() for noun in example.objects]
        attributes = [word.casefold() for row in example.attributes for word in row]
        uses["objects"].update(nouns)
        uses["attributes"].update(attributes)
        by_type[example.construction].update([*nouns, *attributes])
    for name, counts in uses.items():
        yield Finding(
            check="vocabulary_entropy",
            group=f"terms={name}",
            value=measures.entropy(counts.values()),
            n=counts.total(),
            note=f"bits, of {measures.most_bits(len(counts)):.2f} that {len(counts):,} words can "
            "have",
        )
    for construction, counts in by_type.items():
        size = sizes[construction]
        [(word, count)] = counts.most_common(1)
        yield Finding(
            check="largest_share",
            group=f"construction={construction}",
            value=count / size,
            n=size,
            bound=cap(construction, size) / size,
            note=f"share of examples that use {word!r}, the most used word; bound: the cap (B.3)",
        )


def covered(examples: Sequence[Example]) -> Iterator[Finding]:
    """How many of the contexts and shapes that exist are used, and how evenly."""
    lists = contexts()
    scenes = [example.context.split("; ")[0] for example in examples]
    yield from _covered("scene", scenes, lists.scenes)
    registers = (*lists.registers, PLAIN)
    yield from _covered("register", (row.register for row in examples), registers)
    yield from _covered("opener", (row.opener for row in examples), lists.openers)
    present = {example.construction: BY_NAME[example.construction] for example in examples}
    bands = [
        f"{name} {low}-{high}"
        for name, one in present.items()
        for low, high in one.bands[one.shortest :]
    ]
    windows = [f"{name} {low}-{high}" for name, one in present.items() for low, high in one.windows]
    used = (f"{row.construction} {row.length_band}" for row in examples)
    yield from _covered("length_band", used, bands)
    used = (f"{row.construction} {row.distance_window}" for row in examples)
    yield from _covered("distance_window", used, windows)
    yield Finding(
        check="contexts",
        value=len({example.context for example in examples}) / len(examples),
        n=len(examples),
        note="share of distinct combinations of scene, time of day and weather",
    )


def _covered(what: str, used: Iterable[str], exist: Iterable[str]) -> Iterator[Finding]:
    counts, others = dict.fromkeys(exist, 0), 0
    for name in used:
        if name in counts:
            counts[name] += 1
        else:
            others += 1
    kinds, total = len(counts), sum(counts.values())
    note = f"share in use of the {kinds:,} that exist"
    if others:
        note += f"; {others:,} examples have another: some other version's"
    yield Finding(
        check="coverage",
        group=f"what={what}",
        value=sum(map(bool, counts.values())) / kinds,
        n=total + others,
        bound=1.0 if total >= ENOUGH * kinds and not others else None,
        worse="below",
        note=note,
    )
    if total:
        yield Finding(
            check="evenness",
            group=f"what={what}",
            value=measures.evenness(counts.values(), kinds),
            n=total,
            note="entropy as a share of the most that is possible",
        )
