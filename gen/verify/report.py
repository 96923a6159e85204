"""What a proof found: rules, how often each was checked, and what broke it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

SHOWN = 3
"""Offending rows that are named for each rule."""


@dataclass
class Report:
    """Rows or files checked, and those that broke each rule."""

    checked: Counter[str] = field(default_factory=Counter)
    broken: dict[str, list[str]] = field(default_factory=dict)

    def check(self, rule: str, name: str, holds: bool) -> None:
        """Count one check of a rule."""
        self.checked[rule] += 1
        if not holds:
            self.broken.setdefault(rule, []).append(name)

    def distinct(self, rule: str, keys: Sequence[Hashable], names: Sequence[str]) -> None:
        """Check for each of `names` that its key is no other's."""
        counts = Counter(keys)
        for key, name in zip(keys, names, strict=True):
            self.check(rule, name, counts[key] == 1)

    def lines(self) -> Iterator[str]:
        """The report, a line a rule."""
        for rule, count in self.checked.items():
            bad = self.broken.get(rule, [])
            names = ", ".join(bad[:SHOWN]) + (", ..." if len(bad) > SHOWN else "")
            verdict = f"{len(bad):,} BROKEN: {names}" if bad else "ok"
            yield f"{rule:<28} {count:>9,}  {verdict}"
