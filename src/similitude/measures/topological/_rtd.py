"""Representation topology divergence."""

from dataclasses import dataclass
from typing import Any

from ..._base._array import Score
from ..._base._seed import Rng
from ...topology import _divergence
from .._normalize import DistanceUnit
from ._base import Batched, Form, refuse_gradients

__all__ = ["RTD", "rtd"]


@dataclass(frozen=True, kw_only=True)
class RTD(Batched):
    """Representation topology divergence; see `similitude.rtd`."""

    name = "rtd"
    refs = ("barannikov2022representation",)
    parts = staticmethod(_divergence.rtd_parts)


def rtd(
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
    r"""Representation topology divergence: total difference of merges and loops.

    .. math::

        \mathrm{RTD}(X, Y) = \tfrac12 \Big( \sum_{[b, d)} (d - b)
            \ \text{over}\ H_1\big(R(\min(w, \tilde w)), R(w)\big)
            \;+\; \text{the same over}\ H_1\big(R(\min(w, \tilde w)), R(\tilde w)\big)
            \Big)

    where

    - :math:`w, \tilde w` are the Euclidean distances between the rows of x and of y,
      each divided by its own 0.9 quantile (over pairs i < j);
    - :math:`R(w)` is the Vietoris-Rips filtration: a set of rows enters at its longest
      distance;
    - the bars of relative homology in degree 1, over Z/2, are the R-Cross-Barcode
      (`topology.r_cross_barcode`). They are groups of rows that are joined, and loops
      that are filled, earlier in one representation than in the other.

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
        In [0, ∞): 0 for equal distances. It grows with the number of rows; do not rank
        scores of different batch sizes. Unrelated clouds do not have a fixed score.

    Notes
    -----
    Invariant to rotations, reflections and translation, and to isotropic scaling unless
    normalize="none". Computed exactly by the `lune` engine of `similitude.topology`.
    Events are ordered in float32 and lengths are summed in float64.

    `details` has the batch size, the number of batches and the standard error of their
    mean, and both directions. It also splits RTD into its `mst_part` and `loop_part`.
    The `mst_part` is half of MST(w) + MST(w̃) - 2 MST(min), which is RTD-lite. The
    `loop_part` is the rest.

    Clouds whose rows are all equal are not normalized. RTD to a single point is half
    the length of the minimum spanning tree.

    Not to be confused with: one direction alone (twice `details["x_to_y"]` has been
    published as a score, and so has the sum of both); the distance between two Rips
    barcodes, which does not use the correspondence of rows (`rips_wasserstein`).

    Raises
    ------
    Undefined
        If the quantile of distances is 0 but not all distances are 0.

    References
    ----------
    barannikov2022representation

    Examples
    --------
    Two groups, at a distance of 10 in x and of 2 in y. They merge 8 later in x. No
    group merges later in y.

    >>> x, y = [[0.0], [1.0], [11.0], [12.0]], [[0.0], [1.0], [3.0], [4.0]]
    >>> float(rtd(x, y, normalize="none"))
    4.0
    """
    measure = RTD(
        batch=batch, draws=draws, normalize=normalize, quantile=quantile, form=form
    )
    refuse_gradients("rtd", "rtd_loss", x, y)
    return measure(x, y, rng)
