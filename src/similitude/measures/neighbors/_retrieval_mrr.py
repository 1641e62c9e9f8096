"""Retrieval of a stimulus in another space by its relations to other stimuli."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._array import Array
from ..._validate import Count
from ...errors import Undefined
from .._claims import Alias, Claims
from ._base import NeighborMetric
from ._relation_profiles import ProfileMeasure, Profiles, agreement

__all__ = ["RetrievalMRR", "retrieval_mrr"]


@dataclass(frozen=True, kw_only=True)
class RetrievalMRR(ProfileMeasure):
    """Mean reciprocal rank of the counterpart; see `similitude.retrieval_mrr`."""

    name = "retrieval_mrr"
    refs = ("moschella2023relative",)
    aliases = (Alias("mrr"),)
    symmetric = False
    chance = "about (1 + 1/2 + ... + 1/k) / n"

    k: Count = 10
    metric: NeighborMetric = "cosine"

    def claims(self) -> Claims:
        return replace(super().claims(), neighbors=(self.k, self.metric))

    def per_stimulus(self, p: Profiles, q: Profiles) -> np.ndarray:
        if self.k > p.n:
            raise Undefined(
                f"k={self.k} exceeds the number of rows; got {p.n}. Lower k, or use "
                f"more stimuli."
            )
        found = np.empty(p.n)
        for start, stop, cosines in agreement(p, q):
            own = np.arange(start, stop)
            score = cosines[own - start, own][:, None]
            earlier = np.arange(p.n)[None, :] < own[:, None]
            before = (cosines > score) | ((cosines == score) & earlier)
            rank = 1 + np.count_nonzero(before, axis=1)
            found[start:stop] = np.where(rank <= self.k, 1.0 / rank, 0.0)
        return found

    def details(self, p: Profiles, q: Profiles) -> dict[str, Any]:
        return {"chance": float(np.sum(1.0 / np.arange(1, self.k + 1)) / p.n)}


def retrieval_mrr(
    x: Any, y: Any, /, *, k: int = 10, metric: NeighborMetric = "cosine"
) -> Array:
    r"""Mean reciprocal rank of each stimulus when it is retrieved in the other space.

    .. math::

        \frac{1}{n} \sum_{i=1}^n \frac{[\rho_i \le k]}{\rho_i}, \qquad
        \rho_i = \text{place of } i \text{ among all } j \text{ by }
        \cos\big( (s^x_{il})_l,\, (s^y_{jl})_l \big), \; l \ne i, j

    where

    - :math:`s^x_{il}` is the relation of rows i and l of x, by `metric`. Two spaces do
      not share coordinates, but both have relations to the same stimuli.
    - Relations of a row to itself are left out. Places count from 1. Ties go to the
      smaller index.

    Parameters
    ----------
    x, y
        The n x d1 queries and the n x d2 rows that are searched; arrays of one library.
        Row i of both is the same stimulus.
    k
        Ranks above k count as 0; at most n.
    metric
        ``"cosine"``: relations are cosines. ``"euclidean"``: squared distances.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]; 1 if every row finds itself first. Unrelated representations score
        about (1 + 1/2 + ... + 1/k) / n.

    Notes
    -----
    Asymmetric. Invariant to rotations, reflections and a factor for each row of either
    side. With metric="euclidean", invariant to rotations, reflections, isotropic
    scaling and translation. The profiles are relative representations with all other
    stimuli as anchors.

    Not to be confused with: retrieval in common coordinates, after an alignment that
    was fitted to some of the rows.

    Raises
    ------
    Undefined
        If there are fewer than three rows, if k > n, if all rows are equal, or if all
        relations of a row are 0. With the cosine, also if a row is zero or all rows
        have one direction.

    References
    ----------
    moschella2023relative

    Examples
    --------
    A rescaled and shifted copy is retrieved perfectly:

    >>> x = [[0.0], [1.0], [3.0], [7.0]]
    >>> y = [[5.0], [3.0], [-1.0], [-9.0]]
    >>> float(retrieval_mrr(x, y, k=2, metric="euclidean"))
    1.0
    """
    return RetrievalMRR(k=k, metric=metric)(x, y)
