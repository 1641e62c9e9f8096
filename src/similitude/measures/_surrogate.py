"""A few rows with the same covariances as many rows.

Procrustes, CCA and regression depend on x and y only through X'X, X'Y and Y'Y of the
centered rows. Any other pair of centered matrices with the same three products gives
the same scores. The full-batch measures are therefore applied to a small pair.
"""

import numpy as np

from .. import _linalg
from ..errors import Undefined
from ._sums import Sums

_EPS = float(np.finfo(np.float64).eps)


def surrogate(sums: Sums) -> tuple[np.ndarray, np.ndarray]:
    """x and y with these covariances and at most min(r1 + r2 + 1, n) rows.

    Let X = Zx Fx and Y = Zy Fy with whitened coordinates Zx and Zy, and C = Zx'Zy. The
    orthonormal columns of (I, 0) and (C, S) have the same products as Zx and Zy, where
    S'S = I - C'C.
    """
    sums = sums.centered()
    fx, inverse_x = _factor(sums.xx, sums.mean_x(), sums)
    fy, inverse_y = _factor(sums.yy, sums.mean_y(), sums)
    c = inverse_x.T @ sums.xy @ inverse_y
    u, rho, vt = _linalg.svd(c, full_matrices=True)
    rho = np.minimum(rho, 1.0)  # cosines can exceed 1 by rounding
    rest = np.ones(vt.shape[0])
    rest[: len(rho)] = 1.0 - rho**2
    zx = np.concatenate([np.eye(len(c)), np.zeros((len(vt), len(c)))])
    zy = np.concatenate([(u[:, : len(rho)] * rho) @ vt[: len(rho)], 0.0 * vt])
    zy[len(c) :] = (vt.T * np.sqrt(rest)) @ vt
    zx, zy = _centered_rows(zx, zy, sums.n)
    return zx @ fx, zy @ fy


def _factor(
    covariance: np.ndarray, mean: np.ndarray, sums: Sums
) -> tuple[np.ndarray, np.ndarray]:
    """F (r x d) with F'F = covariance, and its right inverse; r is the rank.

    Columns and directions below the rounding of the sums count as dead. For directions
    this limit is of the order of sqrt(eps), the price of a single pass.
    """
    lengths = np.sqrt(np.diag(covariance))
    sizes = np.sqrt(np.diag(covariance) + sums.n * mean**2)
    alive = lengths > 4 * _EPS * sizes
    if not np.any(alive):
        raise Undefined(
            f"all {sums.n} rows are equal up to rounding: a constant representation "
            f"cannot be compared. Check the layer, or drop it."
        )
    lengths = np.where(alive, lengths, 1.0)
    unit = np.where(alive[:, None] & alive, covariance / np.outer(lengths, lengths), 0)
    values, vectors = np.linalg.eigh(unit)
    d, largest = len(values), values[-1]
    kept = values > max(32 * sums.eps * d**0.5, 4 * _EPS * d * largest)
    roots, vectors = np.sqrt(values[kept]), vectors[:, kept]
    # Dead columns hold rounding errors, which must not enter through the inverse.
    inverse = np.where(alive, 1.0 / lengths, 0.0)[:, None] * vectors / roots
    return (vectors * roots).T * lengths, inverse


def _centered_rows(
    zx: np.ndarray, zy: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """At most n rows that sum to zero and have the same products.

    n rows that sum to zero span at most n - 1 dimensions.
    """
    both = np.concatenate([zx, zy], axis=1)
    if n - 1 < len(both):
        _, s, vt = _linalg.svd(both)
        both = (s[:, None] * vt)[: n - 1]
    # The columns of a Householder reflection that maps the first axis to (1, ..., 1).
    m = len(both) + 1
    v = np.full(m, m**-0.5)
    v[0] += 1.0
    reflection = np.eye(m) - np.outer(v, v) / v[0]
    both = reflection[:, 1:] @ both
    return both[:, : zx.shape[1]], both[:, zx.shape[1] :]
