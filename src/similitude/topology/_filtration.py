"""From what a caller has to two filtrations: distances, units, compatibility."""

import numbers
from typing import Any, Literal

import numpy as np

from .. import _array, _linalg
from .._validate import Points, check_one_of, pair, points, real_array
from ..errors import InvalidInput, Undefined
from ._distances import are_distances, check_distances, distance_array

Normalize = Literal["quantile", "median", "mean", "none"]
Compat = Literal["none", "zero_block", "reference"]

# Squared distances below this part of the squared norms are computed again, from
# differences: an inner product has lost that many of their digits.
_CLOSE = 1e-4


def cloud_distances(x: Any, name: str) -> np.ndarray:
    """Euclidean distances of all pairs of rows, in float64; no rows are allowed too."""
    return np.zeros((0, 0)) if _has_no_rows(x) else euclidean(points(x, name))


def pair_distances(x: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Distances in two clouds whose rows correspond."""
    if _has_no_rows(x) and _has_no_rows(y):
        return np.zeros((0, 0)), np.zeros((0, 0))
    p, q = pair(x, y)
    return euclidean(p), euclidean(q)


def _has_no_rows(x: Any) -> bool:
    shape: tuple[int, ...] = getattr(x, "shape", ())
    return len(shape) == 2 and shape[0] == 0


def euclidean(x: Points) -> np.ndarray:
    """All distances of one cloud, symmetric to the bit; equal rows are at 0."""
    x = _linalg.balanced(x)
    try:
        rows = np.ascontiguousarray(_array.to_numpy(_linalg.euclidean_rows(x)))
    except Undefined:  # all rows are equal: every distance is 0
        return np.zeros((x.n, x.n))
    d = np.empty((x.n, x.n))
    for start, stop, block in _linalg.distance_blocks(rows, "sqeuclidean"):
        d[start:stop] = block
        _recompute_close(d, rows, start, stop)
    np.sqrt(d, out=d)
    if x.unit != 1:
        with np.errstate(over="ignore"):
            d *= x.unit
        if not np.isfinite(d).all():
            raise Undefined(
                "the rows are so large that distances between them overflow. Divide "
                "them by a constant first."
            )
    return _mirrored(d)


def _recompute_close(d: np.ndarray, rows: np.ndarray, start: int, stop: int) -> None:
    """Squared distances of close pairs, from differences; two equal rows have 0."""
    norms = np.vecdot(rows, rows)
    i, j = np.nonzero(d[start:stop] < _CLOSE * (norms[start:stop, None] + norms))
    i += start
    later = i < j  # the other half is mirrored
    i, j = i[later], j[later]
    step = max(1, 2**20 // rows.shape[1])
    for s in range(0, len(i), step):
        gaps = rows[i[s : s + step]] - rows[j[s : s + step]]
        d[i[s : s + step], j[s : s + step]] = np.vecdot(gaps, gaps)


def _mirrored(d: np.ndarray) -> np.ndarray:
    """The upper half for both, with a zero diagonal."""
    upper = np.triu(d, 1)
    return upper + upper.T


def checked_distances(w: Any, name: str) -> np.ndarray:
    """A distance matrix of the caller in float64, and symmetric to the bit."""
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
            f"w is of {len(a)} points and w_tilde of {len(b)}. Rows must be the same "
            f"stimuli in the same order; select the common ones in both."
        )
    return a, b


def check_degree(max_dim: Any) -> None:
    whole = isinstance(max_dim, numbers.Integral) and not isinstance(max_dim, bool)
    if not (whole and max_dim >= 0):
        raise InvalidInput(f"max_dim={max_dim!r}; it must be an integer >= 0.")


def normalized(
    d: np.ndarray, name: str, normalize: str, quantile: float, *, full: bool
) -> np.ndarray:
    """Distances in units of their own quantile, median or mean.

    Over the finite distances of pairs i < j, or with `full` over the whole matrix,
    its diagonal included, as the reference code does. Distances that are all 0 stay.
    """
    check_one_of("normalize", normalize, ("quantile", "median", "mean", "none"))
    if not (isinstance(quantile, numbers.Real) and 0 <= quantile <= 1):
        raise InvalidInput(f"quantile={quantile!r}; it must lie between 0 and 1.")
    if normalize == "none":
        return d
    values = d.ravel() if full else d[np.tri(len(d), k=-1, dtype=bool)]
    values = values[np.isfinite(values)]
    if not values.any():
        return d
    if normalize == "mean":
        unit = float(values.mean())
    else:
        level = 0.5 if normalize == "median" else quantile
        unit = float(np.quantile(values, level))
    if unit == 0:
        raise Undefined(
            f"the {normalize} of the distances of {name} is 0 although they are not "
            f"all 0, so they cannot be measured in it. Try normalize='mean'."
        )
    return d / unit


def as_reference(w: np.ndarray, w_tilde: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rounded as the reference code does: tiny ones to 0, all to float32.

    Tiny is below 1e-6 of the mean of the *first* matrix, its diagonal included.
    """
    finite = w[np.isfinite(w)]
    tiny = 1e-6 * finite.mean() if finite.size else 0.0
    single = (np.where(m < tiny, 0.0, m).astype(np.float32) for m in (w, w_tilde))
    first, second = (m.astype(float) for m in single)
    return first, second
