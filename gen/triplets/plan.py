"""Plans: what one example is to be, fixed before any text exists.

A plan is a pure function of (run seed, construction, index, attempt); the slots of a run
are a prefix of one endless sequence, so a longer run begins with the shorter one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import lcm

from gen.base.draws import Draws, balanced
from gen.base.text.words import words
from gen.triplets.constructions import BY_NAME, CONSTRUCTIONS, Construction
from gen.triplets.constructions.base import ABOVE, Span
from gen.triplets.context import PLAIN, Opener, contexts

DEFAULT_MIX: dict[str, int] = {item.name: item.weight for item in CONSTRUCTIONS if item.weight}
"""The weights of a run that names none. 80,000 + 20,000 of 100,000, as the paper's totals ask
(B.5); the shares within are ours."""

REGISTER = 2
"""Words that a register mark takes, about."""
MODIFIER, DISTRACTOR, FIRST_DISTRACTOR = 3, 4, 6
"""Words that a time or weather, a distractor and the first distractor take, about."""

WINDOW_WEIGHTS = (4.0, 3.0, 2.0, 1.0)
"""How often each distance window is asked for, the nearest first. The paper leaves it open (B.3).
Who describes a picture keeps a thing and its attribute together: read blind, a quarter of the
captions with near windows made a reader wince, and three of five with wide ones."""
BAND_WEIGHTS = (5.0, 6.0, 4.0, 2.0)
"""How often each length band with enough room is taken, the shortest first: read blind, one in
eight captions of up to 22 words made a reader wince, and four of five of those of 31 and more. Of
the shortest the frames repeat themselves; most of the plain lines are of them as it is."""

PLAIN_WINDOWS, PLAIN_SHARE = 2, 55
"""The plain register takes so many percent of the two nearest distance windows, 40 % of all: a
line under a picture is short."""

DISTRACTOR_WEIGHTS = (0.4, 0.3, 0.2, 0.1)


@dataclass(frozen=True, slots=True)
class Slot:
    """One place in the dataset: a construction and its running number within it."""

    construction: str
    index: int

    @property
    def id(self) -> str:
        """The row id of the example that fills this slot."""
        return f"{self.construction}-{self.index:06d}"


def parse_slot(text: str) -> Slot:
    """The slot that an id names.

    Raises:
        ValueError: when there is no number after the last hyphen.
    """
    construction, _, index = text.rpartition("-")
    return Slot(construction, int(index))


@dataclass(frozen=True, slots=True)
class Plan:
    """One attempt at a slot: everything that is asked of the writer."""

    slot: Slot
    attempt: int
    seed: int
    setting: str
    scene: str
    time: str | None
    weather: str | None
    register: str
    opener: str
    band: tuple[int, int]
    window: tuple[int, int]
    distractors: int
    choice: int
    """The construction's own draw (`Construction.choices`): which pair stays, which slot moves."""
    order: tuple[int, ...]

    @property
    def context(self) -> str:
        """Scene, time and weather in one line, as rows and prompts show it."""
        return "; ".join(part for part in (self.scene, self.time, self.weather) if part)


