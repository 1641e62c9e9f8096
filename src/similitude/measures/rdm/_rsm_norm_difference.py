"""Entrywise distance between similarity matrices."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import points
from ...errors import Undefined
from ...transformations import DIRECTIONS, SIZE_AND_SHAPE
from .._base import Measure
from .._claims import Claims

__all__ = ["RSMNormDifference", "rsm_norm_difference"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rescaled rows, and the length of one unit of them in the caller's units."""

    values: Array
    unit: float


@dataclass(frozen=True, kw_only=True)
class RSMNormDifference(Measure):
    """Norm of the difference; see `similitude.rsm_norm_difference`."""

    name = "rsm_norm_difference"
    refs = ("klabunde2025similarity",)

    inner: Literal["euclidean", "cosine"] = "euclidean"

    def claims(self) -> Claims:
        invariant = SIZE_AND_SHAPE if self.inner == "euclidean" else DIRECTIONS
        return Claims(
            on_device=self.inner == "cosine",
            kind="distance",
            range=(0.0, float("inf")),
            triangle=True,
            invariant=invariant,
        )

    def prepare(self, x: Any, seed: Any = None) -> Rows:
        x = points(x)
        if x.n < 2:
            raise Undefined(f"pairs need at least two rows; got {x.n}. Add stimuli.")
        rows = _linalg.metric_rows(x, self.inner)
        scaled = self.inner == "euclidean"
        return Rows(rows, _linalg.balanced(x).unit if scaled else 1.0)

    def compare(self, p: Rows, q: Rows) -> Array:
        # Both sides use the larger of the two units, so that squares do not overflow.
        unit = max(p.unit, q.unit)
        a, b = (v.values * (v.unit / unit) for v in (p, q))
        xp, n = _array.namespace(a, b), a.shape[0]
        total = 0.0
        for start, stop in _linalg.spans(n, _linalg.budget_rows(n, 8 * n)):
            left, right = (
                xp.concat(list(_linalg.pair_distances(v, self.inner, start, stop)))
                for v in (a, b)
            )
            total = total + xp.sum((left - right) ** 2)
        # Each pair is two entries of the matrix, and the diagonals are equal.
        return _linalg.in_unit(_linalg.safe_sqrt(2.0 * total), unit)

    def permute(self, q: Rows, order: np.ndarray) -> Rows:
        return replace(q, values=_array.take(q.values, order))


def rsm_norm_difference(
    x: Any, y: Any, /, *, inner: Literal["euclidean", "cosine"] = "euclidean"
) -> Score:
    r"""Frobenius norm of the difference of two similarity matrices.

    .. math::

        \|S^x - S^y\|_F = \Big( \sum_{i,j} (S^x_{ij} - S^y_{ij})^2 \Big)^{1/2}

    where

    - :math:`S^x_{ij}` is the similarity of rows i and j of x: the negative Euclidean
      distance, or the cosine. (1 minus the similarity gives the same norm.)

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    inner
        ``"euclidean"`` or ``"cosine"``.

    Returns
    -------
    0-d array of the caller's library
        At least 0. It grows with n; divide by n to compare scores at different n.

    Notes
    -----
    Invariant to rotations, reflections and translation of either side. With
    inner="cosine", invariant to rotations, reflections and a factor for each row. A
    metric up to these maps. The n x n matrices are not stored.

    Not to be confused with: the spectral norm of the difference, which some code
    computes instead; `rsa`, which ignores the scale of similarities.

    Raises
    ------
    Undefined
        If there is a single row; with Euclidean distances, if all rows are equal; with
        the cosine, if a row is zero.

    References
    ----------
    klabunde2025similarity

    Examples
    --------
    Two points, at distance 1 in x and at distance 4 in y. Two entries differ by 3.

    >>> round(float(rsm_norm_difference([[0.0], [1.0]], [[2.0], [6.0]])), 4)
    4.2426
    """
    return RSMNormDifference(inner=inner)(x, y)
