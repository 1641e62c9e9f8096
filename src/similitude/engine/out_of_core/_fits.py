"""Which representations are read in parts."""

from collections.abc import Iterator

import numpy as np

from ... import _config
from ...measures import Measure
from ...representation import Representation

# Rows that are read and multiplied at a time. It is the largest number of terms of a
# product in single precision, and does not depend on the budget or the threads: the
# last bits of a score do not either.
ROWS = 4096


def fits(rep: Representation) -> bool:
    """Whether the rows, in double precision, fit into the memory budget.

    Values that are already in memory fit.
    """
    reader = rep.values
    if rep.domain != "points" or not hasattr(reader, "batches"):
        return True
    in_memory = getattr(reader, "held", None) is not None
    return in_memory or 8 * rep.n * rep.d <= _config.current().memory_budget


def is_streamed(measure: Measure, a: Representation, b: Representation) -> bool:
    """Whether the score of this pair is computed from sums over parts of the rows."""
    return measure.offers("compare_sums") and not (fits(a) and fits(b))


def reads_in_parts(measure: Measure, rep: Representation) -> bool:
    """Whether the measure prepares this representation from parts of the rows."""
    return not fits(rep) and measure.offers("prepare_parts")


def batches(rep: Representation) -> Iterator[np.ndarray]:
    """The rows in batches of `ROWS`."""
    if hasattr(rep.values, "batches"):
        yield from rep.values.batches(ROWS)
        return
    values = rep.load()
    for start in range(0, len(values), ROWS):
        yield values[start : start + ROWS]
