"""What a folder of `gen.saber` holds to screen: its questions, drawn again, and their images."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gen import __version__
from gen.base.digests import digest
from gen.base.folder import RUN
from gen.saber.captions import generation_form
from gen.saber.config import ImageConfig, SaberConfig
from gen.saber.images.source import Source, source_of
from gen.saber.images.store import IMAGES, NAMES, Record, Store, row_id
from gen.saber.sampler import sample
from gen.saber.session import identity_of
from gen.saber.settings import Settings
from gen.vocab.saber import BUILTIN, SaberVocabulary, load
from schemas.saber import Question, Scene


class Item(NamedTuple):
    """One image to look at, whether it is there yet or not."""

    question: Question
    scene: int
    """Which of the question's five; 0 is the query."""

    @property
    def id(self) -> str:
        """The `_id` of its row."""
        return row_id(self.question, self.scene)

    @property
    def shown(self) -> Scene:
        """What it is to show."""
        question = self.question
        return question.candidates[self.scene - 1].scene if self.scene else question.query

    @property
    def kind(self) -> str:
        """`query`, or how the candidate relates to it."""
        return self.question.candidates[self.scene - 1].kind if self.scene else "query"

    @property
    def caption(self) -> str:
        """What the image was asked for by."""
        return generation_form(self.shown, self.question.looks)


class Folder(NamedTuple):
    """A run with images, finished or not."""

    path: Path
    vocab: Path | None
    """Its vocabulary, if not the built-in one."""
    identity: dict[str, Any]
    vocabulary: SaberVocabulary
    settings: Settings
    questions: Sequence[Question]
    store: Store

    @classmethod
    def of(cls, path: Path, vocab: Path | None) -> Folder:
        """Open a folder; its questions are drawn again, in less than a second.

        Raises:
            ValueError: where it has no images, or they are another program's or vocabulary's.
        """
        identity = _identity(path)
        vocabulary = load(vocab or BUILTIN)
        if identity["version"] != __version__:
            raise ValueError(
                f"{path} was made by version {identity['version']}, this is {__version__}; "
                "screen it with the version that made it"
            )
        if identity["vocabulary"] != vocabulary.digest:
            raise ValueError(f"{path} has another vocabulary; name its folder with --vocab")
        settings = Settings(
            identity["seed"], tuple(identity["sizes"]), identity["questions_per_size"]
        )
        questions, _ = sample(vocabulary, settings)
        store = Store(path / RUN / IMAGES, identity)
        return cls(path, vocab, identity, vocabulary, settings, questions, store)

    def items(self, count: int | None = None) -> list[Item]:
        """All images, or as many as asked for, spread evenly over sizes, subsets and kinds.

        The same for every reviewer, and a smaller number is a part of a larger one.
        """
        found = [
            Item(question, scene) for question in self.questions for scene in range(len(NAMES))
        ]
        if count is None or count >= len(found):
            return found
        seed, drawn = str(self.settings.seed), Counter[tuple[str, str, str]]()
        order: list[tuple[int, int, Item]] = []
        for item in sorted(found, key=lambda one: digest("screen", seed, one.id)):
            stratum = (item.question.subset, str(item.question.n), item.kind)
            order.append((drawn[stratum], digest("screen", seed, *stratum), item))
            drawn[stratum] += 1
        chosen = {item.id for *_, item in sorted(order)[:count]}
        return [item for item in found if item.id in chosen]

    def source(self) -> Source:
        """Where its images come from, to make some of them anew.

        Raises:
            ValueError: where that is not at hand as it was when they were made.
        """
        if self.identity["images"] != "render":
            raise ValueError(f"what costs money is asked for by gen.saber alone: {self.command}")
        known = {
            key: self.identity[key] for key in ImageConfig.model_fields if key in self.identity
        }
        source = source_of(ImageConfig(**known), self.vocabulary)
        asked = identity_of(self.settings, self.vocabulary, source)
        for key, value in json.loads(json.dumps(asked)).items():
            if self.identity.get(key) != value:
                raise ValueError(
                    f"{self.path} was made with {key} {self.identity.get(key)!r}, here it is "
                    f"{value!r}; draw rejected images where the others were made"
                )
        if source is None:
            raise ValueError(f"{self.path} has no images")
        return source

    @property
    def command(self) -> str:
        """The command that draws rejected images again and writes the dataset."""
        sizes = self.settings.sizes
        whole = len(sizes) == sizes[-1] - sizes[0] + 1
        named = f"{sizes[0]}-{sizes[-1]}" if whole else ",".join(map(str, sizes))
        given = self.identity | {"out": self.path, "vocab": self.vocab, "sizes": named}
        words = ["python", "-m", "gen.saber"]
        for config in (SaberConfig, ImageConfig):
            for name, field in config.model_fields.items():
                if name in given and given[name] != field.default:
                    words += [f"--{name.replace('_', '-')}", str(given[name])]
        return shlex.join(words)

    def truth(self, item: Item) -> list[Record]:
        """Boxes and masks of an image's objects with their names; none where nobody knows.

        Raises:
            ValueError: where its record is damaged.
        """
        objects = self.vocabulary.objects
        notes = self.store.record(item.question, item.scene)["annotations"]
        return [
            {
                "name": f"{note['look']} {objects[note['category_id'] - 1]}",
                "box": note["bbox"],
                "mask": note["segmentation"],
            }
            for note in notes
        ]


def _identity(path: Path) -> dict[str, Any]:
    """The identity of a folder with images.

    Raises:
        ValueError: where it is not one.
    """
    stamp = path / RUN / "identity.json"
    try:
        known = json.loads(stamp.read_bytes())
    except FileNotFoundError:
        raise ValueError(
            f"{path} holds no run of gen.saber ({RUN}/{IMAGES} is kept where images are made, and "
            "not published); name the --out of such a run"
        ) from None
    except ValueError:
        raise ValueError(f"{stamp} is damaged; run gen.saber again with --no-resume") from None
    if not isinstance(known, dict) or known.get("dataset") != "saber" or "images" not in known:
        raise ValueError(
            f"{path} has no images; make them first: python -m gen.saber --images render"
        )
    return known
