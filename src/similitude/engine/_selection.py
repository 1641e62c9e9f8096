"""Some rows of representations, by their numbers."""

import operator
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import InvalidInput
from ..representation import Representation
from ._join import where

#: A slice, row numbers, or either of them as text: "0:300", "3,5,8".
Rows = str | slice | Sequence[int] | np.ndarray


def select_rows(reps: Sequence[Representation], rows: Rows) -> list[Representation]:
    """These rows of each representation, in this order."""
    selected = []
    for rep in reps:
        numbers = row_numbers(rep, rows)
        if len(set(numbers.tolist())) < len(numbers):
            raise InvalidInput(
                f"{_said(rows)} names a row twice; a stimulus counts once."
            )
        # Rows are counted anew from here on, which errors about them should tell.
        taken = rep.take(numbers)
        file = f"{where(rep)} ({_said(rows)})"
        selected.append(replace(taken, meta={**taken.meta, "file": file}))
    return selected


def row_numbers(rep: Representation, rows: Rows, option: str = "--rows") -> np.ndarray:
    """The numbers of these rows; `option` is where they were typed."""
    try:
        asked = _parsed(rows) if isinstance(rows, str) else rows
        if isinstance(asked, slice):
            numbers = np.arange(rep.n)[asked]
            ends = (asked.start, asked.stop)
            beyond = any(end is not None and abs(end) > rep.n for end in ends)
        else:
            listed = [operator.index(row) for row in asked]
            beyond = any(not 0 <= row < rep.n for row in listed)
            numbers = np.array([] if beyond else listed, dtype=np.intp)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"{_said(rows, option, quoted=True)}: write a slice as 0:300, or row "
            f"numbers as 3,5,8."
        ) from None
    if beyond or len(numbers) == 0:
        raise InvalidInput(
            f"{_said(rows, option)}: {where(rep)} has rows 0 to {rep.n - 1}, and some "
            f"that are asked for are not there."
        )
    return numbers


def _parsed(text: str) -> slice | list[int]:
    if ":" not in text:
        return [int(part) for part in text.split(",")]
    parts = [int(part) if part.strip() else None for part in text.split(":")]
    return slice(*parts)  # a TypeError, if there are more than three


def _said(rows: Rows, option: str = "--rows", *, quoted: bool = False) -> str:
    """As it was typed in the shell, or passed in Python."""
    if isinstance(rows, str):
        return f"{option} {rows!r}" if quoted else f"{option} {rows}"
    if not isinstance(rows, Sequence | np.ndarray):
        return f"rows={rows!r}"
    some = [str(row) for row in rows[:3]] + ["..."] * (len(rows) > 3)
    return f"rows=[{', '.join(some)}]"
