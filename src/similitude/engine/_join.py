"""Representations whose rows are the same stimuli, in the same order."""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from .. import _validate
from ..errors import InvalidInput
from ..representation import Representation

Join = Literal["exact", "common"]


def check_values(reps: Sequence[Representation]) -> None:
    """Every array passes the door, or the error names the representation."""
    for rep in reps:
        if rep.domain != "points":
            continue
        values = _validate.real_array(rep.load(), where(rep))
        bad = ~np.isfinite(values)
        if bad.any():
            row, column = np.argwhere(bad)[0].tolist()
            value = str(values[row, column]).replace("nan", "NaN")
            # Rows that were joined are not where they are in the file; ids tell.
            which = f"row {row}" if rep.ids is None else f"sample id {rep.ids[row]}"
            raise InvalidInput(
                f"{where(rep)}: {which}, column {column} is {value} ({bad.sum():,} "
                f"of {bad.size:,} values). Fix the extraction, or drop rows with "
                f"--drop-nonfinite (drop_nonfinite=True)."
            )


def where(rep: Representation) -> str:
    """What a user knows a representation by: its file, or its name."""
    return str(rep.meta.get("file", rep.name))


def drop_nonfinite(
    reps: Sequence[Representation],
) -> tuple[list[Representation], int]:
    """Without the rows that are not finite in any of them; and how many those are."""
    check_rows(reps)
    bad = np.zeros(reps[0].n, dtype=bool)
    for rep in reps:
        if rep.domain == "points":
            values = rep.load()
            if values.dtype.kind == "f":
                bad |= ~np.isfinite(values).all(axis=1)
    if not bad.any():
        return list(reps), 0
    keep = np.flatnonzero(~bad)
    if len(keep) == 0:
        raise InvalidInput("every row has a value that is not finite; none is left.")
    return [rep.take(keep) for rep in reps], int(bad.sum())


def join(reps: Sequence[Representation], how: Join = "exact") -> list[Representation]:
    """The same stimuli in the same order, by their ids where they have them.

    "exact" asks for the same ids everywhere, in any order; "common" keeps those that
    all have. A representation without ids must have as many rows as the others, which
    must then be in one order: it is taken to be in that.
    """
    if how not in get_args(Join):
        raise InvalidInput(f"join_ids={how!r}; choose from 'exact', 'common'.")
    named = [rep for rep in reps if rep.ids is not None]
    if not named:
        check_rows(reps)
        return list(reps)
    ids = _comparable_ids(named)
    first, here = named[0], ids[0]
    if how == "exact":
        for rep, there in zip(named[1:], ids[1:], strict=True):
            _check_same_ids(first, here, rep, there)
    common = set(here).intersection(*ids[1:])
    if not common:
        raise InvalidInput("no sample id occurs in all representations.")
    wanted = [i for i, value in enumerate(here) if value in common]
    known, joined = iter(ids), []
    for rep in reps:
        if rep.ids is None:
            check_rows([first, rep])
            _check_one_order(rep, named, ids)
            rows = np.asarray(wanted)
        else:
            place = {value: i for i, value in enumerate(next(known))}
            rows = np.array([place[here[i]] for i in wanted])
        same = len(rows) == rep.n and bool((rows == np.arange(rep.n)).all())
        joined.append(rep if same else rep.take(rows))
    return joined


def _check_one_order(
    rep: Representation, named: Sequence[Representation], ids: Sequence[list[Any]]
) -> None:
    """Rows without ids are in the order of others, which must be a single one."""
    for other, there in zip(named[1:], ids[1:], strict=True):
        if len(there) == rep.n and there != ids[0]:
            raise InvalidInput(
                f"{where(rep)} has no sample ids, and {where(named[0])} and "
                f"{where(other)} have theirs in different orders, so that its rows "
                f"could be those of either. Give it ids too."
            )


def _comparable_ids(reps: Sequence[Representation]) -> list[list[Any]]:
    """The ids of each; 7 in one file is "7" in another that has texts."""
    kinds = {rep.ids.dtype.kind == "U" for rep in reps}
    if len(kinds) == 1:
        return [rep.ids.tolist() for rep in reps]
    return [[str(value) for value in rep.ids.tolist()] for rep in reps]


def check_rows(reps: Sequence[Representation]) -> None:
    """As many rows everywhere."""
    for rep in reps[1:]:
        if rep.n != reps[0].n:
            raise InvalidInput(
                f"{where(reps[0])} has {reps[0].n} rows and {where(rep)} has {rep.n}. "
                f"Rows must be the same stimuli in the same order; give both sample "
                f"ids to join on, or use --rows 0:{min(rep.n, reps[0].n)} (rows=)."
            )


def _check_same_ids(
    first: Representation, ids: list[Any], other: Representation, others: list[Any]
) -> None:
    here, there = set(ids), set(others)
    if here == there:
        return
    missing, extra = sorted(here - there, key=str), sorted(there - here, key=str)
    parts = [
        f"{_some(ids)} {'is' if len(ids) == 1 else 'are'} only in {where(rep)}"
        for ids, rep in ((missing, first), (extra, other))
        if ids
    ]
    raise InvalidInput(
        f"{where(first)} and {where(other)} have different sample ids: "
        f"{', and '.join(parts)}. Extract both on the same stimuli, or compare the "
        f"{len(here & there)} common ones (--common-ids, join_ids='common')."
    )


def _some(ids: list[Any]) -> str:
    shown = ", ".join(str(i) for i in ids[:3])
    return shown if len(ids) <= 3 else f"{shown} and {len(ids) - 3} more"


def common_blocks(reps: Sequence[Representation]) -> np.ndarray | None:
    """The blocks of rows, which must be the same wherever they are given."""
    given = [rep for rep in reps if rep.blocks is not None]
    if not given:
        return None
    first = np.unique(given[0].blocks, return_inverse=True)[1]
    for rep in given[1:]:
        other = np.unique(rep.blocks, return_inverse=True)[1]
        if len(set(zip(first, other, strict=True))) != first.max() + 1 or (
            other.max() != first.max()
        ):
            raise InvalidInput(
                f"{given[0].name} and {rep.name} put rows into different blocks. Rows "
                f"of one stimulus must be a block everywhere."
            )
    return first
