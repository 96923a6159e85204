"""The grammar writer: the embedded default, offline and deterministic.

It draws the words (`lexical`), a shape (`shapes`) and derivations of exact lengths
(`derive`) from the plan alone; its English is data (`symbols.toml`, `frames.toml` and
`gen/triplets/context`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from gen.base.text.words import capitalize
from gen.triplets.accept import Guidance
from gen.triplets.constructions import BY_NAME
from gen.triplets.constructions.base import ABOVE, BELOW, Span
from gen.triplets.context import PLAIN, contexts, lines
from gen.triplets.grammar.catalog import Frames
from gen.triplets.grammar.derive import (
    LONGEST,
    Context,
    Grammar,
    Text,
    content_words,
    parse,
    pick,
    size_of,
)
from gen.triplets.grammar.frames import Shape, Special
from gen.triplets.grammar.leaves import Buckets, leaf_lists, leaf_weights
from gen.triplets.grammar.lexical import Choice, Lexicon
from gen.triplets.grammar.shapes import draw_shape
from gen.triplets.plan import Plan
from gen.vocab.triplets import KINDS, Vocabulary
from schemas.triplets import Distractor, Draft, Rejected

FOLDER = Path(__file__).parent

REFERENCES = (
    ("the former", "the latter"),
    ("the first", "the second"),
)
"""Back-references to the object mentioned first and to the one mentioned second."""

BE = 12
"""How many times likelier `be` is than any other verb of a predicate."""
TERSE = 2
"""Up to this distance a reference has two words and a predicate verb one."""


class GrammarWriter:
    """Writes a draft for a plan; the same plan (and ban list) always gives the same draft."""

    name = "grammar"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._lexicon = Lexicon(vocabulary)
        self._leaves = leaf_lists()
        self._frames = Frames(_read("frames.toml"))
        symbols = {name: lines(text) for name, text in _read("symbols.toml").items()}
        weights = leaf_weights(self._leaves)
        self._grammars = {kind: Grammar(symbols, weights, kind) for kind in KINDS}
        self._predicates = {
            name: [parse(line) for line in symbols[name]]
            for name in symbols
            if name.startswith("pred")
        }

    def write(self, plan: Plan, guidance: Guidance) -> Draft | Rejected:
        """A draft for the plan, or the reason why there is none."""
        random = Random(plan.seed).random
        construction = BY_NAME[plan.slot.construction]
        lists = contexts()
        choice = self._lexicon.choose(
            construction,
            lists.scenes[plan.scene],
            plan.distractors,
            guidance.banned,
            random,
        )
        if choice is None:
            return Rejected("no_words")
        tense = 1 if self._frames.tense(plan) == "past" else 0
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
        bands = _bands(plan.band, random)
        drawn = draw_shape(self._frames, plan, items, grammar, sizes, bands, random)
        if drawn is None:
            return Rejected("no_derivation")
        return Draft(
            objects=choice.objects,
            attributes=choice.attributes,
            positive=self._write(plan, *drawn, grammar, texts, sizes, tense, random),
            distractors=choice.distractors,
        )

    def _texts(
        self, plan: Plan, choice: Choice, tense: int, random: Callable[[], float]
    ) -> dict[str, str]:
        """The texts of the special tokens (see `frames.toml`)."""
        texts = {"SCENE": plan.scene, "DIST": _listed(choice.distractors)}
        for place, (noun, row) in enumerate(zip(choice.objects, choice.attributes, strict=True), 1):
            texts[f"N{place}"] = " ".join((*row, noun))
            texts[f"O{place}"] = noun
            texts[f"A{place}"] = row[0]
        longest = 1 if plan.window[1] <= TERSE else LONGEST
        for token, stem in (("P1", "pred"), ("P2", "pred"), ("PP", "preds")):
            said = [
                [one for one in self._predicates[f"{stem}.{verb}"] if len(one[0]) <= longest]
                for verb in choice.verbs
            ]
            said = [options for options in said if options]
            at = max(random() * (len(said) + BE) - BE, 0)
            options = said[int(at)]
            elements, _ = options[pick([weight for _, weight in options], random())]
            texts[token] = " ".join(
                element.forms[tense] for element in elements if isinstance(element, Text)
            )
        references = REFERENCES[int(random() * len(REFERENCES))]
        first = plan.choice if BY_NAME[plan.slot.construction].form == "anaphoric" else 0
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
        if plan.register != PLAIN:
            leaves.update(self._leaves["register", plan.register])
        if plan.time:
            leaves.update(self._leaves["time", plan.time])
        if plan.weather:
            place = "indoors" if contexts().scenes[plan.scene].roof else "outdoors"
            leaves.update(self._leaves[place, plan.weather])
        return leaves


def _bands(band: Span, random: Callable[[], float]) -> Iterator[Span]:
    """A target length drawn evenly from the band, then ever more room above it.

    The tolerance comes last and word by word: it is for what no shape fits into the band.
    """
    low, high = band
    target = low + int(random() * (high - low + 1))
    while target < high:
        yield low, target
        target = (target + high + 1) // 2
    yield band
    for beyond in range(1, ABOVE + 1):
        yield low - BELOW, high + beyond


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
