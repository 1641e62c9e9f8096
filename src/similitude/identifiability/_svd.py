"""d_SVD: distance of two paired samples after the best rotation."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .._base import _array
from .._base._validate import Points
from .._base._validate import pair as point_pair
from .._linalg._blocks import budget_rows, spans
from ..errors import InvalidInput, Undefined
from ._coordinates import centered

_NOISE = 8.0  # a coordinate is constant below this many rounding errors
_SMALL = 1e-7  # below this, differences from 1 cannot rank subsets
_TIE = 1e-9  # values within this relative distance are equal


def svd_distance(z: Any, w: Any) -> float:
    r"""One minus the mean singular value of the correlations of two paired samples.

    .. math:: d = 1 - \frac{1}{M} \|R\|_*, \qquad R_{ij} = \mathrm{corr}(z_i, w_j)

    where z_i and w_j are the M columns of z and w, and the norm is the sum of the
    singular values. Also known as one minus m_SVD, and as partial least squares by
    SVD of standardized columns.

    Parameters
    ----------
    z, w
        Both n x M, with the same n points as rows.

    Returns
    -------
    float
        In [0, 1]; 0 if the standardized columns are rotations of each other.

    Notes
    -----
    Invariant to shifts, scales and permutations of columns. Not invariant to rotations,
    since columns are standardized. It is computed as the residual after the best
    rotation, not as a difference from 1, so small values are as precise as the data.

    Not to be confused with: `m_cca`, which is invariant to all invertible linear maps.

    Examples
    --------
    The corners of a cube: columns a and b are compared with columns a and c. R has the
    singular values 1 and 0.

    >>> a = [1, 1, 1, 1, -1, -1, -1, -1]
    >>> b = [1, 1, -1, -1, 1, 1, -1, -1]
    >>> c = [1, -1, 1, -1, 1, -1, 1, -1]
    >>> round(svd_distance(list(zip(a, b)), list(zip(a, c))), 12)
    0.5
    """
    x, y = point_pair(z, w)
    if x.d != y.d:
        raise InvalidInput(f"z has {x.d} columns and w has {y.d}; both need M columns.")
    return float(residual(_columns(x, "z"), _columns(y, "w")))


def _columns(x: Points, name: str) -> np.ndarray:
    values = _array.to_numpy(x.values).astype(np.float64)
    size = np.linalg.norm(values, axis=0)
    return standardized(centered(values).T, size, x.eps, name)


def standardized(
    rows: np.ndarray, size: np.ndarray, eps: float, name: str
) -> np.ndarray:
    length = np.linalg.norm(rows, axis=1)
    constant = length <= _NOISE * eps * size
    if constant.any():
        raise Undefined(
            f"{name} is 0: coordinate {int(constant.argmax())} is constant up to "
            f"rounding, so its correlations do not exist. {int(constant.sum())} of "
            f"{constant.size} coordinates are constant."
        )
    return rows / length[:, None]


def residual(z: np.ndarray, w: np.ndarray) -> np.ndarray:
    """``1 - |Z W'|_* / M`` for unit rows, as the residual after the best rotation."""
    u, _, vt = np.linalg.svd(z @ np.swapaxes(w, -1, -2))
    gap = np.swapaxes(u @ vt, -1, -2) @ z - w
    return np.sum(gap**2, axis=(-2, -1)) / (2 * z.shape[-2])


def largest_residual(
    z: np.ndarray, w: np.ndarray, rows: np.ndarray
) -> tuple[float, np.ndarray]:
    """The largest residual over subsets of rows, and the first subset that attains it.

    `z` and `w` have unit rows; each row of `rows` is one subset.
    """
    values = _over_subsets(_difference, z, w, rows)
    if values.max() < _SMALL:
        values = _over_subsets(residual, z, w, rows)
    worst = rows[np.argmax(values >= values.max() * (1 - _TIE))]
    return float(residual(z[worst], w[worst])), worst


def _difference(z: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The residual as a difference from 1: faster, with an absolute error of 1e-15."""
    r = z @ np.swapaxes(w, -1, -2)
    return 1.0 - np.linalg.svd(r, compute_uv=False).sum(axis=-1) / z.shape[-2]


def _over_subsets(
    func: Callable[[np.ndarray, np.ndarray], np.ndarray],
    z: np.ndarray,
    w: np.ndarray,
    rows: np.ndarray,
) -> np.ndarray:
    count, m = rows.shape
    values = np.empty(count)
    for start, stop in spans(count, budget_rows(count, 16 * m * z.shape[1])):
        block = rows[start:stop]
        values[start:stop] = func(z[block], w[block])
    return values
