"""Prompts: what a language model is told of one plan (paper B.1, B.3).

One template a construction (`prompts/constructions`). What is the same for all plans of a
construction comes first and what varies last, so that a server's prefix cache pays.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from math import gcd

from gen.base.draws import Draws
from gen.base.templates import PROMPTS, environment
from gen.base.text.captions import locate
from gen.triplets.accept import Guidance
from gen.triplets.build import canonical
from gen.triplets.constructions import BY_NAME
from gen.triplets.context import contexts
from gen.triplets.plan import Plan
from gen.vocab.triplets import Vocabulary
from schemas.triplets import Draft

PER_FAMILY = 4
"""Attributes suggested of each family *(ours; the paper gives no number)*."""
ONE_IN = 10
"""An attribute is suggested where it is plausible for one in so many of the scene's objects."""


def render(plan: Plan, guidance: Guidance, vocabulary: Vocabulary) -> str:
    """The prompt for one plan; it asks for a `schemas.triplets.Draft` as JSON (B.3).

    The same arguments always give the same text.

    Raises:
        jinja2.UndefinedError: a template uses a name that is not passed here.
        jinja2.TemplateNotFound: the plan's construction has no template.
    """
    construction = BY_NAME[plan.slot.construction]
    suggested = suggestions(plan, guidance, vocabulary)
    offered = {word for words in suggested.values() for word in words}
    template = environment().get_template(f"constructions/{construction.name}.j2")
    return template.render(
        pairs=construction.pairs,
        attributes_each=construction.attributes,
        distractors_allowed=construction.distractors,
        band=plan.band,
        window=plan.window,
        choice=plan.choice,
        distractors=plan.distractors,
        scene=plan.scene,
        setting=plan.setting.replace("_", " "),
        time=plan.time,
        weather=plan.weather,
        register=plan.register,
        opening=contexts().openers[plan.opener].hint,
        suggested=suggested,
        avoid=[w for w in guidance.avoid if w not in offered and w not in guidance.banned],
        banned=sorted(guidance.banned),
    )


def render_repair(plan: Plan, reason: str, draft: Draft | None, guidance: Guidance) -> str | None:
    """What a model is told of its rejected draft, or None where it should rather start afresh.

    Says what was measured where a length or distance is missed: models count badly.
    """
    construction = BY_NAME[plan.slot.construction]
    caption = distance = None
    if draft is not None and reason in ("length", "distance"):
        text = canonical(draft.positive)
        caption = locate(text, draft.objects, draft.attributes)
        if caption and reason == "distance":
            distance = construction.distance(caption)
    terms = draft and [*draft.objects, *(word for row in draft.attributes for word in row)]
    said = (
        environment()
        .get_template("repair.j2")
        .render(
            reason=reason,
            pairs=construction.pairs,
            attributes_each=construction.attributes,
            band=plan.band,
            window=plan.window,
            words=caption and len(caption.tokens),
            distance=distance,
            banned=sorted({t for t in terms or () if t.casefold() in guidance.banned}),
        )
    )
    return said.strip() or None


def suggestions(
    plan: Plan, guidance: Guidance, vocabulary: Vocabulary, per_family: int = PER_FAMILY
) -> dict[str, list[str]]:
    """The least-used attributes of each family that suit the scene and are below the cap (B.3).

    Equally used ones, and the order of the families, are drawn by a hash of the plan's
    seed: prompts in flight together suggest different words, and no family always comes
    first. A family of which no word suits, or every one is at the cap, is left out.

    Returns:
        Family name to at most `per_family` attributes, least used first.
    """
    families = list(vocabulary.families.values())
    free = _suiting(contexts().scenes[plan.scene].classes, vocabulary) - guidance.banned
    draws, uses = Draws("suggestions", plan.seed), guidance.uses
    found: dict[str, list[str]] = {}
    for place in draws.shuffled(len(families)):
        words = families[place].words
        ring = _rings(words)[draws.below(len(_rings(words)))]
        start = draws.below(len(words))
        drawn = ring[start : start + len(words)]
        fresh = (word for word in drawn if word in free and word not in uses)
        offered = list(islice(fresh, per_family))
        if len(offered) < per_family:
            used = [word for word in drawn if word in free and word in uses]
            offered += sorted(used, key=uses.__getitem__)[: per_family - len(offered)]
        if offered:
            found[families[place].name] = offered
    return found


_suited: dict[tuple[str, frozenset[str]], frozenset[str]] = {}


def _suiting(classes: frozenset[str], vocabulary: Vocabulary) -> frozenset[str]:
    """The attributes that suit a tenth of some classes' objects; all where none is known.

    Kept by vocabulary and classes: prompts are rendered by the thousand.
    """
    key = (vocabulary.digest, classes)
    if key not in _suited:
        known = [name for name in vocabulary.classes if name in classes]
        total = sum(len(vocabulary.classes[name].words) for name in known)
        fitting = sum((vocabulary.fitting[name] for name in known), Counter[str]())
        suiting = (word for word, count in fitting.items() if count * ONE_IN >= total)
        _suited[key] = frozenset(suiting if known else vocabulary.adjectives)
    return _suited[key]


@lru_cache(maxsize=64)
def _rings(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """All words, twice, in the orders in which steps of one size through the list meet them."""
    size = len(words)
    steps = [step for step in range(1, size + 1) if gcd(step, size) == 1]
    return [tuple(words[step * place % size] for place in range(2 * size)) for step in steps]


@lru_cache(maxsize=1)
def digest() -> str:
    """BLAKE2b of the templates for captions: what a writer is asked depends on them."""
    state = blake2b(digest_size=16)
    for path in sorted((*PROMPTS.glob("*.j2"), *PROMPTS.glob("constructions/*.j2"))):
        state.update(path.relative_to(PROMPTS).as_posix().encode() + b"\0" + path.read_bytes())
    return state.hexdigest()
