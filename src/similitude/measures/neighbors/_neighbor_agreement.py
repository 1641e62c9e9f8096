"""Agreement of neighborhoods of every size, from local to global."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from ... import _linalg
from ..._base._array import Score
from ..._base._validate import points
from ...errors import Undefined
from .._claims import Alias, KnownScore
from ._base import MetricMeasure, NeighborMetric, Neighbors, neighbors

__all__ = ["NeighborAgreement", "neighbor_agreement"]

_SHOWN = 40  # sizes of neighborhoods in `details`


@dataclass(frozen=True, eq=False)
class Ordered(Neighbors):
    """All other rows of each row, nearest first; and chance at each size."""

    distances: np.ndarray  # n - 2 mean Jaccard distances of random lists


@dataclass(frozen=True, kw_only=True)
class NeighborAgreement(MetricMeasure):
    """Agreement of neighborhoods of every size; see `neighbor_agreement`."""

    name = "neighbor_agreement"
    aliases = (Alias("tas"), Alias("topological_alignment_spectrum"))
    refs = ("tavares2026diagnosing",)
    cost = "moderate"
    lowest = -1.0
    chance = "0"
    known = (
        KnownScore([[0], [2], [5]], [[0], [2], [-1]], -1 / 3, {"metric": "euclidean"}),
    )

    metric: NeighborMetric = "cosine"

    def prepare(self, x: Any, seed: Any = None) -> Ordered:
        x = points(x)
        if x.n < 3:
            raise Undefined(f"neighbors can differ in three or more rows; got {x.n}.")
        found = neighbors(x, x.n - 1, self.metric)
        return Ordered(found.indices, found.like, distances=_chance_distances(x.n))

    def per_stimulus(self, p: Ordered, q: Ordered) -> np.ndarray:
        """The mean over all sizes."""
        parts = [np.mean(part, axis=1) for part in _curves(p, q)]
        return np.concatenate(parts)

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        return 3e6 + 100.0 * n * n

    def details(self, p: Ordered, q: Ordered) -> dict[str, Any]:
        """The mean over stimuli at forty sizes, evenly spaced on a logarithmic scale.

        `plots.plot_agreement` draws it.
        """
        sums = sum(np.sum(part, axis=0) for part in _curves(p, q))
        k = np.unique(np.round(np.geomspace(1, p.n - 2, _SHOWN)).astype(int))
        return {"k": k.tolist(), "agreement": (sums[k - 1] / p.n).tolist()}


def _curves(p: Ordered, q: Ordered) -> Iterator[np.ndarray]:
    """Chance-corrected agreement of the neighborhoods of some rows at a time.

    A row is in both neighborhoods of size k if the larger of its two places is at most
    k. Places and sizes begin at 1.
    """
    n = p.n
    places = np.arange(1, n)
    k = places[:-1]
    for start, stop in _linalg.spans(n, min(256, _linalg.budget_rows(n, 40 * n))):
        of_q = np.empty((stop - start, n), dtype=np.int64)
        np.put_along_axis(of_q, q.indices[start:stop], places[None, :], axis=1)
        last = np.maximum(
            places, np.take_along_axis(of_q, p.indices[start:stop], axis=1)
        )
        last += np.arange(stop - start)[:, None] * n
        counts = np.bincount(last.ravel(), minlength=last.shape[0] * n)
        shared = np.cumsum(counts.reshape(-1, n), axis=1)[:, 1:-1]
        yield 1 - 2 * (k - shared) / (2 * k - shared) / p.distances


def _chance_distances(n: int) -> np.ndarray:
    """Mean Jaccard distances of two random lists of k of n - 1 rows, k = 1 ... n - 2.

    The number of shared rows is hypergeometric.
    """
    m, logs = n - 1, scipy.special.gammaln(np.arange(n + 1) + 1.0)
    found = np.empty(n - 2)
    for k in range(1, n - 1):
        s = np.arange(max(0, 2 * k - m), k + 1)
        log = 2 * (logs[k] - logs[k - s]) - logs[s] - logs[m - 2 * k + s]
        chances = np.exp(log + 2 * logs[m - k] - logs[m])
        found[k - 1] = chances @ (2 * (k - s) / (2 * k - s)) / np.sum(chances)
    return found


def neighbor_agreement(
    x: Any, y: Any, /, *, metric: NeighborMetric = "cosine"
) -> Score:
    r"""Agreement of the neighborhoods of each row, at all sizes, corrected for chance.

    .. math::

        \frac{1}{n - 2} \sum_{k=1}^{n-2} \frac{J_k - E_k}{1 - E_k}, \qquad
        J_k = \frac{1}{n} \sum_{i=1}^n
        \frac{|N^x_k(i) \cap N^y_k(i)|}{|N^x_k(i) \cup N^y_k(i)|}

    where

    - :math:`N^x_k(i)` are the k other rows of x nearest to row i. Ties go to the
      smaller index;
    - :math:`E_k` is the mean of :math:`J_k` over all pairings of rows: two random lists
      of k of the n - 1 other rows share a hypergeometric number of them.

    The terms are a curve from local (k = 1) to global (k = n - 2): the topological
    alignment spectrum. `details` has this curve, and `plots.plot_agreement` draws it.
    Noise in each row lowers its left end, and another arrangement of clusters its
    right end.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    metric
        ``"cosine"`` or ``"euclidean"``.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]; 0 on average for unrelated representations, at every k and n.

    Notes
    -----
    Invariant to rotations, reflections and a factor for each row of either side. With
    metric="euclidean", invariant to rotations, reflections, isotropic scaling and
    translation. Stores n^2 places per side.

    Not to be confused with: `knn_jaccard`, the uncorrected value at one k; the score
    here is the mean over all k, and most of these are large.

    Raises
    ------
    Undefined
        For fewer than three rows, or if all rows are equal. With the cosine, also if a
        row is zero or all rows have one direction.

    References
    ----------
    tavares2026diagnosing

    Examples
    --------
    Three points on a line. When the last point moves next to the first, one of three
    nearest neighbors stays, which is less than the half that is expected by chance.

    >>> before, after = [[0.0], [1.0], [2.5]], [[0.0], [1.0], [-0.5]]
    >>> round(float(neighbor_agreement(before, after, metric="euclidean")), 4)
    -0.3333
    """
    return NeighborAgreement(metric=metric)(x, y)
