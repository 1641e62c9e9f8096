"""Death times of degree 0 of many clouds, and values of beta derived from them."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from ..._base._validate import check_not_negative
from ...errors import InvalidInput, Undefined
from ._clouds import CloudMetric, tree_edges

__all__ = [
    "DeathTimes",
    "angle_of_beta",
    "beta_connected",
    "beta_of_angle",
    "death_times",
    "overlap_index",
    "suggest_beta",
]


@dataclass(frozen=True, eq=False)
class DeathTimes:
    """Lengths of the edges of minimum spanning trees of several clouds.

    Attributes
    ----------
    values
        All deaths, cloud after cloud, ascending within a cloud.
    cloud
        Number of the cloud of each death.
    clouds
        Number of clouds; a cloud of a single row has no deaths.
    """

    values: np.ndarray
    cloud: np.ndarray
    clouds: int

    @property
    def largest(self) -> np.ndarray:
        """The largest death of each cloud: the scale at which it is connected."""
        found = np.zeros(self.clouds)
        np.maximum.at(found, self.cloud, self.values)
        return found

    @property
    def mean(self) -> float:
        return float(self.values.mean())

    @property
    def mean_largest(self) -> float:
        return float(self.largest.mean())

    def quantiles(self, *levels: float) -> list[float]:
        return [float(q) for q in np.quantile(self.values, levels)]

    def connected_share(self, beta: float) -> float:
        """Fraction of clouds that are beta-connected."""
        return float((self.largest <= beta).mean())


def death_times(
    z: Any,
    groups: Any = None,
    *,
    metric: CloudMetric = "euclidean",
    p: float | None = None,
) -> DeathTimes:
    """Deaths of degree 0 of the Vietoris-Rips filtration of each cloud.

    They are also the heights of single linkage. `z`, `groups`, `metric` and `p` are as
    for `densification_loss`.

    Examples
    --------
    >>> found = death_times([[0.0], [1.0], [5.0], [9.0], [9.5]], [0, 0, 0, 1, 1])
    >>> found.values.tolist(), found.largest.tolist()
    ([1.0, 4.0, 0.5], [4.0, 0.5])
    """
    edges = tree_edges(z, groups, metric, p)
    if not len(edges.u):
        raise Undefined(
            "all clouds have a single row, so none has a death time. Give two or more "
            "rows per cloud."
        )
    # They are already ascending within a cloud, and cloud after cloud.
    return DeathTimes(edges.lengths, edges.cloud, edges.clouds)


def beta_connected(
    z: Any,
    beta: float,
    groups: Any = None,
    *,
    metric: CloudMetric = "euclidean",
    p: float | None = None,
) -> np.ndarray:
    """Whether each cloud is connected by edges of length <= beta.

    Examples
    --------
    >>> beta_connected([[0.0], [1.0], [5.0], [9.0], [9.5]], 1.0, [0, 0, 0, 1, 1])
    array([False,  True])
    """
    check_not_negative("beta", beta)
    edges = tree_edges(z, groups, metric, p)
    found = np.ones(edges.clouds, dtype=bool)
    np.logical_and.at(found, edges.cloud, edges.lengths <= beta)
    return found


def suggest_beta(
    deaths: DeathTimes, *, factors: tuple[float, ...] = (0.3, 0.5, 0.6)
) -> dict[str, tuple[float, ...]]:
    """Values of beta to try, from death times of a model trained without the loss.

    They are `factors` times the mean death, and times the mean of the largest deaths. A
    beta well below the current deaths makes classes denser; a beta above makes them
    wider.

    Examples
    --------
    >>> found = death_times([[0.0], [1.0], [4.0]])
    >>> suggest_beta(found, factors=(0.5,))
    {'mean': (1.0,), 'mean_largest': (1.5,)}
    """
    if not factors or min(factors) <= 0:
        raise InvalidInput(f"factors={factors!r}; give positive numbers.")
    return {
        "mean": tuple(f * deaths.mean for f in factors),
        "mean_largest": tuple(f * deaths.mean_largest for f in factors),
    }


def beta_of_angle(degrees: float) -> float:
    """1 - cos(angle): the decrease of a cosine when a row turns by this angle.

    For relative rows and ``metric="linf"``, beta can be read as an angle between rows
    relative to the anchors.

    >>> round(beta_of_angle(60.0), 12)
    0.5
    """
    return 1.0 - math.cos(math.radians(degrees))


def angle_of_beta(beta: float) -> float:
    """The inverse of `beta_of_angle`, in degrees.

    >>> round(angle_of_beta(0.5), 12)
    60.0
    """
    if not 0 <= beta <= 2:
        raise InvalidInput(f"beta={beta!r}; it must be 1 - cos of an angle, in [0, 2].")
    return math.degrees(math.acos(1.0 - beta))


def overlap_index(a: Any, b: Any, *, grid: int = 2048) -> float:
    r"""Overlap of two distributions: :math:`\int \min(f, g)`.

    f and g are Gaussian kernel density estimates (Scott's bandwidth) of the values. The
    index is in [0, 1], and 1 for equal samples. It is 1 minus the total variation
    distance :math:`\int |f - g| / 2`.

    Parameters
    ----------
    a, b
        `DeathTimes`, or 1-d values.
    grid
        Number of points of the trapezoidal rule.

    Examples
    --------
    >>> round(overlap_index([0.0, 1.0, 2.0], [0.0, 1.0, 2.0]), 6)
    1.0
    """
    values = [
        np.asarray(s.values if isinstance(s, DeathTimes) else s, dtype=np.float64)
        for s in (a, b)
    ]
    for name, v in zip("ab", values, strict=True):
        if v.ndim != 1 or len(v) < 2 or not np.isfinite(v).all():
            raise InvalidInput(
                f"{name} must be two or more finite numbers in a 1-d array; got shape "
                f"{v.shape}."
            )
        if np.ptp(v) <= 1e-12 * np.abs(v).max():
            raise Undefined(
                f"{name} is constant, so it has no density. Compare the values instead."
            )
    f, g = (scipy.stats.gaussian_kde(v) for v in values)
    tails = [6 * k.factor * v.std(ddof=1) for k, v in zip((f, g), values, strict=True)]
    low = min(v.min() - t for v, t in zip(values, tails, strict=True))
    high = max(v.max() + t for v, t in zip(values, tails, strict=True))
    at = np.linspace(low, high, grid)
    return float(np.trapezoid(np.minimum(f(at), g(at)), at))
