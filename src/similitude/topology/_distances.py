"""Validation of distance matrices."""

from typing import Any

import numpy as np

from .._base import _array
from .._base._compile import kernels
from .._base._validate import real_array
from ..errors import InvalidInput

_KERNELS = "similitude.topology._kernels._distances"

# The halves of a matrix from a matrix product can differ by a few rounding errors of
# the largest distance.
_ROUNDING = 64


def distance_array(distances: Any, name: str) -> np.ndarray:
    """Convert to a contiguous numpy array of float32 or float64, of any shape."""
    return np.ascontiguousarray(_array.to_numpy(real_array(distances, name)))


def are_distances(matrices: np.ndarray, roundings: int = _ROUNDING) -> bool:
    """Whether B x n x n matrices are distances; inf is an edge that never appears.

    Asymmetry up to `roundings` rounding errors of the largest distance is allowed.
    """
    rounding = roundings * float(np.finfo(matrices.dtype).eps)
    return kernels(_KERNELS).are_distances(matrices, rounding)


def check_distances(w: np.ndarray, name: str) -> None:
    """Raise `InvalidInput` unless square, symmetric, >= 0, with a zero diagonal.

    Infinite distances are allowed: they are edges that never appear.
    """
    if w.ndim != 2 or w.shape[0] != w.shape[1]:
        raise InvalidInput(
            f"{name} must be a square matrix of distances; got shape {w.shape}. Pass "
            f"all n x n distances (scipy.spatial.distance.squareform unfolds a vector "
            f"of pairs)."
        )
    if not are_distances(w[None]):
        raise InvalidInput(f"{name}{_first_violation(w)}")


def _first_violation(w: np.ndarray) -> str:
    """The end of the error message for a matrix that is not a distance matrix."""
    wrong = np.argwhere(~(w >= 0))
    if len(wrong):
        i, j = wrong[0]
        return (
            f"[{i}, {j}] is {w[i, j]}; distances are numbers >= 0 (inf for an edge "
            f"that never appears)."
        )
    off = np.flatnonzero(np.diagonal(w))
    if off.size:
        i = off[0]
        return (
            f"[{i}, {i}] is {w[i, i]}; the distance of a point to itself is 0. Set the "
            f"diagonal to 0."
        )
    with np.errstate(invalid="ignore"):
        gap = np.where(w == w.T, 0.0, np.abs(w - w.T))
    i, j = np.unravel_index(gap.argmax(), gap.shape)
    return (
        f" is not symmetric: {w[i, j]} at [{i}, {j}], but {w[j, i]} at [{j}, {i}]. "
        f"Symmetrize it first, for instance as (w + w.T) / 2."
    )
