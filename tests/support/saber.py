"""Questions for tests: vocabularies of any shape, and runs of `gen.saber` within this process."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import strategies as st

from gen.saber import __main__ as command
from gen.saber.settings import Settings, check_room
from gen.verify import __main__ as verify
from gen.vocab.saber import Attribute, SaberVocabulary
from schemas.saber import Question, Scene
from tests.support import runs

SMALL = {"questions-per-size": 10, "sizes": "2-5"}
"""A run of a second: 40 questions, half of them in five chains."""

IMAGES = {
    "sizes": "2,3",
    "questions_per_size": 1,
    "images": "render",
    "size": 64,
    "samples": 1,
    "variant": "scalar",
    "workers": 1,
}
"""A run with images: two questions, ten images, the same bytes in each run."""

FORMS = (
    "{0}",
    "rather {0}",
    "{{color}} {0}",
    "{{color1}} and {{color2}} {0}",
    "{{pale, dark}} {0}",
)


class Asked(NamedTuple):
    """A vocabulary with room for what is asked of it."""

    vocabulary: SaberVocabulary
    settings: Settings


@st.composite
def vocabularies(draw: st.DrawFn) -> SaberVocabulary:
    """A vocabulary of any size up to 40 objects and 20 attributes, with or without look-alikes."""
    objects = [f"thing{number}" for number in range(draw(st.integers(2, 40)))]
    names = [f"look{number}" for number in range(draw(st.integers(2, 20)))]
    forms = draw(st.lists(st.sampled_from(FORMS), min_size=len(names), max_size=len(names)))
    group: dict[str, str] = {}
    for terms in (objects, names):
        groups = draw(st.sampled_from((1, 1, 2, 3)))
        group |= {term: terms[place // groups * groups] for place, term in enumerate(terms)}
    return SaberVocabulary(
        objects=tuple(objects),
        attributes={
            name: Attribute(name, "any", form.format(name))
            for name, form in zip(names, forms, strict=True)
        },
        palette=tuple("red orange yellow green blue".split())[: draw(st.integers(2, 5))],
        group=group,
        digest="",
    )


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    """Any vocabulary with sizes and a number of questions that it has room for."""
    vocabulary = draw(vocabularies().filter(has_room_for_two))
    most = min(apart(vocabulary, vocabulary.objects), apart(vocabulary, vocabulary.attributes)) - 1
    sizes = draw(st.sets(st.integers(2, most), min_size=1, max_size=5))
    per_size = draw(st.integers(1, 40))
    settings = Settings(draw(st.integers(0, 2**32)), tuple(sorted(sizes)), per_size)
    while not room(vocabulary, settings):
        settings = settings._replace(per_size=settings.per_size // 2)
    return Asked(vocabulary, settings)


def has_room_for_two(vocabulary: SaberVocabulary) -> bool:
    return room(vocabulary, Settings(0, (2,), 1))


def room(vocabulary: SaberVocabulary, settings: Settings) -> bool:
    """Whether what is asked is not refused."""
    try:
        check_room(vocabulary, settings)
    except ValueError:
        return False
    return True


def apart(vocabulary: SaberVocabulary, terms: Iterable[str]) -> int:
    """How many terms there are that don't look alike."""
    return len({vocabulary.group[term] for term in terms})


def scenes(question: Question) -> list[Scene]:
    """The five scenes of a question, the query first."""
    return [question.query, *(candidate.scene for candidate in question.candidates)]


def run(out: Path, **settings: object) -> runs.Done:
    """`gen.saber` within this process, small unless told otherwise."""
    flags = {**SMALL, **{name.replace("_", "-"): value for name, value in settings.items()}}
    return runs.cli(command.main, *runs.arguments({"out": out, **flags}))


def made(out: Path, **settings: object) -> dict[str, bytes]:
    """The files of a run that is to succeed."""
    done = run(out, **settings)
    assert done.status == 0, done.err
    return runs.files(out)


def rows(folder: Path, config: str) -> list[dict[str, Any]]:
    """The rows of a config, over all its shards."""
    return [dict(row) for row in runs.rows(folder, config)["test"]]


def check(folder: Path, *more: object) -> runs.Done:
    """`gen.verify` within this process."""
    return runs.cli(verify.main, folder, *more)
