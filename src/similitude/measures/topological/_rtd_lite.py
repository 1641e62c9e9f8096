"""RTD-lite: representation topology divergence without loops."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._base._array import Array, Score, scalar
from ..._base._validate import points
from ...topology import _divergence
from .._normalize import DistanceUnit
from ._base import DistanceMeasure, Form, Quantile, refuse_gradients

__all__ = ["RTDLite", "rtd_lite"]


@dataclass(frozen=True, eq=False)
class Cloud:
    """All distances within one cloud."""

    distances: np.ndarray
    like: Array  # sets the array library, dtype and device of the score


@dataclass(frozen=True, kw_only=True)
class RTDLite(DistanceMeasure):
    """Differences of minimum spanning trees; see `similitude.rtd_lite`."""

    name = "rtd_lite"
    refs = ("tulchinskii2025rtdlite",)
    cost = "moderate"

    normalize: DistanceUnit = "quantile"
    quantile: Quantile = 0.9
    form: Form = "total"

    def prepare(self, x: Any, seed: Any = None) -> Cloud:
        x = points(x)
        return Cloud(self.distances(x), x.values[:1, :1])

    def _parts(self, p: Cloud, q: Cloud) -> list[float]:
        parts = _divergence.lite_parts(p.distances, q.distances)
        scale = len(p.distances) if self.form == "per_point" else 1
        return (parts / scale).tolist()

    def compare(self, p: Cloud, q: Cloud) -> Array:
        return scalar(sum(self._parts(p, q)) / 2, p.like)

    def permute(self, q: Cloud, order: np.ndarray) -> Cloud:
        return Cloud(q.distances[np.ix_(order, order)], q.like)

    def details(self, p: Cloud, q: Cloud) -> dict[str, Any]:
        forward, backward = self._parts(p, q)
        return {"rows": len(p.distances), "x_to_y": forward, "y_to_x": backward}


def rtd_lite(
    x: Any,
    y: Any,
    /,
    *,
    normalize: DistanceUnit = "quantile",
    quantile: float = 0.9,
    form: Form = "total",
) -> Score:
    r"""RTD-lite: delay of merges relative to the minimum of both distances.

    .. math::

        \mathrm{RTD\text{-}lite}(X, Y) = \tfrac12 \big( \mathrm{MST}(w)
            + \mathrm{MST}(\tilde w) \big) - \mathrm{MST}(\min(w, \tilde w))

    where

    - :math:`w, \tilde w` are the Euclidean distances between the rows of x and of y,
      each divided by its own 0.9 quantile (over pairs i < j);
    - MST is the total length of the minimum spanning tree.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    normalize, quantile
        The unit of distances in each cloud: their ``"quantile"`` at that level, their
        ``"median"``, ``"mean"``, or ``"none"``.
    form
        ``"total"``, or ``"per_point"``: divided by the number of rows.

    Returns
    -------
    0-d array of the caller's library
        In [0, ∞): 0 for equal distances; it grows with the number of rows.

    Notes
    -----
    Invariant to rotations, reflections and translation, and to isotropic scaling unless
    normalize="none". Takes O(n^2) operations. RTD-lite is the part of RTD that comes
    from components, so it is at most RTD of the same rows. `topology.rtd_lite_barcode`
    returns its bars.

    Not to be confused with: the difference of the lengths of the two trees, which does
    not use the correspondence of rows; `rtd`, which includes loops.

    Raises
    ------
    Undefined
        If the quantile of distances is 0 but not all distances are 0.

    References
    ----------
    tulchinskii2025rtdlite

    Examples
    --------
    Two groups, at a distance of 10 in x and of 2 in y. The trees have length 12 in x, 4
    in y and 4 for the minimum.

    >>> x, y = [[0.0], [1.0], [11.0], [12.0]], [[0.0], [1.0], [3.0], [4.0]]
    >>> float(rtd_lite(x, y, normalize="none"))
    4.0
    """
    measure = RTDLite(normalize=normalize, quantile=quantile, form=form)
    refuse_gradients("rtd_lite", "rtd_lite_loss", x, y)
    return measure(x, y)
