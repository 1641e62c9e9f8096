"""Align the rows of representations: the same stimuli in the same order."""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from ..._base import _validate
from ..._base._printable import some
from ...errors import InvalidInput, either
from ...representation import Representation, where
from ..out_of_core._fits import fits
from ..out_of_core._nonfinite import check_finite, finite_rows

Join = Literal["exact", "common"]


def check_values(reps: Sequence[Representation]) -> None:
    """Raise an error that names the first representation with invalid values."""
    for rep in reps:
        # Rows that are read in parts are checked while they are read.
        if rep.domain != "points" or not fits(rep):
            continue
        check_finite(rep, [_validate.real_array(rep.load(), where(rep))])


def drop_nonfinite(reps: Sequence[Representation]) -> tuple[list[Representation], int]:
    """Drop the rows that are not finite in any of them; also return their number."""
    check_rows(reps)
    bad = np.zeros(reps[0].n, dtype=bool)
    for rep in reps:
        if rep.domain != "points":
            continue
        parts = [np.asarray(rep.load())] if fits(rep) else None
        finite = finite_rows(rep, parts)
        if not finite.any():
            check_finite(rep, parts)
        bad |= ~finite
    if not bad.any():
        return list(reps), 0
    keep = np.flatnonzero(~bad)
    if len(keep) == 0:
        raise InvalidInput(
            "every row has a NaN or infinite value in one of the representations, so "
            "no rows are left. Fix the extraction."
        )
    return [rep.take(keep) for rep in reps], int(bad.sum())


def join(reps: Sequence[Representation], how: Join = "exact") -> list[Representation]:
    """Join representations by sample id: the same stimuli in the same order.

    "exact" requires the same ids in all of them, in any order. "common" keeps the ids
    that all have. A representation without ids must have as many rows as the others.
    The others must then have the same row order, which is assumed for it as well.
    """
    if how not in get_args(Join):
        raise InvalidInput(f"join_ids={how!r}; choose from 'exact', 'common'.")
    with_ids = [rep for rep in reps if rep.ids is not None]
    if not with_ids:
        check_rows(reps)
        return list(reps)
    ids = _comparable_ids(with_ids)
    first, first_ids = with_ids[0], ids[0]
    if how == "exact":
        for rep, rep_ids in zip(with_ids[1:], ids[1:], strict=True):
            _check_same_ids(first, first_ids, rep, rep_ids)
    common = set(first_ids).intersection(*ids[1:])
    if not common:
        _check_kinds_of_rows(with_ids)
        raise InvalidInput(
            "no sample id occurs in all representations. Extract all of them on the "
            "same stimuli."
        )
    wanted = [i for i, value in enumerate(first_ids) if value in common]
    remaining_ids, joined = iter(ids), []
    for rep in reps:
        if rep.ids is None:
            check_rows([first, rep])
            _check_one_order(rep, with_ids, ids)
            rows = np.asarray(wanted)
        else:
            row_of = {value: i for i, value in enumerate(next(remaining_ids))}
            rows = np.array([row_of[first_ids[i]] for i in wanted])
        same = len(rows) == rep.n and bool((rows == np.arange(rep.n)).all())
        joined.append(rep if same else rep.take(rows))
    return joined


def _check_one_order(
    rep: Representation, with_ids: Sequence[Representation], ids: Sequence[list[Any]]
) -> None:
    """Raise if `rep` has no ids and the row order of the others is ambiguous."""
    for other, other_ids in zip(with_ids[1:], ids[1:], strict=True):
        if len(other_ids) == rep.n and other_ids != ids[0]:
            raise InvalidInput(
                f"{where(rep)} does not have sample ids, and those of "
                f"{where(with_ids[0])} and {where(other)} are in different orders, so "
                f"its row order is ambiguous. Give it ids too."
            )


def _comparable_ids(reps: Sequence[Representation]) -> list[list[Any]]:
    """The ids of each representation; as text if any of them has text ids."""
    kinds = {rep.ids.dtype.kind == "U" for rep in reps}
    if len(kinds) == 1:
        return [rep.ids.tolist() for rep in reps]
    return [[str(value) for value in rep.ids.tolist()] for rep in reps]


