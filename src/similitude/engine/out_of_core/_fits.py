"""Which representations are read in parts."""

from collections.abc import Iterator

import numpy as np

from ..._base import _config
from ...measures import Measure
from ...representation import Representation
from .._memory import Memory
from ..question._residuals import classes_removed

# Rows that are read and multiplied at a time. It is the largest number of terms of a
# product in single precision, and does not depend on the budget or the threads: the
# last bits of a score do not either.
ROWS = 4096
PATIENCE = 120.0  # predicted seconds of a pair that is loaded although parts are faster
FASTER = 10  # times


def fits(rep: Representation) -> bool:
    """Whether a pair of this size can be loaded and compared in the memory budget.

    Values that are already in memory fit.
    """
    reader = rep.values
    if rep.domain != "points" or not hasattr(reader, "batches"):
        return True
    in_memory = getattr(reader, "held", None) is not None
    return in_memory or not _exceeds(rep.n, rep.d)


def why_streamed(
    measure: Measure, a: Representation, b: Representation, seconds: float
) -> str:
    """Why the score of a pair is computed from sums over parts of the rows.

    "memory": the predicted peak of loaded rows exceeds the budget. "time": the pair
    would take `seconds`, and much less in parts. Empty if the rows are loaded.
    """
    if not measure.offers("compare_sums") or classes_removed(a) is not None:
        return ""
    if _exceeds(a.n, max(a.d, b.d)):
        return "memory"
    slow = seconds > max(PATIENCE, FASTER * streamed_seconds(a.n, a.d, b.d))
    return "time" if slow else ""


def reads_in_parts(measure: Measure, rep: Representation) -> bool:
    """Whether the measure prepares this representation from parts of the rows."""
    return not fits(rep) and measure.offers("prepare_parts")


def streamed_seconds(n: int, d_a: int, d_b: int) -> float:
    """Predicted seconds of one pass: three products, or reading both sides."""
    return n * max((d_a + d_b) ** 2 / 2e10, 4 * (d_a + d_b) / 5e8)


def _exceeds(n: int, d: int) -> bool:
    return Memory(n, d).pair > _config.current().memory_budget


def batches(rep: Representation, rows: int = ROWS) -> Iterator[np.ndarray]:
    """The rows in batches."""
    if hasattr(rep.values, "batches"):
        yield from rep.values.batches(rows)
        return
    values = rep.load()
    for start in range(0, len(values), rows):
        yield values[start : start + rows]
