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
