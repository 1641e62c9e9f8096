"""Correlation of intrinsic dimensions: do both spaces vary together?"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import points
from ...errors import Undefined
from .._claims import Alias, Claims
from ._base import MetricMeasure, NeighborMetric, check_directions_differ

__all__ = ["IDCorrelation", "id_correlation"]

_KEPT = 0.9  # share of the smallest ratios that are fitted, as published
_TIE = 1e-9  # neighbors at equal distances, up to rounding


@dataclass(frozen=True, eq=False)
class Cloud:
    """Rows at a common scale, their dimension, and the rows that it leaves out."""

    rows: np.ndarray
    dimension: float
    left_out: int
    like: Array


@dataclass(frozen=True, kw_only=True)
class IDCorrelation(MetricMeasure):
    """Correlation of intrinsic dimensions; see `similitude.id_correlation`."""

    name = "id_correlation"
    aliases = (Alias("idcor"), Alias("intrinsic_dimension_correlation"))
    refs = ("basile2025intrinsic", "facco2017estimating")
    cost = "moderate"

    metric: NeighborMetric = "cosine"

    def claims(self) -> Claims:
        return Claims(
            kind="similarity",
            range=(-float("inf"), 2.0),
            invariant=self.invariant(),
            differentiable=False,
            chance="above 0 in few rows or high dimensions",
            grows_with_n=True,
            best_with_itself=False,
        )

    def prepare(self, x: Any, seed: Any = None) -> Cloud:
        x = points(x)
        rows = _array.to_numpy(_linalg.metric_rows(x, self.metric))
        check_directions_differ(rows, self.metric)
        if self.metric == "euclidean":
            rows = rows - rows.mean(axis=0)
            rows /= np.sqrt(np.mean(np.vecdot(rows, rows)))
        return Cloud(rows, *_two_nn(rows), x.values[:1, :1])

    def compare(self, p: Cloud, q: Cloud) -> Array:
        joined = _joined(p, q)[0]
        most = max(p.dimension, q.dimension)
        return _array.scalar((p.dimension + q.dimension - joined) / most, p.like)

    def permute(self, q: Cloud, order: np.ndarray) -> Cloud:
        return replace(q, rows=q.rows[order])

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        return 3e6 + n * n * (d_x + d_y + 20.0)

    def details(self, p: Cloud, q: Cloud) -> dict[str, Any]:
        """The three dimensions, and rows left out of each estimate."""
        joined, left_out = _joined(p, q)
        dimensions = {"x": p.dimension, "y": q.dimension, "joined": joined}
        rows = {"x": p.left_out, "y": q.left_out, "joined": left_out}
        return {f"dimension_{key}": value for key, value in dimensions.items()} | {
            f"left_out_{key}": value for key, value in rows.items()
        }


def _joined(p: Cloud, q: Cloud) -> tuple[float, int]:
    return _two_nn(np.concatenate([p.rows, q.rows], axis=1))


def _two_nn(rows: np.ndarray) -> tuple[float, int]:
    """The TwoNN dimension, and the number of rows without a ratio of distances.

    Duplicates, and rows whose two neighbors are equally far, have no such ratio.
    """
    n = len(rows)
    if n < 3:
        raise Undefined(f"the intrinsic dimension needs at least three rows; got {n}.")
    lists = _linalg.nearest(rows, 2, "euclidean")
    first, second = (np.linalg.norm(rows - rows[lists[:, c]], axis=1) for c in (0, 1))
    kept = (first > _TIE * np.median(second)) & (second - first > _TIE * second)
    count = int(np.count_nonzero(kept))
    fitted = int(min(_KEPT * count, count - 1))
    if fitted < 1:
        raise Undefined(
            f"only {count} of {n} rows have two neighbors at different distances above "
            f"0, so the intrinsic dimension does not exist. Drop duplicate rows."
        )
    ratios = np.sort(np.log(second[kept] / first[kept]))[:fitted]
    tail = -np.log1p(-np.arange(1, fitted + 1) / count)
    return float(tail @ ratios / (ratios @ ratios)), n - count


def id_correlation(x: Any, y: Any, /, *, metric: NeighborMetric = "cosine") -> Score:
    r"""Share of the intrinsic dimensions of two spaces that they have in common.

    .. math::

        \frac{I(x) + I(y) - I(x, y)}{\max(I(x), I(y))}

    where

    - :math:`I(x)` is the intrinsic dimension of the rows by TwoNN. With
      :math:`\mu_i = r_{i2} / r_{i1}`, the distances of row i to its two nearest rows,
      and F their empirical distribution, it is the slope through the origin of
      :math:`-\log(1 - F(\mu))` against :math:`\log \mu`, over the lowest 90 %;
    - :math:`I(x, y)` is that of the joined rows, :math:`(x_i, y_i)`.

    If y is a smooth function of x, the joined rows have the dimension of x, and the
    score is I(y) / max. If both are independent, dimensions add up, and the score is 0.
    The relation need not be linear.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    metric
        ``"cosine"``: rows of unit length, as published. ``"euclidean"``: centered rows,
        of mean squared length 1.

    Returns
    -------
    0-d array of the caller's library
        At most 2; 1 for equal spaces.

    Notes
    -----
    Invariant to rotations, reflections and a factor for each row of either side. With
    metric="euclidean", invariant to rotations, reflections, isotropic scaling and
    translation. In few rows TwoNN underestimates high dimensions, most of all that of
    the joined rows. Unrelated spaces then score above 0 (0.15 for two squares and 3,000
    rows), so read the score with its permutation p, as the paper does. `details` has
    the three dimensions, and counts rows without a ratio: duplicates and ties.

    Not to be confused with: `effective_dimension_difference`, which compares two
    numbers of directions of variance, not the directions.

    Raises
    ------
    Undefined
        If fewer than two rows have two neighbors at different distances above 0. With
        the cosine, also if a row is zero or all rows have one direction.

    References
    ----------
    basile2025intrinsic, facco2017estimating

    Examples
    --------
    A spiral is a curve: linear measures see little of its parameter, and this sees all.

    >>> import numpy as np
    >>> t = np.random.default_rng(0).uniform(1, 20, size=(2000, 1))
    >>> spiral = t * np.concatenate([np.cos(t), np.sin(t)], axis=1)
    >>> round(float(id_correlation(t, spiral, metric="euclidean")), 1)
    1.0
    """
    return IDCorrelation(metric=metric)(x, y)
