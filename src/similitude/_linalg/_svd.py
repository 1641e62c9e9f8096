"""Singular value decompositions, with a second algorithm if the first one fails.

LAPACK's fast algorithm (gesdd) does not converge for rare matrices. Its slower one
(gesvd) then does, so one unlucky pair does not end a table of thousands.
"""

from typing import Any

import numpy as np
import scipy

from .._base import _array
from .._base._array import Array
from ..errors import Undefined


def svd(m: Array, *, full_matrices: bool = False) -> tuple[Array, Array, Array]:
    """U, s and V' of a matrix."""
    try:
        return _array.namespace(m).linalg.svd(m, full_matrices=full_matrices)
    except (ValueError, RuntimeError) as error:  # bases of numpy's and torch's errors
        return _slowly(m, error, compute_uv=True, full_matrices=full_matrices)


def svdvals(m: Array) -> Array:
    """The singular values of a matrix, largest first."""
    try:
        return _array.namespace(m).linalg.svdvals(m)
    except (ValueError, RuntimeError) as error:
        return _slowly(m, error, compute_uv=False)


def pinv(m: Array, error: float = 0.0) -> Array:
    """The pseudo-inverse. Singular values that are rounding, or up to `error`, are 0.

    numpy's default limit, 1e-15 of the largest, is below the rounding of centered rows,
    and whether it is reached depends on the version of LAPACK.
    """
    limit = max(m.shape) * _array.eps(m)
    if error > 0:
        limit = max(limit, error / _array.number(svdvals(m)[0]))
    return _array.namespace(m).linalg.pinv(m, rtol=limit)


def storage_error(rows: Array, eps: float) -> float:
    """Error of the singular values of rows whose values have relative errors of `eps`.

    These errors are independent. A matrix of them has a norm below this number.
    """
    xp, (n, d) = _array.namespace(rows), rows.shape
    largest = xp.max(xp.linalg.vector_norm(_array.stop_gradient(rows), axis=0))
    return (1.0 + (d / n) ** 0.5) * eps * _array.number(largest)


def _slowly(m: Array, error: Exception, **options: Any) -> Any:
    """The answer of gesvd; other libraries than numpy do not offer it."""
    if "converge" not in str(error):
        raise error
    if isinstance(m, np.ndarray) and np.isfinite(m).all():
        try:
            return scipy.linalg.svd(m, lapack_driver="gesvd", **options)
        except np.linalg.LinAlgError:
            pass
    rows, columns = m.shape
    raise Undefined(
        f"the singular value decomposition of a {rows} x {columns} matrix did not "
        f"converge; check its values for overflow, or use float64."
    ) from error
