"""Multi-scale intrinsic distance between the shapes of two point clouds."""

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.random import SeedSequence

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._record import OnlyFor
from ..._base._seed import Rng
from ..._base._validate import Count, Points, at_least, points
from ...errors import InvalidInput
from ...transformations import SHAPE
from .._base import Measure
from .._claims import Claims
from ..neighbors._base import neighbors
from ._heat_traces import TIMES, estimated_traces, exact_trace, random_walk

__all__ = ["IMD", "imd"]

# An option of estimators that may draw vectors.
_Drawn = Annotated[int, at_least(2), OnlyFor("estimator", ("auto", "stochastic"))]

_MAX_EXACT_ROWS = 2000  # up to here all eigenvalues are cheap
_SCALE = 1e6  # as published
_WEIGHT = np.exp(-2.0 * (TIMES + 1.0 / TIMES))


@dataclass(frozen=True, eq=False)
class HeatTrace:
    """tr exp(-tL) / n at each time: one row if exact, otherwise one row per draw."""

    traces: np.ndarray
    like: Array


@dataclass(frozen=True, kw_only=True)
class IMD(Measure):
    """Multi-scale intrinsic distance; see `similitude.imd`."""

    name = "imd"
    cost = "heavy"
    refs = ("tsitsulin2020shape", "ubaru2017fast")

    k: Count = 5
    estimator: Literal["auto", "exact", "stochastic"] = "auto"
    steps: _Drawn = 10
    draws: _Drawn = 100
    aggregate: Literal["max", "l2"] = "max"

    def claims(self) -> Claims:
        peak = math.exp(-4) if self.aggregate == "max" else len(TIMES) ** 0.5
        return Claims(
            kind="distance",
            range=(0.0, _SCALE * peak),
            paired=False,
            triangle=True,
            invariant=SHAPE,
            stochastic=self.estimator != "exact",
            differentiable=False,
            neighbors=(self.k, "euclidean"),
        )

    def prepare(self, x: Any, seed: SeedSequence | None = None) -> HeatTrace:
        x = points(x)
        found = neighbors(x, self.k, "euclidean")
        small = x.n <= _MAX_EXACT_ROWS
        if self.estimator == "exact" or (self.estimator == "auto" and small):
            return HeatTrace(exact_trace(found.indices), found.like)
        walk, starts = random_walk(found.indices), self._starts(x, seed)
        return HeatTrace(estimated_traces(walk, starts, self.steps), found.like)

    def _starts(self, x: Points, seed: SeedSequence | None) -> np.ndarray:
        """Random vectors over the rows, assigned by distance from the mean.

        Assigning them by index would make the score depend on the order of rows.
        """
        if seed is None:
            raise InvalidInput(
                f"imd of {x.n} rows is estimated from random vectors. Pass rng=0, or "
                f"another seed or Generator, or use estimator='exact'."
            )
        rows = _array.to_numpy(_linalg.center(_linalg.widened(_linalg.balanced(x))))
        lengths = _linalg.rankable(np.linalg.norm(rows, axis=1))
        drawn = np.random.default_rng(seed).standard_normal((x.n, self.draws))
        starts = np.empty_like(drawn)
        starts[np.argsort(lengths, kind="stable")] = drawn
        return starts

    def compare(self, p: HeatTrace, q: HeatTrace) -> Array:
        difference = _SCALE * (p.traces.mean(axis=0) - q.traces.mean(axis=0))
        return _array.scalar(float(self._direction(difference) @ difference), p.like)

    def _direction(self, difference: np.ndarray) -> np.ndarray:
        """The weights of the times in the score, which is locally linear."""
        if self.aggregate == "l2":
            length = np.linalg.norm(difference)
            return difference / length if length else difference
        direction = np.zeros_like(difference)
        at = np.argmax(_WEIGHT * np.abs(difference))
        direction[at] = _WEIGHT[at] * np.sign(difference[at])
        return direction

    def details(self, p: HeatTrace, q: HeatTrace) -> dict[str, Any]:
        """The standard error over draws, which both sides share."""
        draws = _SCALE * (p.traces - q.traces)
        along = draws @ self._direction(draws.mean(axis=0))
        error = np.std(along, ddof=1) / along.size**0.5 if along.size > 1 else 0.0
        return {
            "standard_error": float(error),
            "draws_x": _draws(p),
            "draws_y": _draws(q),
        }


def _draws(side: HeatTrace) -> int:
    """Number of random vectors behind this trace; 0 if it is exact."""
    count = side.traces.shape[0]
    return count if count > 1 else 0


def imd(
    x: Any,
    y: Any,
    /,
    *,
    k: int = 5,
    estimator: Literal["auto", "exact", "stochastic"] = "auto",
    steps: int = 10,
    draws: int = 100,
    aggregate: Literal["max", "l2"] = "max",
    rng: Rng | None = None,
) -> Score:
    r"""Multi-scale intrinsic distance: difference of the heat traces of two clouds.

    .. math::

        10^6 \max_t \, e^{-2 (t + 1/t)} \, |h_x(t) - h_y(t)|, \qquad
        h_x(t) = \frac{1}{n} \mathrm{tr}\, e^{-t L_x}

    where

    - :math:`L_x = I - D^{-1/2} A D^{-1/2}` is the normalized Laplacian of a graph. Two
      rows of x are joined if one is among the k nearest rows of the other.
    - t runs over 256 values from 0.1 to 10, equally spaced in the logarithm.

    Parameters
    ----------
    x, y
        n1 x d1 and n2 x d2 arrays of one library. Rows need not correspond, and n1 and
        n2 may differ.
    k
        Number of Euclidean nearest neighbors, below the number of rows.
    estimator
        ``"exact"``: from all eigenvalues, in n^3 operations. ``"stochastic"``: Lanczos
        quadrature from random vectors. ``"auto"``: exact up to 2,000 rows.
    steps, draws
        Numbers of Lanczos steps and of random vectors of the stochastic estimator.
    aggregate
        ``"max"`` as above; ``"l2"``: the root of the sum of squared differences over
        all t, without the weight.
    rng
        Integer, numpy Generator or SeedSequence; required if vectors are drawn. Both
        sides use the same draws.

    Returns
    -------
    0-d array of the caller's library
        At least 0; ``max`` at most 10^6 e^-4.

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation of either
    side. Invariant to the order of rows if no two distances tie. A pseudometric: 0 does
    not mean equal. `details` has the standard error of an estimate; a distance of that
    size is not distinguishable from 0. Since both sides share their draws, the estimate
    is 0 for y = x.

    Not to be confused with: the published code, in which both sides use independent
    draws. With its defaults a cloud can be farther from itself than from another cloud.

    Raises
    ------
    Undefined
        If k > n - 1, or if all rows are equal.

    References
    ----------
    tsitsulin2020shape, ubaru2017fast

    Examples
    --------
    With k = n - 1 every graph is complete. Its eigenvalues are 0 and, n - 1 times,
    n / (n - 1). For three and four points the largest weighted difference is at
    t = 1.27.

    >>> import numpy as np
    >>> three, four = np.eye(3), np.eye(4)
    >>> float(imd(three, four, k=2)) == float(imd(four, three, k=2))
    True
    >>> float(imd(three, 2 * three + 1, k=2))
    0.0
    """
    measure = IMD(
        k=k, estimator=estimator, steps=steps, draws=draws, aggregate=aggregate
    )
    return measure(x, y, rng=rng)
