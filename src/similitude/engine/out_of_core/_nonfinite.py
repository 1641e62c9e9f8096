"""Values that are NaN or infinite, in rows that are read in parts."""

from collections.abc import Iterable

import numpy as np

from ..._base._validate import overflow_of_half
from ...errors import InvalidInput, either
from ...representation import Representation, where
from ._fits import batches

Parts = Iterable[np.ndarray] | None  # the rows in order, if the caller has them


def finite_rows(rep: Representation, parts: Parts = None) -> np.ndarray:
    """For each row, whether all of its values are finite."""
    found = batches(rep) if parts is None else parts
    return np.concatenate([np.isfinite(batch).all(axis=1) for batch in found])


def check_finite(rep: Representation, parts: Parts = None) -> None:
    """Raise an error that names the first value that is not finite."""
    start = count = rows = 0
    first = None
    for batch in batches(rep) if parts is None else parts:
        bad = ~np.isfinite(batch)
        if bad.any() and first is None:
            row, column = np.argwhere(bad)[0].tolist()
            first = start + row, column, batch[row, column]
        count, start = count + int(bad.sum()), start + len(batch)
        rows += int(bad.any(axis=1).sum())
    if first is None:
        return
    row, column, value = first
    text = str(value).replace("nan", "NaN")
    # After a join, row numbers differ from those in the file; ids do not.
    which = f"row {row}" if rep.ids is None else f"sample id {rep.ids[row]}"
    cause = "" if np.isnan(value) else overflow_of_half(where(rep), rep.values.dtype)
    drop = either(python="drop_nonfinite=True", shell="--drop-nonfinite")
    some = f", or drop {rows:,} of {rep.n:,} rows with {drop}" if rows < rep.n else ""
    raise InvalidInput(
        f"{where(rep)}: {which}, column {column} is {text} ({count:,} of "
        f"{rep.n * rep.d:,} values).{cause} Fix the extraction{some}."
    )
