"""Multi-scale intrinsic distance between the shapes of two clouds."""

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.random import SeedSequence

from ... import _array, _linalg
from ..._array import Array
from ..._seed import Rng
from ..._validate import Count, Points, at_least, check_unused, points
from ...errors import InvalidInput
from ...transformations import SHAPE
from .._base import Measure
from .._claims import Claims
from ..neighbors._base import neighbors
from ._heat_traces import TIMES, estimated_traces, exact_trace, random_walk

__all__ = ["IMD", "imd"]

_EXACT = 2000  # rows up to which all eigenvalues are cheap
_UNIT = 1e6  # as published
_WEIGHT = np.exp(-2.0 * (TIMES + 1.0 / TIMES))


@dataclass(frozen=True, eq=False)
class HeatTrace:
    """tr exp(-tL) / n at each time: one row if exact, if not one for each draw."""

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
    steps: Annotated[int, at_least(2)] = 10
    draws: Annotated[int, at_least(2)] = 100
    aggregate: Literal["max", "l2"] = "max"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, default in (("steps", 10), ("draws", 100)):
            idle = self.estimator == "exact" and getattr(self, name) != default
            check_unused(name, used=idle, needs="estimator='auto' or 'stochastic'")

    def claims(self) -> Claims:
        peak = math.exp(-4) if self.aggregate == "max" else len(TIMES) ** 0.5
        return Claims(
            kind="distance",
            range=(0.0, _UNIT * peak),
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
        if self.estimator == "exact" or (self.estimator == "auto" and x.n <= _EXACT):
            return HeatTrace(exact_trace(found.indices), found.like)
        walk, starts = random_walk(found.indices), self._starts(x, seed)
        return HeatTrace(estimated_traces(walk, starts, self.steps), found.like)

    def _starts(self, x: Points, seed: SeedSequence | None) -> np.ndarray:
        """Random vectors over the rows, given out by distance from the mean.

        Not by index: the order of rows means nothing here, and must not matter.
        """
        if seed is None:
            raise InvalidInput(
                f"imd of {x.n} rows is estimated from random vectors: pass rng=0, or a "
                f"Generator; estimator='exact' needs none."
            )
        rows = _array.to_numpy(_linalg.center(_linalg.widened(_linalg.balanced(x))))
        lengths = _linalg.rankable(np.linalg.norm(rows, axis=1))
        drawn = np.random.default_rng(seed).standard_normal((x.n, self.draws))
        starts = np.empty_like(drawn)
        starts[np.argsort(lengths, kind="stable")] = drawn
        return starts

    def compare(self, p: HeatTrace, q: HeatTrace) -> Array:
        difference = _UNIT * (p.traces.mean(axis=0) - q.traces.mean(axis=0))
        return _array.scalar(float(self._direction(difference) @ difference), p.like)

    def _direction(self, difference: np.ndarray) -> np.ndarray:
        """The weights of the times in the score, which is linear nearby."""
        if self.aggregate == "l2":
            length = np.linalg.norm(difference)
            return difference / length if length else difference
        direction = np.zeros_like(difference)
        at = np.argmax(_WEIGHT * np.abs(difference))
        direction[at] = _WEIGHT[at] * np.sign(difference[at])
        return direction

    def details(self, p: HeatTrace, q: HeatTrace) -> dict[str, Any]:
        """The standard error, from the spread over draws: both sides share them."""
        draws = _UNIT * (p.traces - q.traces)
        along = draws @ self._direction(draws.mean(axis=0))
        error = np.std(along, ddof=1) / along.size**0.5 if along.size > 1 else 0.0
        return {
            "standard_error": float(error),
            "draws_x": _draws(p),
            "draws_y": _draws(q),
        }


def _draws(side: HeatTrace) -> int:
    """How many random vectors were drawn for it; 0 if it is exact."""
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
) -> Array:
    r"""Multi-scale intrinsic distance: does heat spread alike on both clouds?

    .. math::

        10^6 \max_t \, e^{-2 (t + 1/t)} \, |h_x(t) - h_y(t)|, \qquad
        h_x(t) = \frac{1}{n} \mathrm{tr}\, e^{-t L_x}

    where

    - :math:`L_x = I - D^{-1/2} A D^{-1/2}` is the normalized Laplacian of the graph in
      which two rows of x are joined if one is among the k nearest of the other;
    - t runs over 256 values from 0.1 to 10, equally spaced in the logarithm.

    Parameters
    ----------
    x, y
        n1 x d1 and n2 x d2; arrays of one library. Rows need not correspond, nor be
        equally many.
    k
        Neighbors, Euclidean; fewer than rows.
    estimator
        ``"exact"``: all eigenvalues, n^3. ``"stochastic"``: Lanczos quadrature from
        random vectors. ``"auto"``: exact up to 2,000 rows.
    steps, draws
        Lanczos steps and random vectors of the stochastic estimator.
    aggregate
        ``"max"`` as above; ``"l2"``: the root of the sum of squared differences over
        all t, without the weight.
    rng
        Integer, numpy Generator or SeedSequence; needed where vectors are drawn. Both
        sides draw the same.

    Returns
    -------
    0-d array of the caller's library
        At least 0; ``max`` at most 10^6 e^-4.

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation of either
    side, and to the order of rows where no two distances tie. A pseudometric: 0 does
    not mean equal. `details` has the standard error of an estimate; a distance of that
    size is none. Since both sides share their draws, the estimate is 0 for y = x.

    Not to be confused with: the published code, where both sides draw on their own, so
    that with its defaults a cloud can be farther from itself than from another.

    Raises
    ------
    Undefined
        For k > n - 1, and constant rows.

    References
    ----------
    tsitsulin2020shape, ubaru2017fast

    Examples
    --------
    With k = n - 1 every graph is complete: eigenvalues 0 and, n - 1 times, n / (n - 1).
    For three and four points the largest weighted difference is at t = 1.27.

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
