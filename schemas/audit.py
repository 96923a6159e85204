"""The audit contract: what each check of `gen.audit` finds, as figures that can fail."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

OVERALL = "all"
"""The group of a finding about everything."""


class Finding(BaseModel):
    """One figure, with its uncertainty and the bound that it must keep."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    check: str
    """What was measured: `surface`, `word_ngrams`, `distinct_captions`."""
    group: str = OVERALL
    """What of: everything, `construction=pair_swap`, `negative_kind=object`, `dataset=coco`."""
    value: float
    n: int
    """How many things it was measured on."""
    low: float | None = None
    high: float | None = None
    """The ends of a 95 % interval, where there is one."""
    bound: float | None = None
    """Where the value begins to be bad; None for figures that only describe."""
    worse: Literal["above", "below"] = "above"
    """The bad side of the bound."""
    note: str = ""
    """What a reader has to know to read it right."""

    @property
    def passed(self) -> bool:
        """Whether the bound is kept.

        The overall value has to keep it. A group's only has to be compatible with it: its interval
        is wide, and there are many groups.
        """
        if self.bound is None:
            return True
        if self.worse == "above":
            value = self.low if self.group != OVERALL and self.low is not None else self.value
            return value <= self.bound
        value = self.high if self.group != OVERALL and self.high is not None else self.value
        return value >= self.bound


class Audit(BaseModel):
    """The results of an audit, as `audit.json` holds them; no clock and no path of the machine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dataset: str
    """`binding-triplets`, `saber` or `pairs`."""
    name: str
    fingerprint: str
    """SHA-256 of the dataset's manifest, or of the file of pairs: what the findings hold for."""
    pairs: int
    generator: str
    """Version of the program that audited."""
    settings: dict[str, Any]
    versions: dict[str, str]
    """Of the packages that the findings depend on."""
    left_out: dict[str, str]
    """Parts that did not run, with the reason."""
    findings: tuple[Finding, ...]

    @property
    def broken(self) -> list[Finding]:
        """The findings that are beyond their bounds, the overall ones first."""
        broken = [finding for finding in self.findings if not finding.passed]
        return sorted(broken, key=lambda finding: finding.group != OVERALL)

    @property
    def passed(self) -> bool:
        """Whether every bound is kept."""
        return not self.broken
