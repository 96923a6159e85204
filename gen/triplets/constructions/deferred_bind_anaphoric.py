"""deferred_bind_anaphoric: both nouns first, attributes by back-reference.

    query      red banner and dusty drum
    positive   A banner and a drum lay in the hall; the latter was dusty, the former red.
    attribute  A banner and a drum lay in the hall; the latter was red, the former dusty.
    object     A drum and a banner lay in the hall; the latter was dusty, the former red.

In half of the examples (exactly) the second object is described first, so the reference
has to be resolved; a bare "it" or "they" could mean either object and is rejected.
"""

from gen.base.text.captions import Caption
from gen.triplets.constructions.base import (
    Construction,
    deferred,
    deferred_distance,
    swap,
)

PRONOUNS = frozenset("it its itself they them their theirs themselves".split())
FIRST = frozenset("former first first-named first-mentioned earlier".split())
SECOND = frozenset("latter second second-named second-mentioned last last-named later".split())
"""Words that point back to the object mentioned first, and to the one mentioned second."""


def check(caption: Caption, choice: int | None = None) -> str | None:
    """Deferred; no bare pronoun; each attribute follows the reference to its own object."""
    reason = deferred(caption)
    if reason:
        return reason
    if not PRONOUNS.isdisjoint(token.partition("'")[0] for token in caption.tokens):
        return "bare_pronoun"
    start = max(caption.ends)
    described = sorted((row[0], pair) for pair, row in enumerate(caption.attributes))
    by_mention = sorted(range(2), key=lambda pair: caption.objects[pair])
    for place, pair in described:
        reference = _reference(caption.between(start, place))
        if reference is None:
            return "no_back_reference"
        if by_mention[reference] != pair:
            return "crossed_reference"
        start = place + 1
    if choice is not None and described[0][1] != by_mention[choice]:
        return "description_order"
    return None


def _reference(tokens: list[str]) -> int | None:
    """0 or 1 for the object that the last back-reference among `tokens` points to."""
    for token in reversed(tokens):
        if token in FIRST:
            return 0
        if token in SECOND or token == "other":
            return 1
    return None


CONSTRUCTION = Construction(
    name="deferred_bind_anaphoric",
    pairs=2,
    attributes=1,
    form="anaphoric",
    weight=10,
    check=check,
    distance=deferred_distance,
    permute_attributes=swap,
    permute_objects=swap,
    need=(12, 16, 21, 25),
    shortest=1,
    choices=2,
    distractors=True,
    held_out=True,
)
