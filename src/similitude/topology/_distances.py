"""The door for distance matrices."""

from typing import Any

import numpy as np

from .. import _array
from .._compile import kernels
from .._validate import real_array
from ..errors import InvalidInput

_KERNELS = "similitude.topology._distances_kernels"

# Halves of a matrix that were computed apart, as by a matrix product, differ by some
# rounding of the largest distance.
_ROUNDING = 64


def distance_array(distances: Any, name: str) -> np.ndarray:
    """As a contiguous numpy array of float32 or float64, of any shape."""
    return np.ascontiguousarray(_array.to_numpy(real_array(distances, name)))


def check_distances(w: np.ndarray, name: str) -> None:
    """`InvalidInput` unless square, symmetric, not negative, with a zero diagonal.

    Infinite distances are legal, and mean "never".
    """
    if w.ndim != 2 or w.shape[0] != w.shape[1]:
        raise InvalidInput(
            f"{name} must be a square matrix of distances; got shape {w.shape}. Pass "
            f"all n x n of them (scipy.spatial.distance.squareform unfolds the pairs)."
        )
    valid, largest, widest = kernels(_KERNELS).survey(w)
    if not valid:
        i, j = np.argwhere(~(w >= 0))[0]
        raise InvalidInput(
            f"{name}[{i}, {j}] is {w[i, j]}; distances are numbers >= 0 (inf for an "
            f"edge that never appears)."
        )
    if widest > _ROUNDING * np.finfo(w.dtype).eps * largest:
        with np.errstate(invalid="ignore"):
            gap = np.abs(w - w.T)
        gap[w == w.T] = 0
        i, j = np.unravel_index(gap.argmax(), gap.shape)
        raise InvalidInput(
            f"{name} is not symmetric: {w[i, j]} at [{i}, {j}], but {w[j, i]} at "
            f"[{j}, {i}]. Symmetrise it first, for instance as (w + w.T) / 2."
        )
    bad = np.flatnonzero(np.diagonal(w))
    if bad.size:
        i = bad[0]
        raise InvalidInput(
            f"{name}[{i}, {i}] is {w[i, i]}; a point is at distance 0 from itself. Set "
            f"the diagonal to 0."
        )
