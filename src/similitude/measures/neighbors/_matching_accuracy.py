"""One-to-one matching of stimuli by their relations to other stimuli."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from ... import _linalg
from ..._base import _config
from ..._base._array import Score
from ...errors import OverBudget
from ._base import NeighborMetric
from ._relation_profiles import Agreement, ProfileMeasure, Profiles

__all__ = ["MatchingAccuracy", "matching_accuracy"]


@dataclass(frozen=True, kw_only=True)
class MatchingAccuracy(ProfileMeasure):
    """Share of rows matched to themselves; see `similitude.matching_accuracy`."""

    name = "matching_accuracy"
    cost = "moderate"
    refs = ("maniparambil2024vision", "kuhn1955hungarian")
    chance = "about 1 / n; more for cosines of one or two columns"

    metric: NeighborMetric = "cosine"

    def per_stimulus(self, p: Profiles, q: Profiles) -> np.ndarray:
        """1 for each row that is matched to itself, otherwise 0."""
        # The scores of all pairs, and the copy that scipy makes.
        needed, budget = 2 * 8 * p.n**2, _config.block_budget()
        if needed > budget:
            raise OverBudget(
                f"matching {p.n} rows one to one needs {needed / 2**30:.1f} GiB; "
                f"memory_budget is {budget / 2**30:.1f} GiB. Raise it, use fewer "
                f"stimuli, or use retrieval_mrr."
            )
        # Among equal scores the solver prefers the diagonal, the correct matching.
        # Shuffling the columns matches indistinguishable rows at random instead.
        order = np.random.default_rng(0).permutation(p.n)
        scores, agree = np.empty((p.n, p.n)), Agreement(p, q)
        for start, stop in _linalg.spans(p.n, _linalg.budget_rows(p.n, 4 * 8 * p.n)):
            scores[start:stop] = agree.cosines(np.arange(start, stop), order)
        matched = scipy.optimize.linear_sum_assignment(scores, maximize=True)[1]
        return (order[matched] == np.arange(p.n)).astype(float)

    def details(self, p: Profiles, q: Profiles) -> dict[str, Any]:
        return {"chance": 1.0 / p.n}


def matching_accuracy(x: Any, y: Any, /, *, metric: NeighborMetric = "cosine") -> Score:
    r"""Share of stimuli that the best one-to-one matching assigns correctly.

    .. math::

        \frac{1}{n} \sum_{i=1}^n [\pi^*(i) = i], \qquad
        \pi^* = \arg\max_\pi \sum_i
        \cos\big( (s^x_{il})_l,\, (s^y_{\pi(i) l})_l \big), \; l \ne i, \pi(i)

    where

    - :math:`s^x_{il}` is the relation of rows i and l of x, by `metric`; relations of a
      row to itself are left out;
    - :math:`\pi` runs over the permutations of the rows (a linear assignment). The rule
      that breaks ties does not favor the correct matching.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    metric
        ``"cosine"``: relations are cosines. ``"euclidean"``: squared distances.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]; unrelated representations score about 1 / n. With cosines of one or
        two columns they score more, 0.13 for 400 x 2: many rows have almost the same
        direction, and a row that is matched to itself keeps one relation more.

    Notes
    -----
    Invariant to rotations, reflections and a factor for each row of either side.
    With metric="euclidean", invariant to rotations, reflections, isotropic scaling and
    translation. It takes n^3 operations in the worst case and stores n x n scores.

    Not to be confused with: a matching of units (columns); top-1 retrieval, in which
    several rows may find the same row (`retrieval_mrr` with k=1); a blind matching,
    which does not know the correspondence of the other rows.

    Raises
    ------
    Undefined
        If there are fewer than three rows, if all rows are equal, or if all relations
        of a row are 0. With the cosine, also if a row is zero or all rows have one
        direction.
    InvalidInput
        If n x n scores exceed the memory budget.

    References
    ----------
    maniparambil2024vision, kuhn1955hungarian

    Examples
    --------
    >>> x = [[0.0], [1.0], [3.0], [7.0]]
    >>> y = [[5.0], [3.0], [-1.0], [-9.0]]
    >>> float(matching_accuracy(x, y, metric="euclidean"))
    1.0
    """
    return MatchingAccuracy(metric=metric)(x, y)
