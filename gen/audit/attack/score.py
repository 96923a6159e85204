"""From values of pairs to findings: overall, per construction, per kind of negative."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gen.audit.data import Pair
from gen.base.statistics import measured
from schemas.audit import OVERALL, Finding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def wins(margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 where the positive scores strictly higher, 0 where lower, 0.5 where they tie."""
    import numpy as np

    return (np.sign(margins) + 1) / 2


def groups(pairs: Sequence[Pair]) -> Iterator[tuple[str, bool, NDArray[np.int64]]]:
    """(name, whether a bound applies, indices) of each group of pairs that there is.

    Everything; each construction; each kind of negative; rows of one family and mixed ones; and,
    to see where something comes from, each kind in each construction. Those last ones are many
    and small, and keep no bound: one of them would often be beyond it by chance alone.
    """
    import numpy as np

    yield OVERALL, True, np.arange(len(pairs))
    types = np.array([pair.construction for pair in pairs])
    kinds = np.array([pair.kind for pair in pairs])
    families = np.array([str(pair.same_family).lower() for pair in pairs])
    several = [list(dict.fromkeys(column.tolist())) for column in (types, kinds)]
    for label, column, values in (
        ("construction", types, several[0]),
        ("negative_kind", kinds, several[1]),
        ("same_family", families, [name for name in ("true", "false") if name in families]),
    ):
        for value in values if len(values) > 1 else ():
            yield f"{label}={value}", True, np.flatnonzero(column == value)
    if all(len(values) > 1 for values in several):
        for type_ in several[0]:
            for kind in several[1]:
                chosen = np.flatnonzero((types == type_) & (kinds == kind))
                if chosen.size:
                    yield f"construction={type_}, negative_kind={kind}", False, chosen


def findings(
    check: str,
    values: NDArray[np.float64],
    pairs: Sequence[Pair],
    bound: float | None = None,
    note: str = "",
    inflation: float = 1.0,
) -> list[Finding]:
    """The mean of each group's values, with its interval over examples; the note goes first."""
    found = []
    for group, bounded, chosen in groups(pairs):
        found.append(
            measured(
                check,
                values[chosen],
                [pairs[index].example for index in chosen],
                group,
                bound=bound if bounded else None,
                note=note if group == OVERALL else "",
                inflation=inflation,
            )
        )
    return found
