"""Distances of a filtration: validation, normalization, reference compatibility."""

import numbers
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from .. import _linalg
from .._base import _array
from .._base._validate import Points, check_one_of, pair, points, real_array
from ..errors import InvalidInput, Undefined
from ._distances import are_distances, check_distances, distance_array

Normalize = Literal["quantile", "median", "mean", "none"]
Compat = Literal["none", "zero_block", "reference"]

# Squared distances below this fraction of the squared norms are recomputed from
# differences, because the inner products lose that many digits.
_CLOSE = 1e-4


def cloud_distances(x: Any, name: str) -> np.ndarray:
    """Euclidean distances of all pairs of rows, in float64; 0 rows are allowed."""
    return np.zeros((0, 0)) if has_no_rows(x) else euclidean(points(x, name))


def pair_distances(x: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Distances in two clouds whose rows correspond."""
    if has_no_rows(x) and has_no_rows(y):
        return np.zeros((0, 0)), np.zeros((0, 0))
    p, q = pair(x, y)
    return euclidean(p), euclidean(q)


def has_no_rows(x: Any) -> bool:
    shape: tuple[int, ...] = getattr(x, "shape", ())
    return len(shape) == 2 and shape[0] == 0


def euclidean(x: Points) -> np.ndarray:
    """All distances of one cloud, exactly symmetric; equal rows have distance 0."""
    d = np.empty((x.n, x.n))
    for start, stop, block in euclidean_blocks(x):
        d[start:stop] = block
    return _mirrored(d)


def euclidean_blocks(x: Points) -> Iterator[tuple[int, int, np.ndarray]]:
    """(start, stop, distances of these rows to all rows).

    Only distances right of the diagonal are exact.
    """
    x = _linalg.balanced(x)
    try:
        rows = np.ascontiguousarray(_array.to_numpy(_linalg.euclidean_rows(x)))
    except Undefined:
        if not bool(x.xp.all(x.values == x.values[:1, :])):
            raise  # the rows differ, but only by rounding errors of their storage
        rows = np.zeros((x.n, 1))
    for start, stop, block in _linalg.distance_blocks(rows, "sqeuclidean"):
        _recompute_close(block, rows, start)
        np.sqrt(block, out=block)
        if x.unit != 1:
            with np.errstate(over="ignore"):
                block *= x.unit
            if not np.isfinite(block).all():
                raise Undefined(
                    "distances between the rows overflow, because the values are too "
                    "large. Divide the values by a constant first."
                )
        yield start, stop, block


def _recompute_close(block: np.ndarray, rows: np.ndarray, start: int) -> None:
    """Recompute squared distances of close pairs from differences of the rows."""
    norms = np.vecdot(rows, rows)
    own = norms[start : start + len(block), None]
    i, j = np.nonzero(block < _CLOSE * (own + norms))
    later = i + start < j  # the other half is not used
    i, j = i[later], j[later]
    step = max(1, 2**20 // rows.shape[1])
    for s in range(0, len(i), step):
        gaps = rows[start + i[s : s + step]] - rows[j[s : s + step]]
        block[i[s : s + step], j[s : s + step]] = np.vecdot(gaps, gaps)


def _mirrored(d: np.ndarray) -> np.ndarray:
    """Copy the upper half to the lower half, and set the diagonal to 0."""
    upper = np.triu(d, 1)
    return upper + upper.T


def checked_distances(w: Any, name: str) -> np.ndarray:
    """Validate a distance matrix; the result is float64 and exactly symmetric."""
    if not hasattr(w, "shape"):
        w = real_array(w, name)
    if tuple(w.shape) == (0, 0):
        return np.zeros((0, 0))
    matrix = distance_array(w, name)
    square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1]
    if square and are_distances(matrix[None], roundings=0):
        return matrix.astype(np.float64, copy=False)
    check_distances(matrix, name)
    return _mirrored(matrix.astype(np.float64, copy=False))


def checked_pair(w: Any, w_tilde: Any) -> tuple[np.ndarray, np.ndarray]:
    a, b = checked_distances(w, "w"), checked_distances(w_tilde, "w_tilde")
    if len(a) != len(b):
        raise InvalidInput(
            f"w has {len(a)} points and w_tilde has {len(b)}. Rows must be the same "
            f"stimuli in the same order; select the common stimuli in both."
        )
    return a, b


def check_degree(max_dim: Any) -> None:
    whole = isinstance(max_dim, numbers.Integral) and not isinstance(max_dim, bool)
    if not (whole and max_dim >= 0):
        raise InvalidInput(f"max_dim={max_dim!r}; it must be an integer >= 0.")


def normalized(
    d: np.ndarray, name: str, normalize: str, quantile: float, *, full: bool
) -> np.ndarray:
    """Divide distances by their quantile, median or mean.

    The unit is computed from the finite distances of pairs i < j. With `full` it is
    computed from the whole matrix with its diagonal, as in the reference code. If all
    distances are 0, they are returned unchanged.
    """
    values = d.ravel() if full else _below_diagonal(d)
    return d / unit_of(values, name, normalize, quantile)


def matrix_unit(d: np.ndarray, name: str, normalize: str, quantile: float) -> float:
    """The divisor of `normalized`, without `full`."""
    values = d if normalize == "none" else _below_diagonal(d)
    return unit_of(values, name, normalize, quantile)


def _below_diagonal(d: np.ndarray) -> np.ndarray:
    return d[np.tri(len(d), k=-1, dtype=bool)]


def unit_of(values: np.ndarray, name: str, normalize: str, quantile: float) -> float:
    """The quantile, median or mean of the finite values; 1 if there is no unit."""
    check_one_of("normalize", normalize, ("quantile", "median", "mean", "none"))
    if not (isinstance(quantile, numbers.Real) and 0 <= quantile <= 1):
        raise InvalidInput(f"quantile={quantile!r}; it must lie between 0 and 1.")
    if normalize == "none":
        return 1.0
    finite = np.isfinite(values)
    if not finite.all():
        values = values[finite]
    if not values.any():
        return 1.0
    if normalize == "mean":
        unit = float(values.mean())
    else:
        level = 0.5 if normalize == "median" else quantile
        unit = float(np.quantile(values, level))
    if unit == 0:
        raise Undefined(
            f"the {normalize} of the distances of {name} is 0, although some distances "
            f"are not, so it cannot be their unit. Try normalize='mean'."
        )
    return unit


def as_reference(w: np.ndarray, w_tilde: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Round as the reference code does: tiny distances to 0, all to float32.

    Tiny means below 1e-6 of the mean of the *first* matrix with its diagonal.
    """
    finite = w[np.isfinite(w)]
    tiny = 1e-6 * finite.mean() if finite.size else 0.0
    single = (np.where(m < tiny, 0.0, m).astype(np.float32) for m in (w, w_tilde))
    first, second = (m.astype(float) for m in single)
    return first, second
