"""From a draft to an example: the query and both negatives, built by the program (B.1).

Negatives are the positive with terms exchanged in place. Capitals stay with the position,
`a` and `an` follow the new neighbour, and nothing else changes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gen.base.text.articles import repair_pieces
from gen.base.text.captions import Caption, locate
from gen.base.text.words import capitalize, negates, pieces
from gen.triplets.constructions import BY_NAME
from gen.triplets.constructions.base import Attributes
from gen.triplets.plan import Plan
from gen.vocab.overlap import overlaps_saber
from gen.vocab.triplets import Vocabulary
from schemas.triplets import Draft, Example, Rejected

_QUOTES = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", " ": " "})
_SPACE = re.compile(r"\s+")
_SENTENCE_END = re.compile(r"[.!?]['\")]*\s+['\"(]*")
_SPACE_BEFORE = re.compile(r" +([,.;:!?])")


def canonical(text: str) -> str:
    """`text` in the one surface form of the dataset, so that form gives nothing away.

    Straight quotes, single spaces, none before punctuation, a capital first and a full
    stop last, and every indefinite article as pronounced.
    """
    text = _SPACE_BEFORE.sub(r"\1", _SPACE.sub(" ", text.translate(_QUOTES)).strip())
    if text and text[-1] not in ".!?\"'" and text[-2:] not in (".)", "!)", "?)"):
        text = text.rstrip(",;:-") + "."
    parts = pieces(capitalize(text))
    repair_pieces(parts)
    return "".join(parts)


def build(plan: Plan, draft: Draft, writer: str, vocabulary: Vocabulary) -> Example | Rejected:
    """The example that a draft makes, or the reason why it makes none.

    Pairs are put in the order in which the caption mentions the objects.
    """
    positive = canonical(draft.positive)
    caption = locate(positive, draft.objects, draft.attributes)
    if caption is None:
        return Rejected("term_count")
    if not _spelled(caption, draft):
        return Rejected("term_spelling")
    order = sorted(range(len(draft.objects)), key=caption.objects.__getitem__)
    if order != list(range(len(order))):
        return build(plan, _reordered(draft, order), writer, vocabulary)
    construction = BY_NAME[plan.slot.construction]
    attributes = construction.permute_attributes(draft.attributes, plan.choice)
    objects = construction.permute_objects(draft.objects, plan.choice)
    return Example(
        id=plan.slot.id,
        construction=construction.name,
        objects=draft.objects,
        attributes=draft.attributes,
        query=query(draft.objects, draft.attributes, plan.order),
        positive=positive,
        negative_attribute=replace(positive, caption, draft, attributes, draft.objects),
        negative_object=replace(positive, caption, draft, draft.attributes, objects),
        length_band="{}-{}".format(*plan.band),
        distance_window="{}-{}".format(*plan.window),
        distance=construction.distance(caption),
        words=len(caption.tokens),
        context=plan.context,
        register=plan.register,
        opener=plan.opener,
        distractors=draft.distractors,
        saber_overlap=overlaps_saber(draft.objects, draft.attributes),
        has_negation=negates(caption.tokens),
        same_family=vocabulary.one_family(exchanged(draft.attributes, attributes)),
        order=plan.order,
        writer=writer,
        seed=plan.seed,
    )


def _spelled(caption: Caption, draft: Draft) -> bool:
    """Whether the caption spells every term as the draft does, but for a raised first letter.

    A term that the draft raises (`European`) is a name; where a sentence begins with it,
    it may be an ordinary word that would carry its capital along, and doesn't count.
    """
    parts = pieces(caption.text)
    spots = [*zip(draft.objects, caption.objects, caption.sizes, strict=True)]
    for row, places in zip(draft.attributes, caption.attributes, strict=True):
        spots += [(word, place, 1) for word, place in zip(row, places, strict=True)]
    for term, place, size in spots:
        if "".join(parts[2 * place + 1 : 2 * (place + size)]) not in (term, capitalize(term)):
            return False
        if term[0].isupper() and term[1:].islower() and _begins(parts, 2 * place + 1):
            return False
    return True


def _begins(parts: Sequence[str], at: int) -> bool:
    """Whether a sentence begins with the word at `at`."""
    return at == 1 or bool(_SENTENCE_END.fullmatch(parts[at - 1]))


def _reordered(draft: Draft, order: Sequence[int]) -> Draft:
    return draft.model_copy(
        update={
            "objects": tuple(draft.objects[place] for place in order),
            "attributes": tuple(draft.attributes[place] for place in order),
        }
    )


def exchanged(before: Attributes, after: Attributes) -> list[str]:
    """The attributes that stand in other places afterwards."""
    return [
        old
        for row, moved in zip(before, after, strict=True)
        for old, new in zip(row, moved, strict=True)
        if old != new
    ]


def query(objects: Sequence[str], attributes: Sequence[Sequence[str]], order: Sequence[int]) -> str:
    """The pairs in `order`, without articles: `torn flag, red banner and dusty drum`."""
    phrases = [" ".join((*attributes[place], objects[place])) for place in order]
    return f"{', '.join(phrases[:-1])} and {phrases[-1]}"


def replace(
    text: str,
    caption: Caption,
    draft: Draft | Example,
    attributes: Sequence[Sequence[str]],
    objects: Sequence[str],
) -> str:
    """`text` with the given terms in the places of the draft's own."""
    parts = pieces(text)
    for pair, place in enumerate(caption.objects):
        _put(parts, place, caption.sizes[pair], draft.objects[pair], objects[pair])
        for slot, spot in enumerate(caption.attributes[pair]):
            _put(parts, spot, 1, draft.attributes[pair][slot], attributes[pair][slot])
    repair_pieces(parts)
    return "".join(parts)


def _put(parts: list[str], place: int, size: int, old: str, new: str) -> None:
    """Put `new` where the words of `old` stand, with the capital of the position.

    A term that the draft itself writes with a capital is a name (`European`); its capital
    moves with it, except that a sentence begins with one in any case.
    """
    if old == new:
        return
    at = 2 * place + 1
    if _begins(parts, at):
        raised = not parts[at][0].islower()  # a sentence may begin with a numeral (`8-foot`)
    else:
        raised = parts[at][0].isupper() and not old[0].isupper()
    parts[at] = capitalize(new) if raised else new
    for extra in range(at + 1, at + 2 * size - 1):
        parts[extra] = ""
