"""Is the data varied? Repetition, beside a second dataset; vocabulary; coverage of what exists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Literal

from gen.audit.config import AuditConfig
from gen.audit.data import Data, Pair, captions
from gen.audit.result import FlaggedRow, Plot, Result
from gen.audit.variety import coverage, measures
from gen.triplets.context import PLAIN
from schemas.audit import OVERALL, Finding

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 20_000
"""Captions that repetition is measured over, at most."""
FRAMES = 5_000
"""Captions whose frames are searched for near-duplicates: a fixed number, as the rate grows with
it."""
GROUP = f"register={PLAIN}"
SHOWN = 50
"""Near-duplicates that are listed, at most."""

Side = Literal["above", "below"]
BOUNDS: Mapping[str, tuple[float, Side]] = {
    # A repeated caption is a row that counts twice, and may lie in two splits.
    "distinct_captions": (1.0, "below"),
    # Human captions of photographs have 1.1 % among 2,500 (COCO).
    "near_duplicates": (0.02, "above"),
    # Over 120,000 characters human captions have 3.13 and 91 % (COCO); ten templates, filled from
    # 2,000 words, have 3.46 and 86 %. Shorter texts have it easier.
    "gzip_ratio": (3.3, "above"),
    "distinct_4": (0.88, "below"),
    # Templates show once their terms are blanked: of ten, ten captions differ.
    "skeletons": (0.95, "below"),
    "near_skeletons": (0.05, "above"),
    # A mannerism. "On top of a" stands in 2.3 % of human captions (COCO).
    "commonest_run": (0.03, "above"),
}
"""Where repetition begins to be bad, and on which side."""
NOTES: Mapping[str, str] = {
    "distinct_captions": "share of captions that differ from every other, case aside",
    "near_duplicates": "share that has half of its word trigrams in common with another",
    "gzip_ratio": "bytes for each compressed byte; lower is more varied",
    **{f"distinct_{n}": f"share of distinct runs of {n} words" for n in (1, 2, 3, 4)},
    "skeletons": "share of captions that differ with their terms blanked",
    "near_skeletons": "share of captions whose frame has half of its word trigrams in common with "
    "another's",
    "commonest_run": "share of captions with one and the same run of four frame words",
}


def check(data: Data, config: AuditConfig) -> Result:
    """How varied a dataset is, beside the captions of `config.against` where there are some.

    SABER's captions are lists of phrases on purpose; their figures describe, without bounds.

    Raises:
        ValueError: naming what is wrong with `config.against`.
        OSError: when it can't be read.
    """
    # Pairs of one example share their positive; what two examples share is a repetition.
    own = {pair.example: pair.positive for pair in data.pairs}
    bounded = data.dataset != "saber"
    result = repetition(own, config.seed, bounded=bounded)
    if not data.examples:
        result.findings += frames(_skeletons(data.pairs), config.seed, bounded=bounded)
    else:
        # A plain line's frame is a handful of words, which many share: that describes, no more.
        plain = [measures.masked(one) for one in data.examples if one.register == PLAIN]
        others = [measures.masked(one) for one in data.examples if one.register != PLAIN]
        if others:
            result.findings += frames(others, config.seed, bounded=bounded)
        if plain:
            shown = frames(plain, config.seed, bounded=False)
            result.findings += [found.model_copy(update={"group": GROUP}) for found in shown]
        result.findings += coverage.check(data.examples)
    if config.against is not None:
        name = config.against.resolve().name
        if name == data.name:
            name = str(config.against)
        datasets = {data.name: list(own.values()), name: captions(config.against)}
        result.add(beside(datasets, config.seed))
    return result


def _skeletons(pairs: Iterable[Pair]) -> list[str]:
    """The frame of each positive, where nobody says what its terms are."""
    negatives: dict[str, list[str]] = defaultdict(list)
    positives = {}
    for pair in pairs:
        positives[pair.example] = pair.positive
        negatives[pair.example].append(pair.negative)
    return [measures.blanked(text, negatives[name]) for name, text in positives.items()]


def repetition(own: Mapping[str, str], seed: int = 0, *, bounded: bool = True) -> Result:
    """How much captions (by id) repeat themselves and one another; near-duplicates are listed."""
    ids = drawn(list(own), MOST, seed)
    some = [own[name] for name in ids]
    near = measures.near_duplicates(some)
    characters = min(measures.size(some), measures.CHARACTERS)
    result = Result()
    for name, value in {
        "distinct_captions": measures.distinct_share(own.values()),
        "near_duplicates": len(near) / len(some),
        **over_text(some, characters, seed),
    }.items():
        n = len(own) if name == "distinct_captions" else len(some)
        result.findings.append(_finding(name, value, n, characters, bounded=bounded))
    for place, other in list(near.items())[:SHOWN]:
        why = f"nearly the same as {ids[other]}: {some[other]}"
        result.flagged.append(FlaggedRow("near_duplicates", OVERALL, ids[place], some[place], why))
    return result


def over_text(some: Sequence[str], characters: int, seed: int = 0) -> dict[str, float]:
    """The measures that depend on the length of the text."""
    text = measures.sample(some, characters, seed)
    found = {"gzip_ratio": measures.gzip_ratio(text)}
    return found | {f"distinct_{n}": measures.distinct_ngrams(text, n) for n in (1, 2, 3, 4)}


def drawn(own: Sequence[str], most: int, seed: int) -> list[str]:
    """Captions drawn at random, or all of them where they are no more than `most`."""
    return list(own) if len(own) <= most else Random(seed).sample(own, most)


def beside(datasets: Mapping[str, Sequence[str]], seed: int = 0) -> Result:
    """The measures of several datasets over the same number of captions and characters."""
    count = min(MOST, *map(len, datasets.values()))
    equal = {name: drawn(own, count, seed) for name, own in datasets.items()}
    characters = min(measures.CHARACTERS, *map(measures.size, equal.values()))
    result = Result()
    for name, some in equal.items():
        near = len(measures.near_duplicates(some)) / count
        for label, value in {"near_duplicates": near, **over_text(some, characters, seed)}.items():
            group = f"dataset={name}"
            result.findings.append(_finding(label, value, count, characters, group))
    result.plots.append(
        Plot("distinct", "Distinct runs of words", partial(_draw, findings=result.findings))
    )
    return result


def _finding(
    name: str,
    value: float,
    n: int,
    characters: int = 0,
    group: str = OVERALL,
    *,
    bounded: bool = False,
) -> Finding:
    note = NOTES[name]
    if name.removeprefix("distinct_").isdigit() or name == "gzip_ratio":
        note += f", over {characters:,} characters"
    bound, worse = BOUNDS.get(name, (None, "above")) if bounded else (None, "above")
    return Finding(check=name, group=group, value=value, n=n, bound=bound, worse=worse, note=note)


def frames(skeletons: Sequence[str], seed: int = 0, *, bounded: bool = True) -> Iterator[Finding]:
    """Repetition of what stands around the terms: captions with their terms blanked."""
    some = drawn(skeletons, FRAMES, seed)
    near = len(measures.near_duplicates([measures.spoken(text) for text in some])) / len(some)
    run, share = measures.commonest_run(skeletons)
    for name, value, n in (
        ("skeletons", measures.distinct_share(skeletons), len(skeletons)),
        ("near_skeletons", near, len(some)),
        ("commonest_run", share, len(skeletons)),
    ):
        finding = _finding(name, value, n, bounded=bounded)
        note = f"{finding.note}: {run!r}" if name == "commonest_run" else finding.note
        yield finding.model_copy(update={"note": note})


def _draw(axes: Axes, findings: Sequence[Finding]) -> None:
    """Distinct runs against their length, a line for each dataset."""
    lines: dict[str, list[float]] = defaultdict(list)
    for finding in findings:
        if finding.check.removeprefix("distinct_").isdigit():
            lines[finding.group.removeprefix("dataset=")].append(finding.value)
    for name, values in lines.items():
        axes.plot(range(1, len(values) + 1), values, marker="o", label=name)
    axes.set_xticks([1, 2, 3, 4])
    axes.set_xlabel("words in a run")
    axes.set_ylabel("share that is distinct")
    axes.set_ylim(0, 1)
    axes.legend()
