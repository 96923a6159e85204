"""deferred_bind_respective: both nouns first, then both attributes at once, in noun order.

    query      neat drum and new banner
    positive   The banner and the drum in the hall were new and neat respectively.
    attribute  The banner and the drum in the hall were neat and new respectively.
    object     The drum and the banner in the hall were new and neat respectively.

Word order alone carries the binding.
"""

import re

from gen.base.text.captions import Caption
from gen.triplets.constructions.base import (
    Construction,
    deferred,
    deferred_distance,
    swap,
)

MARKER = re.compile(r"\brespective(ly)?\b|\b(in|following) (that|the same|this|the given) order\b")
"""What says that the attributes are dealt out in the order of the nouns."""


def check(caption: Caption, choice: int | None = None) -> str | None:
    """Deferred; attributes joined by `and`, in noun order, with a marker that says so."""
    reason = deferred(caption)
    if reason:
        return reason
    by_mention = sorted(range(2), key=lambda pair: caption.objects[pair])
    first, second = (caption.attributes[pair][0] for pair in by_mention)
    if second < first:
        return "attribute_order"
    if caption.between(first + 1, second) not in (["and"], ["and", "then"]):
        return "not_joint"
    if not MARKER.search(" ".join(caption.between(max(caption.ends), len(caption.tokens)))):
        return "no_respective"
    return None


CONSTRUCTION = Construction(
    name="deferred_bind_respective",
    pairs=2,
    attributes=1,
    form="respective",
    weight=10,
    check=check,
    distance=deferred_distance,
    permute_attributes=swap,
    permute_objects=swap,
    need=(10, 15, 18, 24),
    shortest=1,
    distractors=True,
    held_out=True,
)
