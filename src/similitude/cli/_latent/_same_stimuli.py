"""Rows of the same stimuli out of several files, and labels that go with them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ... import engine
from ...representation import Representation
from ._labels import read_column


def same_stimuli(
    reps: Sequence[Representation],
    *files: Path | None,
    rows: str | None,
    common_ids: bool,
) -> tuple[list[Representation], list[np.ndarray | None]]:
    """Representations whose rows are the same stimuli, and the columns of these files.

    Columns are matched with the first representation as it is on the disk.
    """
    columns = [None if file is None else read_column(file, reps[0]) for file in files]
    # Blocks follow their rows everywhere, so they can say which rows are left.
    tagged = [replace(reps[0], blocks=np.arange(reps[0].n)), *reps[1:]]
    if rows is not None:
        tagged = engine.select_rows(tagged, rows)
    joined = engine.join(tagged, "common" if common_ids else "exact")
    left = joined[0].blocks
    return joined, [None if c is None else c[left] for c in columns]


def some_rows(
    reps: list[Representation], file: Path | None, *, rows: str | None
) -> tuple[list[Representation], np.ndarray | None]:
    """The same without a join: representations may have other stimuli too."""
    column = None if file is None else read_column(file, reps[0])
    if rows is None:
        return reps, column
    if column is not None:
        column = column[engine.row_numbers(reps[0], rows)]
    return engine.select_rows(reps, rows), column