def make_plan(seed: int, slot: Slot, attempt: int) -> Plan:
    """The plan of one attempt at a slot (B.3; every property is drawn on its own)."""
    construction = BY_NAME[slot.construction]
    draws = Draws("plan", seed, slot.construction, slot.index, attempt)
    lists = contexts()
    scene = tuple(lists.scenes)[draws.below(len(lists.scenes))]
    register = tuple(lists.registers)[draws.below(len(lists.registers))]
    window = draws.weighted(WINDOW_WEIGHTS[: len(construction.windows)])
    size = len(words(scene))
    plain = window < PLAIN_WINDOWS and draws.below(100) < PLAIN_SHARE
    fitting = _fitting(construction.name, window, size, plain)
    band, openers = fitting[0 if plain else draws.weighted(BAND_WEIGHTS[: len(fitting)])]
    opener = openers[draws.below(len(openers))]
    left = spare_words(construction, window, band, opener, size)
    left -= draws.below(left // 2 + 1) if left > 0 else 0  # not every caption fills its band
    time, weather, distractors = _extras(draws, construction, opener, left, plain)
    return Plan(
        slot=slot,
        attempt=attempt,
        seed=draws.bits() >> 1,
        setting=lists.scenes[scene].setting,
        scene=scene,
        time=time,
        weather=weather,
        register=PLAIN if plain else register,
        opener=opener.name,
        band=band,
        window=construction.windows[window],
        distractors=distractors,
        choice=balanced(slot.index, construction.choices, "choice", seed, slot.construction),
        order=draws.shuffled(construction.pairs),
    )


@lru_cache(maxsize=1024)
def _fitting(name: str, window: int, scene: int, plain: bool) -> list[tuple[Span, list[Opener]]]:
    """The length bands that are long enough for a window, each with the openers it has room for."""
    construction = BY_NAME[name]
    openers = [one for one in contexts().openers.values() if one.plain or not plain]
    if construction.form == "predicative" and window:  # a relative clause is for what is near
        openers = [one for one in openers if one.subject]
    bands = construction.bands[construction.shortest :]
    fitting = [
        (band, [one for one in openers if spare_words(construction, window, band, one, scene) >= 0])
        for band in bands
    ]
    return [pair for pair in fitting if pair[1]] or [(bands[-1], openers)]


def spare_words(
    construction: Construction, window: int, band: Span, opener: Opener, scene: int
) -> int:
    """Words that a band leaves beside the core structure, the scene, register and opener, about.

    A wide window has room for the scene itself, unless the opener puts it first. Half of
    the tolerance above the band is counted in.
    """
    if opener.fronts != "scene" and construction.windows[window][0] > scene:
        scene = 0
    need = construction.need[window] + scene + REGISTER + opener.words
    return band[1] + ABOVE // 2 - need


def _extras(
    draws: Draws, construction: Construction, opener: Opener, left: int, plain: bool
) -> tuple[str | None, str | None, int]:
    """Time, weather and distractors: drawn independently, then kept while there is room.

    An opener that begins with the time or the weather needs one; it is kept in any case. One
    circumstance is enough: of both, one goes, and both from a plain line or after an event.
    """
    lists = contexts()
    times, weathers = (None, *lists.times), (None, *lists.weathers)
    time = times[draws.below(len(times))]
    weather = weathers[draws.below(len(weathers))]
    if plain or opener.fronts == "event":
        time = weather = None
    if opener.fronts == "time" and time is None:
        time = times[1 + draws.below(len(times) - 1)]
    if opener.fronts == "weather" and weather is None:
        weather = weathers[1 + draws.below(len(weathers) - 1)]
    if time and weather:
        front = opener.fronts if opener.fronts in ("time", "weather") else ""
        if front == "time" or (front != "weather" and draws.below(2)):
            weather = None
        else:
            time = None
    count = draws.weighted(DISTRACTOR_WEIGHTS) if construction.distractors else 0
    extras = [name for name, value in (("time", time), ("weather", weather)) if value]
    extras += ["distractor"] * count
    order = [extras[place] for place in draws.shuffled(len(extras))]
    kept: list[str] = []
    for name in sorted(order, key=lambda name: name != opener.fronts):
        cost = MODIFIER
        if name == "distractor":
            cost = DISTRACTOR if name in kept else FIRST_DISTRACTOR
        if cost <= left or name == opener.fronts:
            kept.append(name)
            left -= cost
    return (
        time if "time" in kept else None,
        weather if "weather" in kept else None,
        kept.count("distractor"),
    )


def quotas(n: int, mix: Mapping[str, int]) -> dict[str, int]:
    """How many of `n` examples each construction gets, by largest remainder.

    >>> quotas(10, {"pair_swap": 2, "predicative": 1})
    {'pair_swap': 7, 'predicative': 3}
    """
    total = sum(mix.values())
    counts = {name: n * weight // total for name, weight in mix.items()}
    short = n - sum(counts.values())
    by_remainder = sorted(mix, key=lambda name: -(n * mix[name] % total))
    for name in by_remainder[:short]:
        counts[name] += 1
    return counts


def slots(n: int, mix: Mapping[str, int]) -> Iterator[Slot]:
    """The slots of a run of `n`: the shortest prefix of the endless sequence with every quota.

    The sequence interleaves the constructions in proportion (slot i of a construction of
    weight w stands at (2i + 1) / w). Largest remainders are not monotone in n, so the
    prefix may hold a slot or two beyond a quota; those rows are left out of the dataset,
    and a larger n never has to take a row back.
    """
    left = quotas(n, mix)
    step = 2 * lcm(*(weight for weight in mix.values() if weight))
    order = list(mix)
    heap = [(step // (2 * mix[name]), order.index(name), 0) for name in mix if mix[name]]
    heapq.heapify(heap)
    missing = sum(1 for count in left.values() if count)
    while missing:
        place, number, index = heap[0]
        name = order[number]
        yield Slot(name, index)
        missing -= index + 1 == left[name]
        heapq.heapreplace(heap, (place + step // mix[name], number, index + 1))
