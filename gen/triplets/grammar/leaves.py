"""Leaves: the phrase lists of a plan's setting, register, time and weather, by length.

Every context offers every length in use, so that one table of lengths serves all contexts:
what some context lacks is not used in any (tests hold the lists to the lengths in use).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gen.triplets.context import contexts
from gen.triplets.grammar.derive import LONGEST, Leaf, Vector, content_words, size_of

Buckets = dict[int, list[Leaf]]

BY_SETTING = ("person", "group", "event", "origin", "purpose")
BY_REGISTER = ("lead", "aside", "shows")


def _bucket(phrases: Iterable[tuple[str, str]]) -> Buckets:
    """Phrases (in both tenses) by their length in words."""
    buckets: Buckets = {}
    for forms in phrases:
        leaf = Leaf(forms, content_words(forms[1]))
        buckets.setdefault(size_of(forms[1]), []).append(leaf)
    return buckets


def _plain(phrases: Iterable[str]) -> Buckets:
    return _bucket((phrase, phrase) for phrase in phrases)


_PREPOSITIONS = frozenset("at behind by from in of on with".split())


def _takes_s(name: str) -> bool:
    """Whether a possessive `'s` can follow: not after `a pilgrim from Lhasa`."""
    return _PREPOSITIONS.isdisjoint(name.split())


_PLURALS = {"person": "people"}


def leaf_lists() -> dict[tuple[str, str], dict[str, Buckets]]:
    """Leaf lists by context: ("setting", name), ("register", name), ("time", name), ..."""
    lists = contexts()
    leaves: dict[tuple[str, str], dict[str, Buckets]] = {}
    for setting in lists.settings.values():
        own = {name: _plain(setting.pieces[_PLURALS.get(name, f"{name}s")]) for name in BY_SETTING}
        own["owner"] = _plain(name for name in setting.pieces["people"] if _takes_s(name))
        acts = [act.partition(" ") for act in setting.pieces["acts"]]
        forms = [(verb.split("|"), rest) for verb, _, rest in acts]
        own["act.s"] = _bucket((f"{v[1]} {rest}", f"{v[2]} {rest}") for v, rest in forms)
        own["act.p"] = _bucket((f"{v[0]} {rest}", f"{v[2]} {rest}") for v, rest in forms)
        own["act.ing"] = _plain(f"{v[3]} {rest}" for v, rest in forms)
        leaves["setting", setting.name] = own
    for register in lists.registers.values():
        leaves["register", register.name] = {
            name: _plain(register.pieces[name]) for name in BY_REGISTER
        }
    for time in lists.times.values():
        leaves["time", time.name] = {"time": _plain(time.pieces["phrases"])}
    for weather in lists.weathers.values():
        for place in ("outdoors", "indoors"):
            leaves[place, weather.name] = {"weather": _plain(weather.pieces[place])}
    return leaves


def leaf_weights(leaves: Mapping[tuple[str, str], Mapping[str, Buckets]]) -> dict[str, Vector]:
    """For each leaf, the share of each length that every context can serve."""
    weights: dict[str, Vector] = {}
    for own in leaves.values():
        for name, buckets in own.items():
            counts = [float(len(buckets.get(size, ()))) for size in range(LONGEST + 1)]
            known = weights.setdefault(name, counts)
            weights[name] = [min(a, b) for a, b in zip(known, counts, strict=True)]
    return {name: [count / sum(vector) for count in vector] for name, vector in weights.items()}
