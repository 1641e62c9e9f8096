"""Wasserstein distance between Vietoris-Rips barcodes."""

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any

from ..._base._array import Array, Score, scalar
from ..._base._validate import at_least, points
from ...errors import InvalidInput
from ...topology import Barcode, wasserstein_distance
from ...topology._rips_barcode import rips_barcodes
from .._claims import Claims
from .._normalize import DistanceUnit
from ._base import DistanceMeasure, Quantile

__all__ = ["RipsWasserstein", "rips_wasserstein"]


def _check_order(name: str, order: float) -> None:
    if not 1 <= order < math.inf:
        raise InvalidInput(f"{name}={order!r}; it must be finite and at least 1.")


@dataclass(frozen=True, eq=False)
class Bars:
    """The barcode of one cloud."""

    barcode: Barcode
    like: Array  # sets the array library, dtype and device of the score


@dataclass(frozen=True, kw_only=True)
class RipsWasserstein(DistanceMeasure):
    """Distance between barcodes; see `similitude.rips_wasserstein`."""

    name = "rips_wasserstein"
    refs = ("trofimov2023learning",)
    cost = "heavy"

    degree: Annotated[int, at_least(0)] = 1
    order: Annotated[float, _check_order] = 1.0
    normalize: DistanceUnit = "quantile"
    quantile: Quantile = 0.9

    def claims(self) -> Claims:
        claims = super().claims()
        return replace(claims, kind="distance", paired=False, triangle=True)

    def prepare(self, x: Any, seed: Any = None) -> Bars:
        x = points(x)
        bars = rips_barcodes(self.distances(x), self.degree)[self.degree]
        return Bars(bars, x.values[:1, :1])

    def compare(self, p: Bars, q: Bars) -> Array:
        cost = wasserstein_distance(p.barcode, q.barcode, order=self.order, internal=1)
        return scalar(cost, p.like)

    def details(self, p: Bars, q: Bars) -> dict[str, Any]:
        return {
            "rows": p.barcode.n_points,
            "bars_x": len(p.barcode),
            "bars_y": len(q.barcode),
        }


def rips_wasserstein(
    x: Any,
    y: Any,
    /,
    *,
    degree: int = 1,
    order: float = 1.0,
    normalize: DistanceUnit = "quantile",
    quantile: float = 0.9,
) -> Score:
    r"""Wasserstein distance between the Rips barcodes of x and y.

    .. math::

        W_p = \Bigl( \min_{\text{matchings}} \ \sum_{a \sim b}
            \lVert a - b \rVert_1^p \Bigr)^{1/p}

    where

    - a and b are bars (birth, death) of :math:`H_{\text{degree}}` of the Vietoris-Rips
      filtrations of x and y, with Euclidean distances divided by their 0.9 quantile;
    - an unmatched bar is matched with the diagonal, at the cost of its length;
    - p is `order`.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library.
    degree
        0 compares components, 1 loops, 2 voids.
    order
        p >= 1.
    normalize, quantile
        The unit of distances in each cloud: their ``"quantile"`` at that level, their
        ``"median"``, ``"mean"``, or ``"none"``.

    Returns
    -------
    0-d array of the caller's library
        In [0, ∞). It grows with the number of rows.

    Notes
    -----
    Unpaired: the order of rows does not matter. Invariant to rotations, reflections and
    translation, and to isotropic scaling unless normalize="none". The norm between two
    bars is the sum of the differences of births and of deaths.

    Not to be confused with: `rtd`, which uses that row i is the same stimulus in both;
    Wasserstein distances with the maximum or Euclidean norm between bars
    (`topology.wasserstein_distance(internal=)`).

    Raises
    ------
    Undefined
        If the quantile of distances is 0 but not all distances are 0.

    References
    ----------
    trofimov2023learning

    Examples
    --------
    Squares of side 1 and of side 2 have the loops [1, √2) and [2, 2√2). Matching the
    loops costs 1 + √2, matching both with the diagonal costs 3 (√2 - 1).

    >>> square = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]
    >>> larger = [[2.0 * v for v in row] for row in square]
    >>> round(float(rips_wasserstein(square, larger, normalize="none")), 4)
    1.2426
    """
    measure = RipsWasserstein(
        degree=degree, order=order, normalize=normalize, quantile=quantile
    )
    return measure(x, y)
