"""What a reader wrote: a verdict for each caption of the sheet."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

VERDICTS = ("OK", "STILTED", "WINCE")
CODES = {"G": "grammar", "N": "nonsense", "H": "too heavy", "O": "other"}
NO_CODE = "none given"


class Verdict(NamedTuple):
    """What a reader says of a caption."""

    verdict: str
    """One of `VERDICTS`."""
    code: str = ""
    """One of `CODES`, or empty."""
    note: str = ""

    @property
    def why(self) -> str:
        """The code and the note, in words."""
        return ": ".join(filter(None, (CODES.get(self.code, NO_CODE), self.note)))


def read(path: Path, numbers: Collection[int]) -> dict[int, Verdict]:
    """A reader's verdicts, by number: `number TAB verdict [TAB code] [TAB note]` on each line.

    Raises:
        ValueError: naming the first line that is wrong, or the numbers without a verdict.
        OSError: when the file can't be read.
    """
    found: dict[int, Verdict] = {}
    for place, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        if not line.strip():
            continue
        where = f"{path}: line {place}"
        number, *fields = (field.strip() for field in line.split("\t"))
        if not number.isdecimal() or int(number) not in numbers:
            raise ValueError(f"{where}: {number!r} is no number of the sheet")
        if int(number) in found:
            raise ValueError(f"{where}: {number} has a verdict already; leave one")
        found[int(number)] = _verdict(where, fields)
    if left := [number for number in numbers if number not in found]:
        raise ValueError(
            f"{path}: no verdict for {len(left)} of {len(numbers)} captions (the first: "
            f"{min(left)}); all have to be judged"
        )
    return found


def _verdict(where: str, fields: list[str]) -> Verdict:
    """The verdict of the fields behind a number; a longer word in the code's place is a note."""
    verdict, code, *notes = [*fields, "", ""]
    if verdict not in VERDICTS:
        raise ValueError(f"{where}: {verdict!r} is no verdict; write {', '.join(VERDICTS)}")
    if len(code) > 1:
        code, notes = "", [code, *notes]
    if code and code not in CODES:
        meanings = ", ".join(f"{name} {meaning}" for name, meaning in CODES.items())
        raise ValueError(f"{where}: {code!r} is no code; write {meanings}")
    return Verdict(verdict, code, " ".join(filter(None, notes)))
