"""Values that are NaN or infinite, in rows that are read in parts."""

import numpy as np

from ...errors import InvalidInput, either
from ...representation import Representation
from ..question._where import where
from ._fits import batches


def finite_rows(rep: Representation) -> np.ndarray:
    """For each row, whether all of its values are finite."""
    return np.concatenate([np.isfinite(batch).all(axis=1) for batch in batches(rep)])


def check_finite(rep: Representation) -> None:
    """Raise an error that names the first value that is not finite."""
    start = count = 0
    first = None
    for batch in batches(rep):
        bad = ~np.isfinite(batch)
        if bad.any() and first is None:
            row, column = np.argwhere(bad)[0].tolist()
            first = start + row, column, batch[row, column]
        count, start = count + int(bad.sum()), start + len(batch)
    if first is not None:
        raise nonfinite(rep, *first, count)


def nonfinite(
    rep: Representation, row: int, column: int, value: float, count: int
) -> InvalidInput:
    text = str(value).replace("nan", "NaN")
    # After a join, row numbers differ from those in the file; ids do not.
    which = f"row {row}" if rep.ids is None else f"sample id {rep.ids[row]}"
    return InvalidInput(
        f"{where(rep)}: {which}, column {column} is {text} ({count:,} of "
        f"{rep.n * rep.d:,} values). Fix the extraction, or drop rows with "
        + either(python="drop_nonfinite=True.", shell="--drop-nonfinite.")
    )
