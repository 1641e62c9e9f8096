"""q-values of the rows of a table."""

from collections.abc import Container, Sequence
from dataclasses import replace

import numpy as np

from .. import stats
from ._rows import Row


def with_q_values(rows: Sequence[Row], unfinished: Container[str]) -> list[Row]:
    """Add q-values: Benjamini-Hochberg over the pairs of each measure."""
    result = list(rows)
    for label in dict.fromkeys(row.label for row in rows):
        if label in unfinished:
            continue
        tested = [
            i for i, row in enumerate(rows) if row.p is not None and row.label == label
        ]
        q = stats.benjamini_hochberg(np.array([rows[i].p for i in tested], dtype=float))
        for i, value in zip(tested, q, strict=True):
            result[i] = replace(result[i], q=float(value))
    return result
