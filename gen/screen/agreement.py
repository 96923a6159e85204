"""How far two reviewers agree on images, beyond what chance would give (`gen.base.agreement`)."""

from __future__ import annotations

from typing import NamedTuple

from gen.base.agreement import Counts, Interval, agreement, kappa


class Table(NamedTuple):
    """Images that two reviewers both decided on, counted."""

    both: int
    """Accepted by both."""
    first: int
    """Accepted by the first alone."""
    second: int
    neither: int
    """Rejected by both."""

    @property
    def agreement(self) -> Interval | None:
        """The share of images on which they agree; None without images."""
        return agreement(self._counts)

    @property
    def kappa(self) -> Interval | None:
        """Cohen's kappa; None where both gave the same answer to every image, or without images."""
        return kappa(self._counts)

    @property
    def _counts(self) -> Counts:
        return (self.both, self.first), (self.second, self.neither)
