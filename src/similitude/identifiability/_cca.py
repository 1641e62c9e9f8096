"""Canonical correlations of representations, and what they say about logits."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _array, _linalg
from .._validate import Points
from .._validate import pair as point_pair
from ..errors import InvalidInput, Undefined
from ..inputs import SoftmaxModel
from ._coordinates import centered, triangular_factor
from ._divergence import logit_distance
from ._pair import ABOVE, paired


def m_cca(x: Any, y: Any) -> float:
    r"""Mean canonical correlation of two representations of one dimension M.

    .. math:: m_{CCA} = \frac{1}{M} \sum_{k=1}^M \rho_k

    where the canonical correlations are the singular values of Q_x' Q_y, for
    orthonormal bases of the centered columns.

    Parameters
    ----------
    x, y
        n x M each: ``p.embeddings, q.embeddings`` over the inputs, or
        ``p.unembeddings, q.unembeddings`` over the labels.

    Returns
    -------
    float
        In [0, 1]; 1 if and only if y = x A + b with an invertible A.

    Notes
    -----
    Both can be 1 for embeddings and for unembeddings of models with quite different
    distributions, since the two maps need not be inverse transposes.

    Unembeddings are few points. Where 2 M > K - 1, some correlations are 1 whatever
    the data; this function does not refuse to count them, unlike `similitude.mean_cca`.

    Raises
    ------
    Undefined
        If either has less than rank M after centering.

    Examples
    --------
    Two coordinates of a cube's corners, against one of them and the third:

    >>> a = [1, 1, 1, 1, -1, -1, -1, -1]
    >>> b = [1, 1, -1, -1, 1, 1, -1, -1]
    >>> c = [1, -1, 1, -1, 1, -1, 1, -1]
    >>> round(m_cca(list(zip(a, b)), list(zip(a, c))), 12)
    0.5
    """
    for name, side in (("x", x), ("y", y)):
        if isinstance(side, SoftmaxModel):
            raise InvalidInput(
                f"{name} is a SoftmaxModel; pass its embeddings (over inputs) or its "
                f"unembeddings (over labels)."
            )
    first, second = point_pair(x, y)
    if first.d != second.d:
        raise InvalidInput(
            f"x has {first.d} columns and y has {second.d}; m_cca compares "
            f"representations of one dimension M. similitude.mean_cca takes others."
        )
    rho = _linalg.canonical_correlations(_basis(first, "x"), _basis(second, "y"))
    # They are cosines: what is above 1 is rounding.
    return float(np.minimum(_array.to_numpy(rho), 1.0).mean())


def _basis(x: Points, name: str) -> _linalg.Whitened:
    white = _linalg.whiten(_linalg.balanced(x))
    if white.rank < x.d:
        raise Undefined(
            f"{name} has rank {white.rank} of M = {x.d} over its {x.n} rows, so that "
            f"M canonical correlations do not exist. Use more rows, or fewer columns."
        )
    return white


@dataclass(frozen=True)
class CanonicalBound:
    """sum_i (1 - rho_i^2) lambda_i <= d_logit^2; see `canonical_bound`.

    Attributes
    ----------
    value
        The left side.
    d_logit_squared
        The right side.
    correlations
        rho, largest first, with zeros where there are fewer than eigenvalues.
    eigenvalues
        lambda, largest first.
    """

    value: float
    d_logit_squared: float
    correlations: tuple[float, ...]
    eigenvalues: tuple[float, ...]

    def __float__(self) -> float:
        return self.value


def canonical_bound(p: Any, q: Any) -> CanonicalBound:
    r"""Canonical correlations that a small logit distance forces.

    .. math:: \sum_i (1 - \rho_i^2) \lambda_i \le d_{logit}^2(p, q)

    where

    - :math:`\lambda_i` are the eigenvalues, largest first, of the second moments
      :math:`E_x[\bar u \bar u']` of the centered logits of p (the teacher);
    - :math:`\rho_i` are the canonical correlations, largest first, of the centered
      logits of p and q *without* removing means over inputs. Where both models are
      diverse they are those of f and f'.

    It is exact in this form; with means removed, or with eigenvalues in another order,
    it need not hold.

    Parameters
    ----------
    p, q
        `SoftmaxModel` of the same inputs and labels: teacher and student.

    Returns
    -------
    CanonicalBound

    References
    ----------
    nielsen2026logit
    """
    pair = paired(p, q, same_dimension=False)
    first, moments = _logit_space(p, pair.labels, "p")
    second, _ = _logit_space(q, pair.labels, "q")
    rho = np.zeros(moments.size)
    found = np.linalg.svd(first.T @ second, compute_uv=False)[: moments.size]
    rho[: found.size] = np.minimum(found, 1.0)
    value = float(np.sum((1.0 - rho) * (1.0 + rho) * moments))
    right = logit_distance(p, q) ** 2
    return CanonicalBound(value, right, tuple(rho.tolist()), tuple(moments.tolist()))


def _logit_space(
    model: SoftmaxModel, labels: np.ndarray, name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal basis (n x r) of the centered logits, and eigenvalues of moments.

    Centered logits are F G' = Q (R_f R_g') Q_g', so that the factors of an M x M matrix
    are enough.
    """
    q, r = np.linalg.qr(model.f)
    r_g = triangular_factor([centered(model.g[labels])])
    u, s, _ = np.linalg.svd(r @ r_g.T)
    size = np.linalg.norm(model.f) * np.linalg.norm(model.g[labels])
    rank = int(np.count_nonzero(s > ABOVE * model.eps * size))
    if rank == 0:
        raise Undefined(
            f"the centered logits of {name} are 0 up to rounding: every label is as "
            f"likely as any other, and there is nothing to correlate."
        )
    return q @ u[:, :rank], s[:rank] ** 2 / model.n
