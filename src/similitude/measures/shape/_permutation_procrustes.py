"""Procrustes distances over permutations of units instead of rotations."""

import math
from dataclasses import dataclass
from typing import Any, Literal

from ... import _linalg
from ..._base._array import Array, Score
from ..._base._validate import points
from ...errors import InvalidInput
from ...transformations import Group
from .._claims import Claims
from .._normalize import RowUnit
from ._base import Sized, SizedMeasure, sized_distance

__all__ = ["PermutationProcrustes", "permutation_procrustes"]


@dataclass(frozen=True, kw_only=True)
class PermutationProcrustes(SizedMeasure):
    """Distance after the best matching of units; see the function."""

    name = "permutation_procrustes"
    cost = "moderate"
    refs = ("williams2021generalized", "kuhn1955hungarian")

    normalize: RowUnit = "none"
    form: Literal["euclidean", "angular"] = "euclidean"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form == "angular" and self.normalize != "frobenius":
            raise InvalidInput(
                f"form='angular' with normalize={self.normalize!r}: angles need unit "
                f"norm. Use normalize='frobenius'."
            )

    def claims(self) -> Claims:
        invariant = {Group.PERMUTATION, Group.TRANSLATION}
        if self.normalize == "frobenius":
            invariant |= {Group.ISOTROPIC_SCALE}
        elif self.normalize == "columns":
            invariant |= {Group.COLUMN_SCALE}
        highest = math.inf
        if self.normalize == "frobenius":  # the best sum of products may be below 0
            highest = math.pi if self.form == "angular" else 2.0
        return Claims(
            on_device=True,
            kind="distance",
            range=(0.0, highest),
            triangle=None,  # holds only between equal widths
            invariant=frozenset(invariant),
        )

    def prepare(self, x: Any, seed: Any = None) -> Sized:
        if self.normalize == "columns":
            x = points(x)
            rows, alive = _linalg.unit_columns(_linalg.balanced_columns(x))
            return Sized(rows, 1.0, x.d - len(alive))
        x = _linalg.widened(_linalg.balanced(points(x)))
        rows = _linalg.center(x)
        if self.normalize == "frobenius":
            return Sized(rows / x.xp.linalg.matrix_norm(rows), 1.0)
        return Sized(rows, x.unit)

    def compare(self, p: Sized, q: Sized) -> Array:
        distance = sized_distance(_linalg.matched_residual, p, q)
        return _linalg.chord_angle(distance) if self.form == "angular" else distance

    def details(self, p: Sized, q: Sized) -> dict[str, Any]:
        dropped = {"dead_x": p.dead, "dead_y": q.dead}
        return dropped if self.normalize == "columns" else {}


def permutation_procrustes(
    x: Any,
    y: Any,
    /,
    *,
    normalize: RowUnit = "none",
    form: Literal["euclidean", "angular"] = "euclidean",
) -> Score:
    r"""Distance between two representations after the best matching of their units.

    .. math::

        d = \min_{P} \|X - Y P\|_F

    where

    - X and Y are x and y with column means removed, normalized by `normalize`, and the
      narrower one padded with zero columns;
    - P runs over all permutations of columns; the best one is found exactly, by the
      Hungarian method on :math:`X'Y`.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    normalize
        ``"none"``; ``"frobenius"``: X and Y are scaled to unit Frobenius norm;
        ``"columns"``: every column is scaled to unit norm. Columns that do not vary are
        then dropped, and `details` reports how many.
    form
        ``"euclidean"``, or ``"angular"`` for the angle arccos tr(P'Y'X) between the
        two, in radians; only with ``normalize="frobenius"``.

    Returns
    -------
    0-d array of the caller's library
        At least 0; with ``"frobenius"`` in [0, 2], angular in [0, pi]. Unlike a
        rotation, a permutation cannot always avoid negative correlations.

    Notes
    -----
    Invariant to permutations of columns and translation of either side;
    ``"frobenius"`` also to isotropic scaling, ``"columns"`` also to positive scaling of
    columns. Obeys the triangle inequality between representations of the same width,
    but not always across widths: a unit can stay unmatched only if there is a zero
    column to pair it with.

    Not to be confused with: Procrustes, which rotates; soft matching, which may split
    a unit between several; hard correlation match, a mean of correlations.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal.

    References
    ----------
    williams2021generalized, kuhn1955hungarian

    Examples
    --------
    The corners of a rectangle, first with exchanged columns, then turned by 45 degrees:

    >>> rectangle = [[1, 2], [1, -2], [-1, 2], [-1, -2]]
    >>> exchanged = [[2, 1], [-2, 1], [2, -1], [-2, -1]]
    >>> float(permutation_procrustes(rectangle, exchanged))
    0.0
    >>> turned = [[3, 1], [-1, -3], [1, 3], [-3, -1]]
    >>> d = permutation_procrustes(rectangle, turned)
    >>> round(float(d) ** 2, 6)  # 20 + 40 - 2 x 20
    20.0
    """
    return PermutationProcrustes(normalize=normalize, form=form)(x, y)
