"""Retrieval: can a stimulus be found in another space by its relations to others?"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from ... import _array, _config
from ..._array import Array
from ..._validate import check_at_least
from ...errors import InvalidInput, Undefined
from .._base import Measure
from .._claims import DIRECTIONS, SHAPE, Claims
from .._known import Alias
from ._base import NeighborMetric
from ._profiles import Profiles, agreement, profiles

__all__ = ["MatchingAccuracy", "RetrievalMRR", "matching_accuracy", "retrieval_mrr"]


@dataclass(frozen=True)
class RetrievalMRR(Measure):
    """Mean reciprocal rank of the counterpart; see `similitude.retrieval_mrr`."""

    name = "retrieval_mrr"
    refs = ("moschella2023relative",)
    aliases = (Alias("mrr"),)

    k: int = 10
    metric: NeighborMetric = "cosine"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least("k", self.k, 1)

    def claims(self) -> Claims:
        chance = "about (1 + 1/2 + ... + 1/k) / n"
        claims = _claims(self.metric, symmetric=False, chance=chance)
        return replace(claims, neighbors=(self.k, self.metric))

    def prepare(self, x: Any, seed: Any = None) -> Profiles:
        return profiles(x, self.metric)

    def compare(self, p: Profiles, q: Profiles) -> Array:
        if self.k > p.n:
            raise Undefined(
                f"the first k={self.k} places need as many rows; got {p.n}. Lower k, "
                f"or use more stimuli."
            )
        total = 0.0
        for start, stop, cosines in agreement(p, q):
            own = np.arange(start, stop)
            score = cosines[own - start, own][:, None]
            earlier = np.arange(p.n)[None, :] < own[:, None]
            before = (cosines > score) | ((cosines == score) & earlier)
            place = 1 + np.count_nonzero(before, axis=1)
            total += np.sum(np.where(place <= self.k, 1.0 / place, 0.0))
        return _array.scalar(total / p.n, p.like)

    def permute(self, q: Profiles, order: np.ndarray) -> Profiles:
        return q.permute(order)

    def details(self, p: Profiles, q: Profiles) -> dict[str, Any]:
        return {"chance": float(np.sum(1.0 / np.arange(1, self.k + 1)) / p.n)}


@dataclass(frozen=True)
class MatchingAccuracy(Measure):
    """Share of rows matched to themselves; see `similitude.matching_accuracy`."""

    name = "matching_accuracy"
    cost = "moderate"
    refs = ("maniparambil2024vision", "kuhn1955hungarian")

    metric: NeighborMetric = "cosine"

    def claims(self) -> Claims:
        return _claims(self.metric, symmetric=True, chance="about 1 / n")

    def prepare(self, x: Any, seed: Any = None) -> Profiles:
        return profiles(x, self.metric)

    def compare(self, p: Profiles, q: Profiles) -> Array:
        # The scores of all pairs, and scipy's copy of them.
        needed, budget = 2 * 8 * p.n**2, _config.current().memory_budget
        if needed > budget:
            raise InvalidInput(
                f"matching {p.n} rows one to one holds {needed / 2**30:.1f} GiB, and "
                f"memory_budget is {budget / 2**30:.1f} GiB. Raise it, use fewer "
                f"stimuli, or retrieval_mrr."
            )
        # Of equal scores the solver prefers the diagonal, which is the answer: columns
        # are shuffled, so that rows which cannot be told apart are matched by chance.
        order = np.random.default_rng(0).permutation(p.n)
        scores = np.empty((p.n, p.n))
        for start, stop, cosines in agreement(p, q):
            scores[start:stop] = cosines[:, order]
        matched = scipy.optimize.linear_sum_assignment(scores, maximize=True)[1]
        return _array.scalar(np.mean(order[matched] == np.arange(p.n)), p.like)

    def permute(self, q: Profiles, order: np.ndarray) -> Profiles:
        return q.permute(order)

    def details(self, p: Profiles, q: Profiles) -> dict[str, Any]:
        return {"chance": 1.0 / p.n}


def _claims(metric: NeighborMetric, *, symmetric: bool, chance: str) -> Claims:
    invariant = DIRECTIONS if metric == "cosine" else SHAPE
    return Claims(
        kind="similarity",
        range=(0.0, 1.0),
        symmetric=symmetric,
        invariant_x=invariant,
        invariant_y=invariant,
        differentiable=False,
        chance=chance,
    )


def retrieval_mrr(
    x: Any, y: Any, /, *, k: int = 10, metric: NeighborMetric = "cosine"
) -> Array:
    r"""Mean reciprocal rank at which a stimulus finds itself in the other space.

    .. math::

        \frac{1}{n} \sum_{i=1}^n \frac{[\rho_i \le k]}{\rho_i}, \qquad
        \rho_i = \text{place of } i \text{ among all } j \text{ by }
        \cos\big( (s^x_{il})_l,\, (s^y_{jl})_l \big), \; l \ne i, j

    where

    - :math:`s^x_{il}` is the relation of rows i and l of x, by `metric`: two spaces
      have no coordinates in common, but relations to the same stimuli;
    - relations of a row to itself are left out; places count from 1, and of equal
      cosines the smaller index comes first.

    Parameters
    ----------
    x, y
        n x d1, which asks, and n x d2, which is searched; rows the same n stimuli;
        arrays of one library.
    k
        Beyond this place nothing is gained; at most n.
    metric
        ``"cosine"``: relations are cosines. ``"euclidean"``: squared distances.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]; 1 where every row finds itself first. Unrelated representations score
        about (1 + 1/2 + ... + 1/k) / n.

    Notes
    -----
    Asymmetric. Invariant to rotations, reflections and a factor for each row of either
    side; with metric="euclidean" to rotations, reflections, isotropic scaling,
    translation. These are relative representations with all other stimuli as anchors.

    Not to be confused with: retrieval in coordinates that both sides share, after an
    alignment that was fitted to some of the rows.

    Raises
    ------
    Undefined
        For fewer than three rows, k > n, constant rows, zero rows under the cosine, and
        a row without relations.

    References
    ----------
    moschella2023relative

    Examples
    --------
    A copy finds itself, in other units as well:

    >>> x = [[0.0], [1.0], [3.0], [7.0]]
    >>> y = [[5.0], [3.0], [-1.0], [-9.0]]
    >>> float(retrieval_mrr(x, y, k=2, metric="euclidean"))
    1.0
    """
    return RetrievalMRR(k=k, metric=metric)(x, y)


def matching_accuracy(x: Any, y: Any, /, *, metric: NeighborMetric = "cosine") -> Array:
    r"""Share of stimuli that the best one-to-one matching of relations gets right.

    .. math::

        \frac{1}{n} \sum_{i=1}^n [\pi^*(i) = i], \qquad
        \pi^* = \arg\max_\pi \sum_i
        \cos\big( (s^x_{il})_l,\, (s^y_{\pi(i) l})_l \big), \; l \ne i, \pi(i)

    where

    - :math:`s^x_{il}` is the relation of rows i and l of x, by `metric`; relations of a
      row to itself are left out;
    - :math:`\pi` runs over the permutations of the rows (a linear assignment); which
      of equally good ones is taken does not depend on which is right.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library.
    metric
        ``"cosine"``: relations are cosines. ``"euclidean"``: squared distances.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]; unrelated representations score about 1 / n.

    Notes
    -----
    Invariant to rotations, reflections and a factor for each row of either side;
    with metric="euclidean" to rotations, reflections, isotropic scaling, translation.
    Takes n^3 operations in the worst case, and n x n scores.

    Not to be confused with: a matching of units (columns); the share of rows that find
    themselves first without excluding each other, which is `retrieval_mrr` with k=1; a
    blind matching, which does not know the correspondence of the other rows.

    Raises
    ------
    Undefined
        For fewer than three rows, constant rows, zero rows under the cosine, and a row
        without relations.
    InvalidInput
        Where n x n scores exceed the memory budget.

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
