"""Mean cosine of rows after alignment by a rotation."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import Points, points
from ...errors import Undefined
from ...transformations import SHAPE, Group
from .._base import Measure
from .._claims import Claims

__all__ = ["AlignedCosine", "aligned_cosine"]


@dataclass(frozen=True, eq=False)
class RowsAndDirections:
    """Rows, and the same rows at unit length."""

    rows: Array
    directions: Array


@dataclass(frozen=True, kw_only=True)
class AlignedCosine(Measure):
    """Mean cosine of rows after the best rotation; see `similitude.aligned_cosine`."""

    name = "aligned_cosine"
    refs = ("hamilton2016diachronic", "schonemann1966generalized")

    center: bool = False

    def claims(self) -> Claims:
        invariant = frozenset({Group.ROTATION, Group.ISOTROPIC_SCALE})
        if self.center:
            invariant = SHAPE
        return Claims(
            kind="similarity",
            range=(-1.0, 1.0),
            invariant=invariant,
            differentiable=False,  # the rotation maximizes products, not cosines
            chance="goes to 1 as d / n grows",
            per_stimulus="mean",
        )

    def prepare(self, x: Any, seed: Any = None) -> RowsAndDirections:
        x = _linalg.widened(_linalg.balanced(points(x)))
        rows = _linalg.center_each(x) if self.center else x.values
        rows = _linalg.narrow(_array.stop_gradient(rows))
        length = x.xp.linalg.vector_norm(rows, axis=1, keepdims=True)
        _check_directions(x, length, centered=self.center)
        return RowsAndDirections(rows, rows / length)

    def compare(self, p: RowsAndDirections, q: RowsAndDirections) -> Array:
        cosines = self._cosines(p, q)
        return _array.namespace(cosines).mean(cosines)

    def per_stimulus(self, p: RowsAndDirections, q: RowsAndDirections) -> np.ndarray:
        return _array.to_numpy(self._cosines(p, q))

    def _cosines(self, p: RowsAndDirections, q: RowsAndDirections) -> Array:
        xp = _array.namespace(p.rows, q.rows)
        # The rotation of directions that have product 0 with the other side is
        # arbitrary. On average over all choices they contribute 0.
        rotation = _linalg.polar_factor(p.rows.T @ q.rows, partial=True)
        return xp.sum((p.directions @ rotation) * q.directions, axis=1)

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        return _linalg.rotation_work(n, d_x, d_y)

    def permute(self, q: RowsAndDirections, order: np.ndarray) -> RowsAndDirections:
        rows, directions = (_array.take(v, order) for v in (q.rows, q.directions))
        return replace(q, rows=rows, directions=directions)


def _check_directions(x: Points, length: Array, *, centered: bool) -> None:
    """Raise `Undefined` for a row of zeros; if centered, a row equal to the mean."""
    values = _array.stop_gradient(x.values)
    before = x.xp.linalg.vector_norm(values, axis=1, keepdims=True)
    least = 16 * _array.eps(length) * before if centered else 0.0 * before
    dead = _array.to_numpy(length <= least)[:, 0]
    if dead.any():
        raise Undefined(
            f"row {int(dead.argmax())} has length 0, so its cosine is undefined. Drop "
            f"that stimulus from both sides."
        )


def aligned_cosine(x: Any, y: Any, /, *, center: bool = False) -> Score:
    r"""Mean cosine between the rows of x and y after the best rotation.

    .. math::

        s = \frac1n \sum_i \frac{\langle x_i Q, y_i \rangle}{\|x_i\| \, \|y_i\|},
        \qquad Q = \arg\max_{Q'Q = I} \sum_i \langle x_i Q, y_i \rangle

    where

    - :math:`x_i, y_i` are the rows of x and y; `center` removes their column means; the
      narrower side is padded with zero columns;
    - Q is the orthogonal polar factor of :math:`X'Y`.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    center
        Remove the column means first. Otherwise means that are large compared to the
        spread make every cosine large.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1].

    Notes
    -----
    Invariant to rotations, reflections and isotropic scaling of either side; with
    `center` also to translation. Not differentiable: the rotation maximizes inner
    products, not cosines, so its own derivative would be needed.

    If some directions of x have product 0 with all of y, Q is not unique. Those
    directions are left out, which equals the mean over all choices.

    Not to be confused with: Procrustes similarity, one cosine for all rows together.

    Raises
    ------
    Undefined
        If a row has length 0; with `center`, if all rows of a side are equal.

    References
    ----------
    hamilton2016diachronic, schonemann1966generalized

    Examples
    --------
    The rotation undoes a quarter turn, but not the reversal of one row out of four:

    >>> x = [[1, 0], [0, 1], [-2, 0], [0, -1]]
    >>> round(float(aligned_cosine(x, [[0, 1], [-1, 0], [0, -2], [1, 0]])), 6)
    1.0
    >>> round(float(aligned_cosine(x, [[-1, 0], [0, 1], [-2, 0], [0, -1]])), 6)
    0.5
    """
    return AlignedCosine(center=center)(x, y)
