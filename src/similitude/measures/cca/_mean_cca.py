"""Canonical correlations."""

from dataclasses import dataclass
from typing import Any, Literal

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import NotNegative, points
from ...transformations import AFFINE, SHAPE
from .._claims import SIDE, SQUARE, Alias, Claims, KnownScore
from .._sums import Sums
from .._surrogate import surrogate
from ._base import SubspaceMeasure, check_rank_limit

__all__ = ["MeanCCA", "mean_cca"]


@dataclass(frozen=True, kw_only=True)
class MeanCCA(SubspaceMeasure):
    """Mean canonical correlation; see `similitude.mean_cca`."""

    name = "mean_cca"
    refs = ("hotelling1936relations", "raghu2017svcca", "vinod1976canonical")
    aliases = (Alias("canonical_correlation"), Alias("cca"))
    known = (KnownScore(SQUARE, SIDE, 1.0),)

    form: Literal["correlation", "squared"] = "correlation"
    shrinkage: NotNegative = 0.0

    def claims(self) -> Claims:
        invariant = AFFINE if self.shrinkage == 0 else SHAPE
        return Claims(
            on_device=True,
            kind="similarity",
            range=(0.0, 1.0),
            invariant=invariant,
            chance=None if self.shrinkage else self._chance(),
            fits_noise=True,
            best_with_itself=self.shrinkage == 0,
        )

    def _chance(self) -> str:
        expected = "max(rank) / (n - 1)"
        squared = self.form == "squared"
        return expected if squared else f"just below the root of {expected}"

    def prepare(self, x: Any, seed: Any = None) -> _linalg.Whitened:
        if self.shrinkage == 0:
            return _linalg.whiten(_linalg.balanced_columns(points(x)))
        x = _linalg.balanced(points(x))
        rows = _linalg.center(_linalg.widened(x))
        mean_variance = x.xp.sum(rows * rows) / x.d
        return _linalg.whiten(x, self.shrinkage * mean_variance)

    def compare_sums(self, sums: Sums) -> Array:
        return self(*surrogate(sums))

    def compare(self, p: _linalg.Whitened, q: _linalg.Whitened) -> Array:
        if self.shrinkage == 0:
            check_rank_limit(p.n, p.rank, q.rank, "shrinkage=0.1")
        across = p.across(q)  # its singular values are the correlations
        if self.form == "squared":
            total = _array.namespace(across).sum(across**2)
        else:
            total = _linalg.nuclear_norm(across)
        return total / min(p.rank, q.rank)


def mean_cca(
    x: Any,
    y: Any,
    /,
    *,
    form: Literal["correlation", "squared"] = "correlation",
    shrinkage: float = 0.0,
) -> Score:
    r"""Mean canonical correlation between two column spaces.

    .. math::

        \bar\rho = \frac{1}{\min(r_1, r_2)} \sum_k \rho_k,
        \qquad \rho = \text{singular values of } Q_x' Q_y

    where

    - :math:`Q_x, Q_y` are orthonormal bases of the centered columns of x and y;
    - :math:`r_1, r_2` are the numerical ranks of the centered columns. Dead, duplicate
      and dependent units do not count, and do not raise an error.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    form
        ``"correlation"`` as above, or ``"squared"`` for the mean of :math:`\rho_k^2`.
    shrinkage
        Multiple of the mean column variance that is added to every direction before
        whitening (canonical ridge). With shrinkage the score exists beyond the rank
        limit. The score of a representation with itself is then below 1.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1].

    Notes
    -----
    Invariant to every invertible affine map of either side (with shrinkage: to
    rotations, reflections, isotropic scaling and translation).

    Not to be confused with: Yanai's GCD (the sum of squares over sqrt(r1 r2));
    eigenspace overlap (the sum of squares over max(r1, r2)); SVCCA (drops small
    directions first); PWCCA (weights the correlations).

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal. Without shrinkage, also if
        r1 + r2 > n - 1: the two spaces then intersect, and some correlations are 1
        whatever the data.

    References
    ----------
    hotelling1936relations, raghu2017svcca, vinod1976canonical

    Examples
    --------
    x has the coordinates a and b of a cube's corners, y spans a and c:

    >>> import numpy as np
    >>> a = np.asarray([1, 1, 1, 1, -1, -1, -1, -1])
    >>> b = np.asarray([1, 1, -1, -1, 1, 1, -1, -1])
    >>> c = np.asarray([1, -1, 1, -1, 1, -1, 1, -1])
    >>> round(float(mean_cca(np.stack([a, b], 1), np.stack([a + 5, a - 3 * c], 1))), 4)
    0.5
    """
    return MeanCCA(form=form, shrinkage=shrinkage)(x, y)
