"""Projection weighted canonical correlation analysis."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import points
from ...transformations import AFFINE, COLUMNS
from .._base import Measure
from .._claims import Claims
from .._sums import Sums
from .._surrogate import surrogate
from ._base import check_rank_limit, ranks

__all__ = ["PWCCA", "pwcca"]

# Correlations that differ by less are tied: their directions are not determined, only
# the space that the directions span.
_TIE = 1e-8


@dataclass(frozen=True, eq=False)
class PreparedColumns:
    """An orthonormal basis of the centered columns, and their coordinates in it."""

    basis: _linalg.Whitened
    coordinates: Array  # d x r: inner products of columns and basis

    @property
    def rank(self) -> int:
        return self.basis.rank


@dataclass(frozen=True, kw_only=True)
class PWCCA(Measure):
    """Projection weighted mean canonical correlation; see `similitude.pwcca`."""

    name = "pwcca"
    refs = ("morcos2018insights",)

    variant: Literal["asymmetric", "symmetrized"] = "asymmetric"

    def claims(self) -> Claims:
        both = self.variant == "symmetrized"
        # The weights sum absolute values over the columns, so rotations change them.
        return Claims(
            on_device=True,
            kind="similarity",
            range=(0.0, 1.0),
            symmetric=both,
            invariant_x=COLUMNS,
            invariant_y=COLUMNS if both else AFFINE,
            differentiable=False,  # the weights depend on singular vectors
            chance="near the root of max(rank) / (n - 1)",
            fits_noise=True,
        )

    def prepare(self, x: Any, seed: Any = None) -> PreparedColumns:
        given = points(x)
        given = replace(given, values=_array.stop_gradient(given.values))
        x = _linalg.widened(_linalg.balanced(given))
        columns = _linalg.balanced_columns(given)
        basis = _linalg.whiten(columns)
        if basis.coordinates is not None and columns is given:
            return PreparedColumns(basis, basis.coordinates.T)
        return PreparedColumns(basis, _linalg.center_each(x).T @ basis.rows)

    def compare_sums(self, sums: Sums) -> Array:
        return self(*surrogate(sums))

    def compare(self, p: PreparedColumns, q: PreparedColumns) -> Array:
        across = _across(p, q)
        if self.variant == "asymmetric" and (found := _variates_by_gram(across)):
            return _weighted(p.coordinates, *found)
        u, rho, vt = _variates(across)
        score = _weighted(p.coordinates, u, rho)
        if self.variant == "symmetrized":
            score = (score + _weighted(q.coordinates, vt.T, rho)) / 2.0
        return score

    def compare_all(self, ps: Sequence[PreparedColumns]) -> Array:
        """PWCCA(x, y) and PWCCA(y, x) share one decomposition."""
        count = len(ps)
        scores = {}
        for i, j in itertools.combinations_with_replacement(range(count), 2):
            u, rho, vt = _variates(_across(ps[i], ps[j]))
            scores[i, j] = _weighted(ps[i].coordinates, u, rho)
            scores[j, i] = _weighted(ps[j].coordinates, vt.T, rho)
        xp = _array.namespace(scores[0, 0])
        rows = [xp.stack([scores[i, j] for j in range(count)]) for i in range(count)]
        table = xp.stack(rows)
        return (table + table.T) / 2.0 if self.claims().symmetric else table

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        return _linalg.rotation_work(n, d_x, d_y)

    def permute(self, q: PreparedColumns, order: np.ndarray) -> PreparedColumns:
        return replace(q, basis=q.basis.permute(order))

    def details(self, p: PreparedColumns, q: PreparedColumns) -> dict[str, Any]:
        return ranks(p.basis, q.basis)


def _across(p: PreparedColumns, q: PreparedColumns) -> Array:
    """Q_x'Q_y: its singular values are the canonical correlations."""
    check_rank_limit(p.basis.n, p.rank, q.rank, "svcca")
    return p.basis.across(q.basis)


def _variates(across: Array) -> tuple[Array, Array, Array]:
    """U, rho, V': canonical correlations, and rotations of both bases to variates."""
    return _linalg.svd(across, full_matrices=True)


def _variates_by_gram(across: Array) -> tuple[Array, Array] | None:
    """U and rho by the eigenvectors of M M', M = Q_x'Q_y; None if not accurate.

    A direction has an error of about e / gap, where e is the error of an eigenvalue and
    the gap is to the next one. The score is a mean over directions, and so is its
    error.
    """
    xp, count = _array.namespace(across), min(across.shape)
    if not _linalg.is_worth_squaring(count):
        return None
    values, vectors = xp.linalg.eigh(across @ across.T)
    known = _array.to_numpy(values)[::-1]
    gaps = -np.diff(known[:count], append=known[count : count + 1])
    if np.min(gaps, initial=np.inf) <= 0 or known[count - 1] <= 0:
        return None
    error = _linalg.ROUNDING * _array.eps(across)
    if np.sum(error / gaps) > _linalg.MOST_ERROR * count:
        return None
    return xp.flip(vectors, axis=1), xp.flip(values)[:count] ** 0.5


