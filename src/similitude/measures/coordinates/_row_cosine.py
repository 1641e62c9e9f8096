"""Mean cosine of corresponding rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import points
from ...transformations import Group
from .._claims import Alias, Claims, KnownScore
from ..shape._base import Sized
from ._base import CoordinateMeasure, check_same_columns

__all__ = ["RowCosine", "row_cosine"]


@dataclass(frozen=True, kw_only=True)
class RowCosine(CoordinateMeasure):
    """Mean cosine of rows as they are; see `similitude.row_cosine`."""

    name = "row_cosine"
    refs = ("salton1975vector",)
    aliases = (Alias("cosine_similarity"),)
    known = (KnownScore([[1, 0], [1, 1]], [[2, 0], [1, -1]], 0.5),)

    def claims(self) -> Claims:
        return Claims(
            on_device=True,
            kind="similarity",
            range=(-1.0, 1.0),
            invariant=frozenset({Group.ROW_SCALE}),
            same_columns=True,
            chance="0 if the means of rows are 0",
            per_stimulus="mean",
        )

    def prepare(self, x: Any, seed: Any = None) -> Sized:
        x = _linalg.widened(_linalg.balanced(points(x)))
        return Sized(_linalg.unit_rows(x, "cosine"), 1.0)

    def compare(self, p: Sized, q: Sized) -> Array:
        cosines = _cosines(p, q)
        return _array.namespace(cosines).mean(cosines)

    def per_stimulus(self, p: Sized, q: Sized) -> np.ndarray:
        return _array.to_numpy(_cosines(p, q))

    def details(self, p: Sized, q: Sized) -> dict[str, Any]:
        xp = _array.namespace(p.rows)
        return {"smallest": _array.number(xp.min(_cosines(p, q)))}


def _cosines(p: Sized, q: Sized) -> Array:
    check_same_columns(p.rows, q.rows)
    return _array.namespace(p.rows, q.rows).vecdot(p.rows, q.rows)


def row_cosine(x: Any, y: Any, /) -> Score:
    r"""Mean cosine between row i of x and row i of y, without alignment.

    .. math::

        \frac{1}{n} \sum_{i=1}^n \frac{\langle x_i, y_i \rangle}{\|x_i\| \, \|y_i\|}

    where

    - :math:`x_i, y_i` are the rows of x and y as they are: nothing is centered or
      rotated.

    Parameters
    ----------
    x, y
        n x d arrays of one library. Row i is the same stimulus and column j the same
        unit in both.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]; 1 only if all rows have the same directions. `details` has the
        smallest cosine of a row, and `per_stimulus` all of them.

    Notes
    -----
    Invariant to a factor for each row of either side, and to nothing else.

    Not to be confused with: `aligned_cosine`, which rotates one side first; the cosine
    of the two arrays as vectors, which long rows dominate.

    Raises
    ------
    Undefined
        If the numbers of columns differ, or if a row is zero.

    References
    ----------
    salton1975vector

    Examples
    --------
    The first row keeps its direction, and the second turns by a right angle.

    >>> float(row_cosine([[1.0, 0.0], [1.0, 1.0]], [[2.0, 0.0], [1.0, -1.0]]))
    0.5
    """
    return RowCosine()(x, y)
