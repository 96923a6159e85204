"""Make a vocabulary's plausibility table, or go on with it."""

from __future__ import annotations

from pathlib import Path

from gen.base.files import write_atomic
from gen.base.progress import phase
from gen.triplets.plausibility.odds import TEXTS, Odds
from gen.vocab.plausibility import STEP, Table, encode, read
from gen.vocab.triplets import Vocabulary


def make(vocabulary: Vocabulary, path: Path, model: str) -> Table:
    """Write the table of all adjectives and nouns; rows that are there are kept.

    Row by row into PATH.part, which takes the place of PATH at the end: a kill costs a row.

    Raises:
        ValueError: when the model can't be loaded, or a file is no table.
    """
    nouns = tuple(vocabulary.class_of)
    recipe = {"model": Path(model).name, "texts": list(TEXTS), "step": STEP}
    part = path.with_name(path.name + ".part")
    known: dict[str, str] = {}
    for made in (path, part):
        known |= _rows(read(made), recipe, nouns)
    rows = {word: known[word] for word in vocabulary.adjectives if word in known}
    missing = [word for word in vocabulary.adjectives if word not in known]
    write_atomic(part, Table(recipe, nouns, rows).text().encode())
    if missing:
        odds = Odds(model)
        base = odds.base(nouns)
        total = len(vocabulary.adjectives)
        with part.open("a") as file, phase("adjectives", total, len(rows)) as display:
            for word in missing:
                rows[word] = encode(odds.of(word, nouns, base))
                file.write(f"{word}\t{rows[word]}\n")
                file.flush()
                display.advance(1)
    table = Table(recipe, nouns, {word: rows[word] for word in vocabulary.adjectives})
    write_atomic(path, table.text().encode())
    part.unlink()
    return table


def _rows(table: Table | None, recipe: dict[str, object], nouns: tuple[str, ...]) -> dict[str, str]:
    """The rows of a table of the same recipe, for these nouns; none where it lacks one.

    A noun costs nothing beside the others: where one is missing, rows are made anew.
    """
    if table is None or table.recipe != recipe or not {*nouns} <= {*table.nouns}:
        return {}
    if table.nouns == nouns:
        return dict(table.rows)
    places = [table.nouns.index(noun) for noun in nouns]
    return {word: "".join(row[place] for place in places) for word, row in table.rows.items()}