def _weighted(coordinates: Array, directions: Array, rho: Array) -> Array:
    """The weighted mean of `rho`; tied correlations share the mean of their weights."""
    xp, count = _array.namespace(coordinates, rho), rho.shape[0]
    projected = coordinates @ directions  # <h_k, x_j> for every direction k
    alpha = xp.sum(xp.abs(projected), axis=0)
    weights = []
    for start, stop in _ties(_array.to_numpy(rho)):
        weight = alpha[start:stop]
        # For a correlation of 0, any direction orthogonal to the others is possible.
        zero = stop == count and _array.number(rho[start]) <= _TIE
        space = projected[:, start:] if zero else projected[:, start:stop]
        if space.shape[1] > 1:
            lengths = xp.sum(xp.linalg.vector_norm(space, axis=1))
            weight = xp.ones_like(weight) * _mean_component(space.shape[1]) * lengths
        weights.append(weight)
    alpha = xp.concat(weights)
    return xp.sum(alpha * rho) / xp.sum(alpha)


def _ties(rho: np.ndarray) -> list[tuple[int, int]]:
    """(start, stop) of the runs of equal values; `rho` descends."""
    cuts = np.flatnonzero(np.diff(rho) < -_TIE) + 1
    edges = [0, *cuts.tolist(), len(rho)]
    return list(itertools.pairwise(edges))


def _mean_component(m: int) -> float:
    """Mean absolute component of a unit vector in m dimensions; 1 for m = 1."""
    log = math.lgamma(m / 2) - math.lgamma((m + 1) / 2)
    return math.exp(log) / math.sqrt(math.pi)


def pwcca(
    x: Any, y: Any, /, *, variant: Literal["asymmetric", "symmetrized"] = "asymmetric"
) -> Score:
    r"""Mean canonical correlation, weighted by how much of x each variate explains.

    .. math::

        \mathrm{PWCCA} = \frac{\sum_k \alpha_k \rho_k}{\sum_k \alpha_k},
        \qquad \alpha_k = \sum_j |\langle h_k, x_j \rangle|

    where

    - :math:`\rho_k`, for k up to the smaller of the two ranks, are the canonical
      correlations, and :math:`h_k` the canonical variates of x: n-vectors, orthonormal;
    - :math:`x_j` are the columns of x with their means removed.

    If m correlations are equal (to 1e-8), their variates may be any orthonormal basis
    of a space of m dimensions, and the weights depend on the basis. The weights are
    therefore averaged over all bases. The average depends only on the projections of
    the :math:`x_j` onto that space:

    .. math::

        \sum_{k \in \text{tie}} \alpha_k := m \, c_m \sum_j \|P x_j\|,
        \qquad c_m = \frac{\Gamma(m/2)}{\sqrt\pi \, \Gamma((m+1)/2)}

    where P is the projection, :math:`c_m` is the mean absolute component of a unit
    vector, and :math:`c_1 = 1`. For correlations of 0 the space is the remaining part
    of the column space of x, and m in :math:`c_m` is its dimension.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
        The variates of x determine the weights.
    variant
        ``"asymmetric"`` as above, or ``"symmetrized"`` for the mean of PWCCA(x, y) and
        PWCCA(y, x).

    Returns
    -------
    0-d array of the caller's library
        In [0, 1].

    Notes
    -----
    Asymmetric. Invariant to permutations, sign changes, isotropic scaling and
    translation of the columns of x, and to every invertible affine map of y. The
    symmetrized variant has the invariances of x on both sides. Not differentiable: the
    weights depend on singular vectors.

    Not to be confused with: versions that make the coefficients orthonormal instead of
    the variates; mean CCA, where all weights are equal.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal. Also if r1 + r2 > n - 1: the two
        spaces then intersect, and some correlations are 1 whatever the data.

    References
    ----------
    morcos2018insights

    Examples
    --------
    x has one direction that y shares, and one three times as large that y does not
    share: the weights are 1 and 3. Both directions of y have the same size.

    >>> import numpy as np
    >>> a = np.asarray([1, 1, 1, 1, -1, -1, -1, -1])
    >>> b = np.asarray([1, 1, -1, -1, 1, 1, -1, -1])
    >>> c = np.asarray([1, -1, 1, -1, 1, -1, 1, -1])
    >>> x, y = np.stack([a, 3 * b], 1), np.stack([a, c], 1)
    >>> round(float(pwcca(x, y)), 4), round(float(pwcca(y, x)), 4)
    (0.25, 0.5)
    """
    return PWCCA(variant=variant)(x, y)
