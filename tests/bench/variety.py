"""How varied captions are: the usual surface measures, for the tests and the benchmark to share.

Repetitive text compresses well and repeats its n-grams. Both measures depend on the length of
the text, so they are always taken over the same number of characters.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random

from gen.words import words
from schemas.triplets import Example

CHARACTERS = 120_000
"""Length of the text that the measures are taken over: 550 captions, about."""


def sample(captions: Sequence[str], characters: int = CHARACTERS, seed: int = 0) -> str:
    """Captions in random order, one a line, cut to exactly `characters`.

    Raises:
        ValueError: where the captions are too few to fill the text.
    """
    order = list(captions)
    Random(seed).shuffle(order)
    text = "\n".join(order)
    if len(text) < characters:
        raise ValueError(f"{len(text):,} characters of captions; {characters:,} are needed")
    return text[:characters]


def gzip_ratio(text: str) -> float:
    """Bytes of the text for each byte that gzip -9 makes of it: lower is more varied.

    Human-written captions lie at about 3; a dozen templates at 6 and more.
    """
    raw = text.encode()
    return len(raw) / len(gzip.compress(raw, 9))


def distinct_ngrams(text: str, n: int = 4) -> float:
    """Share of the text's runs of `n` words that are different from one another, 0 to 1."""
    tokens = words(text)
    grams = list(zip(*(tokens[start:] for start in range(n)), strict=False))
    return len(set(grams)) / len(grams)


def masked(example: Example) -> str:
    """The positive with its core terms and distractors blanked: what the frame text alone is."""
    terms = [*example.objects, *(word for row in example.attributes for word in row)]
    terms += [word for pair in example.distractors for word in pair]
    longest_first = sorted({term.casefold() for term in terms}, key=len, reverse=True)
    either = "|".join(map(re.escape, longest_first))
    blanked = re.sub(rf"(?<![\w-])(?:{either})(?![\w-])", "_", example.positive.casefold())
    return re.sub(r"\ban(?= _)", "a", blanked)


def distinct_share(texts: Iterable[str]) -> float:
    """Share of texts that are different from one another (case aside), 0 to 1."""
    folded = [text.casefold() for text in texts]
    return len(set(folded)) / len(folded)


def near_duplicates(captions: Sequence[str], overlap: float = 0.5) -> float:
    """Share of captions that have a near-duplicate, 0 to 1.

    Two captions are near-duplicates when at least `overlap` of the word trigrams of the two
    together are in both (Jaccard). Trigrams that a hundred captions share are idioms and do
    not bring captions together.
    """
    grams = []
    for caption in captions:
        tokens = words(caption)
        grams.append({tuple(tokens[at : at + 3]) for at in range(len(tokens) - 2)})
    holders: dict[tuple[str, ...], list[int]] = {}
    for number, own in enumerate(grams):
        for gram in own:
            holders.setdefault(gram, []).append(number)
    near: set[int] = set()
    for number, own in enumerate(grams):
        shared = Counter(
            other
            for gram in own
            if len(holders[gram]) < 100
            for other in holders[gram]
            if other > number
        )
        for other, count in shared.items():
            if count >= overlap * len(own | grams[other]):
                near |= {number, other}
    return len(near) / len(captions)


def report(captions: Sequence[str]) -> None:
    """Print every measure that needs captions alone."""
    print(f"Variety, over {len(captions):,} captions:")
    print(f"  distinct captions           {distinct_share(captions):.2%}")
    print(f"  with a near-duplicate       {near_duplicates(captions):.2%}")
    if sum(map(len, captions)) + len(captions) <= CHARACTERS:
        print(f"  (too few for the measures over {CHARACTERS:,} characters)")
        return
    text = sample(captions)
    print(f"  gzip ratio                  {gzip_ratio(text):.2f}")
    print(f"  distinct 4-grams            {distinct_ngrams(text):.2%}")
