"""Representation topology divergence."""

from dataclasses import dataclass
from typing import Any

from ..._array import Array
from ..._seed import Rng
from ...topology import _divergence
from .._normalize import DistanceUnit
from ._base import Batched, Form

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
) -> Array:
    r"""Representation topology divergence: how much merges and loops differ, in all.

    .. math::

        \mathrm{RTD}(X, Y) = \tfrac12 \Big( \sum_{[b, d)} (d - b)
            \ \text{over}\ H_1\big(R(\min(w, \tilde w)), R(w)\big)
            \;+\; \text{the same over}\ H_1\big(R(\min(w, \tilde w)), R(\tilde w)\big)
            \Big)

    where

    - :math:`w, \tilde w` are the Euclidean distances between the rows of x, and of y,
      each in units of its own 0.9 quantile (over pairs i < j);
    - :math:`R(w)` is the Vietoris-Rips filtration: a set of rows enters at its longest
      distance;
    - the bars of relative homology in degree 1, over Z/2, are the R-Cross-Barcode
      (`topology.r_cross_barcode`): groups of rows that are joined, and loops that are
      filled, in one representation before they are in the other.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library.
    batch, draws
        Up to `batch` rows are taken at once, and exactly. Of more, `draws` random
        sets of `batch` rows are drawn, the same in x and y, and averaged.
    normalize, quantile
        The unit of distances in each cloud: their ``"quantile"`` at that level, their
        ``"median"``, ``"mean"``, or ``"none"``.
    form
        ``"total"``, or ``"per_point"``: divided by the number of rows of a batch.
    rng
        Seed of the draw; needed for more than `batch` rows only.

    Returns
    -------
    0-d array of the caller's library
        In [0, ∞): 0 for equal distances. It grows with the number of rows, so that
        scores of different batch sizes must not be ranked; unrelated clouds have no
        fixed level.

    Notes
    -----
    Invariant to rotations, reflections and translation, and to isotropic scaling unless
    normalize="none". Exact, by the `lune` engine of `similitude.topology`, with events
    ordered in float32 and lengths summed in float64.

    `details` has the batch size, the number of batches and the standard error of their
    mean; both directions; and the split of RTD into its `mst_part`, half of
    MST(w) + MST(w̃) - 2 MST(min), which is RTD-lite, and its `loop_part`, the rest.

    Clouds whose rows are all equal stay as they are: RTD to a point is half of the
    length of the minimum spanning tree.

    Not to be confused with: one direction alone (twice `details["x_to_y"]` has been
    published as a score, and so has the sum of both); the distance between two Rips
    barcodes, which does not know which row is which (`rips_wasserstein`).

    Raises
    ------
    Undefined
        Where the quantile of distances is 0 although they are not all 0.

    References
    ----------
    barannikov2022representation

    Examples
    --------
    Two groups at a distance of 10 in x, and of 2 in y. In x they merge 8 later, and y
    merges nothing later than x does.

    >>> x, y = [[0.0], [1.0], [11.0], [12.0]], [[0.0], [1.0], [3.0], [4.0]]
    >>> float(rtd(x, y, normalize="none"))
    4.0
    """
    measure = RTD(
        batch=batch, draws=draws, normalize=normalize, quantile=quantile, form=form
    )
    return measure(x, y, rng)
