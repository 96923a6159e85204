"""The grammar writer: the embedded default, offline and deterministic.

It draws the words (`lexical`), a shape (`frames`) and derivations of exact lengths
(`derive`) from the plan alone; its English is data (`symbols.toml`, `frames.toml` and
`gen/context`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from gen.accept import Guidance
from gen.constructions import BY_NAME
from gen.constructions.base import ABOVE, BELOW
from gen.context import contexts, lines
from gen.grammar.derive import (
    LONGEST,
    Context,
    Grammar,
    Leaf,
    Text,
    Vector,
    content_words,
    parse,
    size_of,
)
from gen.grammar.frames import Frames, Shape, Special, draw_shape
from gen.grammar.lexical import Choice, Lexicon
from gen.plan import Plan
from gen.vocabulary import KINDS, Vocabulary
from gen.words import capitalize
from schemas.triplets import Distractor, Draft

FOLDER = Path(__file__).parent

REFERENCES = (
    ("the former", "the latter"),
    ("the first", "the second"),
    ("the former", "the latter"),
    ("the first one", "the second one"),
    ("the first of the two", "the second"),
    ("the first-named", "the second-named"),
)
"""Back-references to the object mentioned first and to the one mentioned second."""

TERSE = 2
"""Up to this distance a reference has two words and a predicate verb one."""

BY_SETTING = ("person", "group", "spot", "event", "origin", "purpose")
BY_REGISTER = ("lead", "aside", "close", "shows")

Buckets = dict[int, list[Leaf]]


class GrammarWriter:
    """Writes a draft for a plan; the same plan (and ban list) always gives the same draft."""

    name = "grammar"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._lexicon = Lexicon(vocabulary)
        self._leaves = _leaves()
        self._frames = Frames(_read("frames.toml"))
        symbols = {name: lines(text) for name, text in _read("symbols.toml").items()}
        weights = _leaf_weights(self._leaves)
        self._grammars = {kind: Grammar(symbols, weights, kind) for kind in KINDS}
        self._predicates = {
            name: [parse(line)[0] for line in symbols[name]]
            for name in symbols
            if name.startswith("pred")
        }

    def write(self, plan: Plan, guidance: Guidance) -> Draft | str:
        """A draft for the plan, or the reason why there is none."""
        random = Random(plan.seed).random
        construction = BY_NAME[plan.slot.construction]
        lists = contexts()
        choice = self._lexicon.choose(
            construction,
            lists.settings[plan.setting].type,
            plan.distractors,
            guidance.banned,
            random,
        )
        if choice is None:
            return "no_words"
        tense = 0 if lists.registers[plan.register].tense == "present" else 1
        texts = self._texts(plan, choice, tense, random)
        sizes = {name: size_of(text) for name, text in texts.items()}
        grammar = self._grammars[choice.kind]
        items = frozenset(
            name
            for name, there in (
                ("scene", True),
                ("time", plan.time),
                ("weather", plan.weather),
                ("dist", choice.distractors),
            )
            if there
        )
        low, high = plan.band
        options = self._frames.options(construction.name, plan.opener, items)
        for band in (plan.band, (low - BELOW, high + ABOVE)):
            drawn = draw_shape(self._frames, options, grammar, sizes, band, plan.window, random)
            if drawn is not None:
                return Draft(
                    objects=choice.objects,
                    attributes=choice.attributes,
                    positive=self._write(plan, *drawn, grammar, texts, sizes, tense, random),
                    distractors=choice.distractors,
                )
        return "no_derivation"

    def _texts(
        self, plan: Plan, choice: Choice, tense: int, random: Callable[[], float]
    ) -> dict[str, str]:
        """The texts of the special tokens (see `frames.toml`)."""
        texts = {"SCENE": plan.scene, "DIST": _listed(choice.distractors)}
        for place, (noun, row) in enumerate(zip(choice.objects, choice.attributes, strict=True), 1):
            texts[f"N{place}"] = " ".join((*row, noun))
            texts[f"O{place}"] = noun
            texts[f"A{place}"] = row[0]
        for token, stem in (("P1", "pred"), ("P2", "pred"), ("PP", "preds")):
            verb = choice.verbs[int(random() * len(choice.verbs))]
            options = self._predicates[f"{stem}.{verb}"]
            if plan.window[1] <= TERSE:
                options = [option for option in options if len(option) == 1]
            elements = options[int(random() * len(options))]
            texts[token] = " ".join(
                element.forms[tense] for element in elements if isinstance(element, Text)
            )
        terse = [pair for pair in REFERENCES if plan.window[1] > TERSE or size_of(pair[0]) == 2]
        references = terse[int(random() * len(terse))]
        first = plan.choice if plan.slot.construction == "deferred_bind_anaphoric" else 0
        texts["R1"], texts["R2"] = references[first], references[1 - first]
        texts["F1"], texts["F2"] = texts[f"A{first + 1}"], texts[f"A{2 - first}"]
        return texts

    def _write(
        self,
        plan: Plan,
        shape: Shape,
        drawn: Sequence[int],
        grammar: Grammar,
        texts: Mapping[str, str],
        sizes: Mapping[str, int],
        tense: int,
        random: Callable[[], float],
    ) -> str:
        used = content_words(plan.scene)
        context = Context(self._for(plan), tense, random, used)
        queues: list[dict[str, list[int]]] = []
        for region, size in zip(shape.regions, drawn, strict=True):
            queue: dict[str, list[int]] = {}
            own = grammar.split(region.names, size - region.base(sizes), random)
            for name, words in zip(region.names, own, strict=True):
                queue.setdefault(name, []).append(words)
            queues.append(queue)
        for number, part in shape.parts:
            if isinstance(part, Text):
                context.out.append(part.forms[tense])
            elif isinstance(part, Special):
                context.out.append(texts[part.name])
            else:
                grammar.draw(part, queues[number][part].pop(), context)
        return punctuate(context.out)

    def _for(self, plan: Plan) -> dict[str, Buckets]:
        """The leaf lists of the plan's setting, time, weather and register."""
        leaves = dict(self._leaves["setting", plan.setting])
        leaves.update(self._leaves["register", plan.register])
        if plan.time:
            leaves.update(self._leaves["time", plan.time])
        if plan.weather:
            leaves.update(self._leaves["weather", plan.weather])
        return leaves


