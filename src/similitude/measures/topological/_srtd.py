"""Symmetric representation topology divergence."""

from dataclasses import dataclass
from typing import Any

from ..._base._array import Score
from ..._base._seed import Rng
from ...topology import _divergence
from .._normalize import DistanceUnit
from ._base import Batched, Form, refuse_gradients

__all__ = ["SRTD", "srtd"]


@dataclass(frozen=True, kw_only=True)
class SRTD(Batched):
    """Symmetric representation topology divergence; see `similitude.srtd`."""

    name = "srtd"
    refs = ("wang2026symmetric",)
    parts = staticmethod(_divergence.srtd_parts)


def srtd(
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
    r"""Symmetric representation topology divergence: from the minimum to the maximum.

    .. math::

        \mathrm{SRTD}(X, Y) = \sum_{[b, d)} (d - b) \ \text{over}\
            H_1\big(R(\min(w, \tilde w)), R(\max(w, \tilde w))\big)

    where

    - :math:`w, \tilde w` are the Euclidean distances between the rows of x and of y,
      each divided by its own 0.9 quantile (over pairs i < j);
    - :math:`R(w)` is the Vietoris-Rips filtration. The bars are those of relative
      homology in degree 1, over Z/2.

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
    normalize="none". SRTD is at least as large as either direction of RTD. It is at
    most one direction of RTD plus the opposite direction of Max-RTD. Its `mst_part` in
    `details`, MST(max) - MST(min), is known as SRTD-lite.

    Not to be confused with: `rtd`, which is the mean of two directions.

    Raises
    ------
    Undefined
        If the quantile of distances is 0 but not all distances are 0.

    References
    ----------
    wang2026symmetric

    Examples
    --------
    Two groups, at a distance of 10 in x and of 2 in y. They are joined at 2 by the
    minimum, and at 10 by the maximum.

    >>> x, y = [[0.0], [1.0], [11.0], [12.0]], [[0.0], [1.0], [3.0], [4.0]]
    >>> float(srtd(x, y, normalize="none"))
    8.0
    """
    measure = SRTD(
        batch=batch, draws=draws, normalize=normalize, quantile=quantile, form=form
    )
    refuse_gradients("srtd", "srtd_loss", x, y)
    return measure(x, y, rng)
