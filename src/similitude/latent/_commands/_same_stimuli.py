"""Matching of rows across files, and of labels with rows."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ... import engine
from ...representation import Representation
from ...store import read_column


def same_stimuli(
    reps: Sequence[Representation],
    *files: Path | None,
    rows: str | None,
    common_ids: bool,
) -> tuple[list[Representation], list[np.ndarray | None]]:
    """Join representations by stimuli, and read one column from each of `files`.

    Columns are matched with the rows of the first representation before the join.
    """
    columns = [None if file is None else read_column(file, reps[0]) for file in files]
    # Blocks follow their rows through the join, so they identify the remaining rows.
    tagged = [replace(reps[0], blocks=np.arange(reps[0].n)), *reps[1:]]
    if rows is not None:
        tagged = engine.select_rows(tagged, rows)
    joined = engine.join(tagged, "common" if common_ids else "exact")
    remaining = joined[0].blocks
    return joined, [None if c is None else c[remaining] for c in columns]


def some_rows(
    reps: list[Representation], file: Path | None, *, rows: str | None
) -> tuple[list[Representation], np.ndarray | None]:
    """Select rows without a join; representations may have different stimuli."""
    column = None if file is None else read_column(file, reps[0])
    if rows is None:
        return reps, column
    if column is not None:
        column = column[engine.row_numbers(reps[0], rows)]
    return engine.select_rows(reps, rows), column
