"""Canonical correlations of representations, and a bound on them by logits."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _linalg
from .._base import _array
from .._base._validate import Points
from .._base._validate import pair as point_pair
from ..errors import InvalidInput, Undefined
from ..inputs import SoftmaxModel
from ._coordinates import centered, triangular_factor
from ._divergence import logit_distance
from ._pair import NOISE_FACTOR, paired


def m_cca(x: Any, y: Any) -> float:
    r"""Mean canonical correlation of two representations of the same dimension M.

    .. math:: m_{CCA} = \frac{1}{M} \sum_{k=1}^M \rho_k

    where the canonical correlations are the singular values of Q_x' Q_y, for
    orthonormal bases of the centered columns.

    Parameters
    ----------
    x, y
        Both n x M: ``p.embeddings, q.embeddings`` over the inputs, or
        ``p.unembeddings, q.unembeddings`` over the labels.

    Returns
    -------
    float
        In [0, 1]; 1 if and only if y = x A + b with an invertible A.

    Notes
    -----
    Two models can have m_CCA = 1 for embeddings and for unembeddings and still have
    very different distributions: the two maps need not be inverse transposes.

    Unembeddings are few points. If 2 M > K - 1, some correlations are 1 for any data.
    This function counts them; `similitude.mean_cca` refuses.

    Raises
    ------
    Undefined
        If x or y has a rank below M after centering.

    Examples
    --------
    The corners of a cube: columns a and b are compared with columns a and c.

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
            f"representations of the same dimension M. For different dimensions use "
            f"similitude.mean_cca."
        )
    rho = _linalg.canonical_correlations(_basis(first, "x"), _basis(second, "y"))
    # Correlations are cosines: values above 1 are rounding errors.
    return float(np.minimum(_array.to_numpy(rho), 1.0).mean())


def _basis(x: Points, name: str) -> _linalg.Whitened:
    white = _linalg.whiten(_linalg.balanced_columns(x))
    if white.rank < x.d:
        raise Undefined(
            f"{name} has rank {white.rank} over its {x.n} rows, below M = {x.d}. "
            f"M canonical correlations do not exist; use more rows or fewer columns."
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
        rho, largest first, padded with zeros to the number of eigenvalues.
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
    r"""Bound on canonical correlations by the logit distance.

    .. math:: \sum_i (1 - \rho_i^2) \lambda_i \le d_{logit}^2(p, q)

    where

    - :math:`\lambda_i` are the eigenvalues, largest first, of the second moments
      :math:`E_x[\bar u \bar u']` of the centered logits of p (the teacher);
    - :math:`\rho_i` are the canonical correlations, largest first, of the centered
      logits of p and q *without* removing means over inputs. If both models are
      diverse, they are the canonical correlations of f and f'.

    The bound is exact in this form. It need not hold if means over inputs are removed,
    or if the eigenvalues are in another order.

    Parameters
    ----------
    p, q
        `SoftmaxModel` on the same inputs and labels: teacher and student.

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
    """Orthonormal basis (n x r) of the centered logits, and second-moment eigenvalues.

    Centered logits are F G' = Q (R_f R_g') Q_g', so only an M x M matrix is factored.
    """
    q, r = np.linalg.qr(model.f)
    r_g = triangular_factor([centered(model.g[labels])])
    u, s, _ = np.linalg.svd(r @ r_g.T)
    size = np.linalg.norm(model.f) * np.linalg.norm(model.g[labels])
    rank = int(np.count_nonzero(s > NOISE_FACTOR * model.eps * size))
    if rank == 0:
        raise Undefined(
            f"the centered logits of {name} are 0 up to rounding: all labels are "
            f"equally likely, so canonical correlations do not exist."
        )
    return q @ u[:, :rank], s[:rank] ** 2 / model.n
