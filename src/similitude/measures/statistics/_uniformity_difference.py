"""Uniformity: how evenly the directions of rows cover the sphere."""

import functools
from dataclasses import dataclass
from typing import Any

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import Positive, points
from ...errors import Undefined
from ...transformations import DIRECTIONS
from .._claims import Claims
from ._base import Difference

__all__ = ["UniformityDifference", "uniformity_difference"]


@dataclass(frozen=True, kw_only=True)
class UniformityDifference(Difference):
    """Difference of uniformities; see `similitude.uniformity_difference`."""

    name = "uniformity_difference"
    statistic = "uniformity"
    refs = ("wang2020understanding", "klabunde2025similarity")

    t: Positive = 2.0

    def claims(self) -> Claims:
        return self.difference(DIRECTIONS, 4.0 * self.t)

    def prepare(self, x: Any, seed: Any = None) -> Array:
        x = points(x)
        if x.n < 2:
            raise Undefined(
                "uniformity is a mean over pairs of rows, but there is only one row. "
                "Use more stimuli."
            )
        rows = _linalg.metric_rows(x, "cosine")
        logs = []
        for part in _linalg.pair_distances(rows, "cosine"):
            if part.shape[0] == 0:
                continue
            exponent = -2.0 * self.t * part  # |u - v|^2 = 2 (1 - cos)
            # The largest exponent is factored out; otherwise a large t underflows.
            peak = x.xp.max(_array.stop_gradient(exponent))
            logs.append(peak + x.xp.log(x.xp.sum(x.xp.exp(exponent - peak))))
        total = functools.reduce(x.xp.logaddexp, logs)
        return total - x.xp.log(x.xp.ones_like(total) * (x.n * (x.n - 1) / 2))


def uniformity_difference(x: Any, y: Any, /, *, t: float = 2.0) -> Score:
    r"""Difference of uniformities: how evenly the directions of rows cover the sphere.

    .. math::

        |u(x) - u(y)|, \qquad
        u(x) = \log \frac{2}{n (n - 1)} \sum_{i < j} e^{-t |\hat x_i - \hat x_j|^2},
        \qquad \hat x_i = x_i / |x_i|

    where

    - `t` is the inverse width of the potential between two directions.

    Parameters
    ----------
    x, y
        n1 x d1 and n2 x d2 arrays of one library. Rows need not correspond, and n1 and
        n2 may differ.
    t
        Inverse width, above 0.

    Returns
    -------
    0-d array of the caller's library
        In [0, 4t].

    Notes
    -----
    Invariant to rotations, reflections and a factor for each row of either side, and to
    the order of rows. A pseudometric: 0 does not mean equal.

    Not to be confused with: the potential of raw rows, whose off-diagonal terms vanish
    if rows are more than a few units long; a mean over all n^2 pairs, which pairs each
    row with itself.

    Raises
    ------
    Undefined
        If a row is zero, or if there is a single row.

    References
    ----------
    wang2020understanding, klabunde2025similarity

    Examples
    --------
    Two opposite directions have squared distance 4, and two equal directions 0. With
    t = 2 their uniformities are -8 and 0:

    >>> float(uniformity_difference([[1, 0], [-3, 0]], [[0, 1], [0, 2]]))
    8.0
    """
    return UniformityDifference(t=t)(x, y)