def check_rows(reps: Sequence[Representation]) -> None:
    """Raise unless all representations have the same number of rows."""
    for rep in reps[1:]:
        if rep.n != reps[0].n:
            _check_transposed(reps, rep)
            rows = f"0:{min(rep.n, reps[0].n)}"
            raise InvalidInput(
                f"{where(reps[0])} has {reps[0].n} rows and {where(rep)} has {rep.n}. "
                f"Rows must be the same stimuli in the same order; give both sample "
                f"ids to join on, or use "
                + either(python=f"rows={rows!r}.", shell=f"--rows {rows}.")
            )


def _check_transposed(reps: Sequence[Representation], other: Representation) -> None:
    """Raise if the columns of one representation are as many as the rows of others.

    `other` is the first one whose number of rows differs from that of the first.
    """
    first = reps[0]
    suspects = [rep for rep in (other, first) if rep.domain == "points"]
    pairs = {id(other): first, id(first): other}
    suspects = [rep for rep in suspects if rep.d == pairs[id(rep)].n]
    if not suspects:
        return
    # If both could be transposed, suspect the one whose rows fewer others share.
    suspects.sort(key=lambda rep: sum(rep.n == each.n for each in reps))
    suspect = suspects[0]
    also = f" (or {where(suspects[1])})" if len(suspects) > 1 else ""
    raise InvalidInput(
        f"{where(first)} is {first.n} x {first.d} and {where(other)} is {other.n} x "
        f"{other.d}: is {where(suspect)} transposed{also}? Rows must be the same "
        f"stimuli in the same order, and columns units; save the transpose."
    )


def _check_same_ids(
    first: Representation,
    first_ids: list[Any],
    other: Representation,
    other_ids: list[Any],
) -> None:
    a, b = set(first_ids), set(other_ids)
    if a == b:
        return
    _check_kinds_of_rows([first, other])
    missing, extra = sorted(a - b, key=str), sorted(b - a, key=str)
    parts = [
        f"{some(ids, 3)} {'is' if len(ids) == 1 else 'are'} only in {where(rep)}"
        for ids, rep in ((missing, first), (extra, other))
        if ids
    ]
    raise InvalidInput(
        f"{where(first)} and {where(other)} have different sample ids: "
        f"{', and '.join(parts)}. Extract both on the same stimuli, or compare the "
        f"{len(a & b)} common ones with "
        + either(python="join_ids='common'.", shell="--common-ids.")
    )


def _check_kinds_of_rows(reps: Sequence[Representation]) -> None:
    """Raise if rows differ because a row is a part of a stimulus in some of them.

    The error does not suggest common ids: the few tokens that two tokenizers share
    are not a sample of the stimuli.
    """
    kinds = [rep.meta.get("rows") for rep in reps]
    kind = next((kind for kind in kinds if kind in {"tokens", "positions"}), None)
    if kind is None:
        return
    both = " and ".join(where(rep) for rep in reps[:2])
    if len(set(kinds)) > 1:
        one = "token" if kind == "tokens" else "position"
        why = f"only {where(reps[kinds.index(kind)])} has one row per {one}"
    elif kind == "tokens":
        why = "their rows are tokens of different tokenizers or of different texts"
    else:
        why = "their rows are positions of different grids or of different samples"
    pooled = "words or mean_tokens" if kind == "tokens" else "mean or flatten"
    raise InvalidInput(
        f"{both} do not have the same rows: {why}. Extract both on the same stimuli, "
        f"with a reducer that gives them the same rows, such as {pooled}."
    )


def common_blocks(reps: Sequence[Representation]) -> np.ndarray | None:
    """The blocks of rows; all representations with blocks must have the same ones."""
    with_blocks = [rep for rep in reps if rep.blocks is not None]
    if not with_blocks:
        return None
    first = np.unique(with_blocks[0].blocks, return_inverse=True)[1]
    for rep in with_blocks[1:]:
        other = np.unique(rep.blocks, return_inverse=True)[1]
        if len(set(zip(first, other, strict=True))) != first.max() + 1 or (
            other.max() != first.max()
        ):
            raise InvalidInput(
                f"{with_blocks[0].name} and {rep.name} have different blocks of rows. "
                f"Give all representations the same blocks."
            )
    return first
