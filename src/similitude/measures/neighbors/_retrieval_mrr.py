"""Retrieval of a stimulus in another space by its relations to other stimuli."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from ... import _linalg
from ..._base._array import Score
from ..._base._seed import Rng
from ..._base._validate import Count, points
from ...errors import Undefined
from .._claims import Alias, Claims
from ._base import NeighborMetric, SampledMeasure
from ._relation_profiles import Agreement, ProfileMeasure, Profiles, profiles

__all__ = ["RetrievalMRR", "retrieval_mrr"]

_ROWS, _COLUMNS = 256, 4096  # of a block, whose temporary arrays are small


@dataclass(frozen=True, kw_only=True)
class RetrievalMRR(SampledMeasure, ProfileMeasure):
    """Mean reciprocal rank of the counterpart; see `similitude.retrieval_mrr`."""

    name = "retrieval_mrr"
    refs = ("moschella2023relative",)
    aliases = (Alias("mrr"),)
    symmetric = False
    chance = "about (1 + 1/2 + ... + 1/k) / n"

    k: Count = 10
    metric: NeighborMetric = "cosine"
    query_rows: Count | None = None

    def claims(self) -> Claims:
        return replace(super().claims(), neighbors=(self.k, self.metric))

    def prepare(self, x: Any, seed: SeedSequence | None = None) -> Profiles:
        if self.query_rows is None:
            return super().prepare(x)
        x = points(x)
        return profiles(x, self.metric, self.queries(x.n, seed))

    def per_stimulus(self, p: Profiles, q: Profiles) -> np.ndarray:
        if self.k > p.n:
            raise Undefined(
                f"k={self.k} exceeds the number of rows; got {p.n}. Lower k, or use "
                f"more stimuli."
            )
        queries = np.arange(p.n) if p.queries is None else p.queries
        agree, rank = Agreement(p, q), np.ones(queries.size, dtype=np.int64)
        for start, stop in _linalg.spans(queries.size, _ROWS):
            own = queries[start:stop]
            score = np.diagonal(agree.cosines(own, own))[:, None]
            for low, high in _linalg.spans(p.n, _COLUMNS):
                columns = np.arange(low, high)
                cosines = agree.cosines(own, columns)
                before = (cosines == score) & (columns < own[:, None])
                before |= (cosines > score) & (columns != own[:, None])
                rank[start:stop] += np.count_nonzero(before, axis=1)
        return np.where(rank <= self.k, 1.0 / rank, 0.0)

    def details(self, p: Profiles, q: Profiles) -> dict[str, Any]:
        return {"chance": float(np.sum(1.0 / np.arange(1, self.k + 1)) / p.n)}


def retrieval_mrr(
    x: Any,
    y: Any,
    /,
    *,
    k: int = 10,
    metric: NeighborMetric = "cosine",
    query_rows: int | None = None,
    rng: Rng | None = None,
) -> Score:
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
    query_rows
        If given, only this many rows, drawn at random, are compared with all rows. The
        score is then an unbiased estimate of the score of all rows.
    rng
        Integer, numpy Generator or SeedSequence; required if rows are drawn.

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
    measure = RetrievalMRR(k=k, metric=metric, query_rows=query_rows)
    return measure(x, y, rng)
