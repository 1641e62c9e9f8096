"""Max-RTD: divergence of each representation from the maximum of both distances."""

from dataclasses import dataclass
from typing import Any

from ..._base._array import Score
from ..._base._seed import Rng
from ...topology import _divergence
from .._normalize import DistanceUnit
from ._base import Batched, Form

__all__ = ["MaxRTD", "max_rtd"]


@dataclass(frozen=True, kw_only=True)
class MaxRTD(Batched):
    """RTD to the maximum of both distances; see `similitude.max_rtd`."""

    name = "max_rtd"
    refs = ("wang2026symmetric", "barannikov2022representation")
    parts = staticmethod(_divergence.max_rtd_parts)


def max_rtd(
    x: Any,
    y: Any,
    /,
    *,
    batch: int = 500,
    draws: int = 10,
    normalize: DistanceUnit = "quantile",
    quantile: float = 0.9,
    form: Form = "total",
    rng: Rng | None = None,
) -> Score:
    r"""Max-RTD: divergence of each representation from the maximum of both distances.

    .. math::

        \mathrm{MaxRTD}(X, Y) = \tfrac12 \Big( \sum_{[b, d)} (d - b)
            \ \text{over}\ H_1\big(R(\tilde w), R(\max(w, \tilde w))\big)
            \;+\; \text{the same over}\ H_1\big(R(w), R(\max(w, \tilde w))\big) \Big)

    where

    - :math:`w, \tilde w` are the Euclidean distances between the rows of x and of y,
      each divided by its own 0.9 quantile (over pairs i < j);
    - :math:`R(w)` is the Vietoris-Rips filtration. The bars are those of relative
      homology in degree 1, over Z/2. At each scale, the graph of max(w, w̃) has the
      edges that the graphs of w and of w̃ share.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    batch, draws
        With at most `batch` rows, the score is exact. With more rows, it is the mean
        over `draws` random sets of `batch` rows, which are the same in x and y.
    normalize, quantile
        The unit of distances in each cloud: their ``"quantile"`` at that level, their
        ``"median"``, ``"mean"``, or ``"none"``.
    form
        ``"total"``, or ``"per_point"``: divided by the number of rows of a batch.
    rng
        Seed of the batches; required only for more than `batch` rows.

    Returns
    -------
    0-d array of the caller's library
        In [0, ∞): 0 for equal distances; it grows with the number of rows.

    Notes
    -----
    Invariant to rotations, reflections and translation, and to isotropic scaling unless
    normalize="none". The `mst_part` of each score in `details` satisfies
    SRTD-lite = RTD-lite + Max-RTD-lite. The total scores do not.

    Not to be confused with: the larger of the two directions of RTD.

    Raises
    ------
    Undefined
        If the quantile of distances is 0 but not all distances are 0.

    References
    ----------
    wang2026symmetric, barannikov2022representation

    Examples
    --------
    Two groups, at a distance of 10 in x and of 2 in y. By the maximum they are joined
    at 10, as in x. In y they are joined 8 earlier.

    >>> x, y = [[0.0], [1.0], [11.0], [12.0]], [[0.0], [1.0], [3.0], [4.0]]
    >>> float(max_rtd(x, y, normalize="none"))
    4.0
    """
    measure = MaxRTD(
        batch=batch, draws=draws, normalize=normalize, quantile=quantile, form=form
    )
    return measure(x, y, rng)
