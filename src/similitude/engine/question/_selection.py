"""Which rows of the representations are compared."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...errors import InvalidInput, either
from ...representation import Representation, where
from ._join import Join, drop_nonfinite, join

#: A slice, row numbers, or either of them as text: "0:300", "3,5,8".
Rows = str | slice | Sequence[int] | np.ndarray


@dataclass(frozen=True)
class Selection:
    """The rows to compare; the fields are arguments of `compare` with these names.

    Attributes
    ----------
    rows
        Their numbers; None for all rows.
    drop_nonfinite
        Whether rows with NaN or infinite values are dropped.
    join_ids
        Whether all representations must have the same ids.
    """

    rows: Rows | None = None
    drop_nonfinite: bool = False
    join_ids: Join = "exact"

    def apply(
        self, reps: list[Representation], *, paired: bool = True
    ) -> tuple[list[Representation], int]:
        """Select, join and drop rows. Also return the number of dropped rows.

        Rows that no measure pairs are joined only if some are dropped.
        """
        if self.rows is not None:
            # If all have ids, row numbers count the rows of the first one.
            if all(rep.ids is not None for rep in reps):
                reps = join(reps, self.join_ids)
            reps = select_rows(reps, self.rows)
        if paired or self.drop_nonfinite:
            reps = join(reps, self.join_ids)
        # After the join, since a row is dropped from all representations.
        return drop_nonfinite(reps) if self.drop_nonfinite else (reps, 0)


def select_rows(reps: Sequence[Representation], rows: Rows) -> list[Representation]:
    """Take these rows of each representation, in this order."""
    selected = []
    for rep in reps:
        numbers = row_numbers(rep, rows)
        if len(set(numbers.tolist())) < len(numbers):
            raise InvalidInput(
                f"{_described(rows)} names a row twice; give each row once."
            )
        # Row numbers in later errors count the selected rows, so add the selection.
        taken = rep.take(numbers)
        file = f"{where(rep)} ({_described(rows)})"
        selected.append(replace(taken, meta={**taken.meta, "file": file}))
    return selected


def row_numbers(rep: Representation, rows: Rows, option: str = "rows") -> np.ndarray:
    """The numbers of these rows; `option` is the name of the option, for errors."""
    try:
        selection = _parse(rows) if isinstance(rows, str) else rows
        if isinstance(selection, slice):
            numbers = np.arange(rep.n)[selection]
            ends = (selection.start, selection.stop)
            out_of_range = any(end is not None and abs(end) > rep.n for end in ends)
        else:
            listed = [operator.index(row) for row in selection]
            out_of_range = any(not 0 <= row < rep.n for row in listed)
            numbers = np.array([] if out_of_range else listed, dtype=np.intp)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"{_described(rows, option, quoted=True)}: write a slice as 0:300, or row "
            f"numbers as 3,5,8."
        ) from None
    if out_of_range or len(numbers) == 0:
        raise InvalidInput(
            f"{_described(rows, option)}: {where(rep)} has rows 0 to {rep.n - 1}; "
            f"select one or more of them."
        )
    return numbers


def _parse(text: str) -> slice | list[int]:
    if ":" not in text:
        return [int(part) for part in text.split(",")]
    parts = [int(part) if part.strip() else None for part in text.split(":")]
    return slice(*parts)  # raises TypeError for more than three parts


def _described(rows: Rows, option: str = "rows", *, quoted: bool = False) -> str:
    """The selection as typed in the shell, or as passed in Python."""
    if isinstance(rows, str):
        text = repr(rows) if quoted else rows
        return either(python=f"{option}={rows!r}", shell=f"--{option} {text}")
    if not isinstance(rows, Sequence | np.ndarray):
        return f"rows={rows!r}"
    shown = [str(row) for row in rows[:3]] + ["..."] * (len(rows) > 3)
    return f"rows=[{', '.join(shown)}]"