def _listed(pairs: Sequence[Distractor]) -> str:
    """`a rusty anchor, a wool coat and a tin drum` (articles are repaired later)."""
    phrases = [f"a {attribute} {noun}" for attribute, noun in pairs]
    return " and ".join(part for part in (", ".join(phrases[:-1]), *phrases[-1:]) if part)


_BEFORE_MARK = re.compile(r"\s+(?=[,;:.?!]|'s\b)")
_EXTRA_COMMA = re.compile(r",(?=[,;:.?!])|(?<=[;:.?!]),")
_EXTRA_MARK = re.compile(r"[;:](?=[.?!])|(?<=[.?!])\.")
_SENTENCE = re.compile(r"(?:^|[.?!] )[a-z]")


def punctuate(parts: Iterable[str]) -> str:
    """Words and marks as a text: marks attached, doubled ones dropped, sentences capitalised."""
    text = _BEFORE_MARK.sub("", " ".join(part for part in parts if part))
    text = _EXTRA_MARK.sub("", _EXTRA_COMMA.sub("", text))
    return _SENTENCE.sub(lambda match: match.group().upper(), capitalize(text))


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / name).read_text())


def _bucket(phrases: Iterable[tuple[str, str]]) -> Buckets:
    """Phrases (in both tenses) by their length in words."""
    buckets: Buckets = {}
    for forms in phrases:
        leaf = Leaf(forms, content_words(forms[1]))
        buckets.setdefault(size_of(forms[1]), []).append(leaf)
    return buckets


def _plain(phrases: Iterable[str]) -> Buckets:
    return _bucket((phrase, phrase) for phrase in phrases)


_PLURALS = {"person": "people"}


def _leaves() -> dict[tuple[str, str], dict[str, Buckets]]:
    """Leaf lists by context: ("setting", name), ("register", name), ("time", name), ..."""
    lists = contexts()
    leaves: dict[tuple[str, str], dict[str, Buckets]] = {}
    for setting in lists.settings.values():
        own = {name: _plain(setting.pieces[_PLURALS.get(name, f"{name}s")]) for name in BY_SETTING}
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
    for kind, styles in (("time", lists.times), ("weather", lists.weathers)):
        for style in styles.values():
            leaves[kind, style.name] = {kind: _plain(style.pieces["phrases"])}
    return leaves


def _leaf_weights(leaves: Mapping[tuple[str, str], Mapping[str, Buckets]]) -> dict[str, Vector]:
    """For each leaf, the share of each length that every context can serve."""
    weights: dict[str, Vector] = {}
    for own in leaves.values():
        for name, buckets in own.items():
            counts = [float(len(buckets.get(size, ()))) for size in range(LONGEST + 1)]
            known = weights.setdefault(name, counts)
            weights[name] = [min(a, b) for a, b in zip(known, counts, strict=True)]
    return {name: [count / sum(vector) for count in vector] for name, vector in weights.items()}
