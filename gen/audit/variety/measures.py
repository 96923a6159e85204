"""How varied captions are: the usual surface measures, the same for ours and for anyone's.

Repetitive text compresses well and repeats its n-grams. Both measures depend on the length of
the text, so they are always taken over the same number of characters.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from difflib import SequenceMatcher
from math import ceil, log2
from random import Random

from gen.base.text.words import normalized, pieces, words
from schemas.triplets import Example

CHARACTERS = 120_000
"""Length of the text that the measures are taken over: 550 captions, about."""
OVERLAP = 0.5
"""Share of word trigrams that makes two captions near-duplicates: 0.5 is a caption of 20 words
in which two separate words were replaced. (At the 0.8 that is usual for web pages, one replaced
word would already hide a copy: captions are short.)"""
BLANK, MASK = "_", "mask"
"""What stands for a term in a masked caption, and for the blank where words are counted."""


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


def size(captions: Sequence[str]) -> int:
    """Characters of all the captions, one a line: the most that `sample` can give."""
    return sum(map(len, captions)) + len(captions) - 1


def gzip_ratio(text: str) -> float:
    """Bytes of the text for each byte that gzip -9 makes of it: lower is more varied.

    Human-written captions lie at about 3; a dozen templates at 6 and more.
    """
    raw = text.encode()
    return len(raw) / len(gzip.compress(raw, 9))


def distinct_ngrams(text: str, n: int = 4) -> float:
    """Share of the text's runs of `n` words that are different from one another, 0 to 1."""
    grams = runs(words(text), n)
    return len(set(grams)) / max(len(grams), 1)


def runs(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """Every run of `n` words, in order; the whole where there are fewer."""
    if len(tokens) < n:
        return [tuple(tokens)]
    return [tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1)]


def masked(example: Example) -> str:
    """The positive with its core terms and distractors blanked: what the frame text alone is."""
    terms = [*example.objects, *(word for row in example.attributes for word in row)]
    terms += [word for pair in example.distractors for word in pair]
    longest_first = sorted({term.casefold() for term in terms}, key=len, reverse=True)
    either = "|".join(map(re.escape, longest_first))
    blanked = re.sub(rf"(?<![\w-])(?:{either})(?![\w-])", BLANK, example.positive.casefold())
    return re.sub(rf"\ban(?= {BLANK})", "a", blanked)


def blanked(positive: str, negatives: Iterable[str]) -> str:
    """The positive with every word blanked that a negative has exchanged or left out."""
    parts = [part.casefold() for part in pieces(positive)]
    own = [normalized(part) for part in parts[1::2]]
    for negative in negatives:
        other = [normalized(word) for word in words(negative)]
        for tag, start, stop, _, _ in SequenceMatcher(None, own, other, False).get_opcodes():
            if tag in ("replace", "delete"):
                parts[2 * start + 1 : 2 * stop : 2] = [BLANK] * (stop - start)
    return "".join(parts)


def spoken(skeleton: str) -> str:
    """A skeleton with a word in each blank, for what looks at words."""
    return skeleton.replace(BLANK, MASK)


def distinct_share(texts: Iterable[str]) -> float:
    """Share of texts that are different from one another (case aside), 0 to 1."""
    folded = [text.casefold() for text in texts]
    return len(set(folded)) / len(folded)


def near_duplicates(captions: Sequence[str], overlap: float = OVERLAP) -> dict[int, int]:
    """Each caption that has a near-duplicate, with one of them (both by place).

    Two captions are near-duplicates when at least `overlap` of the word trigrams of the two
    together are in both (Jaccard). Exact: two such sets share at least one of their rarest
    trigrams (prefix filtering; Chaudhuri et al., ICDE 2006), so only those are looked up.
    """
    sets = [frozenset(runs(words(caption), 3)) for caption in captions]
    uses = Counter(gram for own in sets for gram in own)
    rarest = []
    holders: dict[Hashable, list[int]] = {}
    for number, own in enumerate(sets):
        ordered = sorted(own, key=lambda gram: (uses[gram], gram))
        # One that nobody else has finds nobody.
        rarest.append([gram for gram in ordered[: _prefix(len(own), overlap)] if uses[gram] > 1])
        for gram in rarest[-1]:
            holders.setdefault(gram, []).append(number)
    near: dict[int, int] = {}
    for number, own in enumerate(sets):
        if number in near:
            continue
        seen = {number}
        for other in (other for gram in rarest[number] for other in holders[gram]):
            if other not in seen:
                seen.add(other)
                if len(own & sets[other]) >= overlap * len(own | sets[other]):
                    near[number] = other
                    near.setdefault(other, number)
                    break
    return near


def _prefix(length: int, overlap: float) -> int:
    """How many of its rarest members a set must be looked up by."""
    return length - ceil(overlap * length) + 1


def commonest_run(skeletons: Sequence[str], n: int = 4) -> tuple[str, float]:
    """The run of `n` frame words that most skeletons have, and their share: a mannerism."""
    counts: Counter[tuple[str, ...]] = Counter()
    for skeleton in skeletons:
        counts.update({gram for gram in runs(words(spoken(skeleton)), n) if MASK not in gram})
    if not counts:
        return "", 0.0
    [(gram, count)] = counts.most_common(1)
    return " ".join(gram), count / len(skeletons)


def entropy(counts: Collection[int]) -> float:
    """Shannon entropy in bits of what was counted: log2(k) where k things are equally common."""
    total = sum(counts)
    return sum(count / total * log2(total / count) for count in counts if count)


def most_bits(kinds: int) -> float:
    """The entropy of `kinds` things that are equally common."""
    return log2(kinds) if kinds > 1 else 0.0


def evenness(counts: Collection[int], kinds: int) -> float:
    """Entropy as a share of the most that `kinds` things could have (Pielou), 0 to 1."""
    return entropy(counts) / most_bits(kinds) if kinds > 1 else 1.0
