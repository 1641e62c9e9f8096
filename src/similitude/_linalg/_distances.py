"""Dissimilarities between the rows of one representation, block by block."""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from .. import _array
from .._array import Array
from .._validate import Points
from ..errors import Undefined
from ._blocks import budget_rows, spans
from ._centre import balanced, check_varies, widened

Metric = Literal["correlation", "cosine", "euclidean", "sqeuclidean"]

# A difference of inner products below this many eps of its terms is rounding. It is
# set to 0, so that duplicate rows are at distance 0 and tie exactly.
_NOISE = 8.0


def rankable(distances: Array) -> np.ndarray:
    """Distances as rank statistics see them: numpy, rounded to 36 binary digits.

    Two distances that are equal in exact arithmetic differ in the last bits of
    float64, in a way that depends on the machine. Rounded they tie, and ties have a
    rule. (Bits of numbers that are not negative sort and round as the numbers do.)
    """
    bits = _array.to_numpy(distances).astype(np.float64).view(np.int64)
    bits += 2**15
    bits &= -(2**16)
    return bits.view(np.float64)


def metric_rows(x: Points, metric: str) -> Array:
    """Rows, in float64, of whose squared distances `metric` is a function.

    Of unit length for the cosine, centred along the row before that for the
    correlation; and in every case moved to the middle, which changes no distance and
    keeps their digits.
    """
    if metric in {"euclidean", "sqeuclidean"}:
        return euclidean_rows(balanced(x))
    x = widened(balanced(x))
    xp, rows = x.xp, x.values
    if metric == "correlation":
        rows = rows - xp.mean(rows, axis=1, keepdims=True)
        rows = rows - xp.mean(rows, axis=1, keepdims=True)
    length = xp.linalg.vector_norm(rows, axis=1, keepdims=True)
    _check_direction(x, length, metric)
    rows = rows / length
    return rows - _array.stop_gradient(xp.mean(rows, axis=0))


def euclidean_rows(x: Points) -> Array:
    """Rows in float64 about the median of each column.

    The median, because a single row that is far out would drag the mean with it, and
    all others far away from the origin.
    """
    x = widened(x)
    middle = np.median(_array.to_numpy(x.values), axis=0)
    rows = x.values - _array.from_numpy(middle, x.values)
    check_varies(x, rows)
    return rows


def _check_direction(x: Points, length: Array, metric: str) -> None:
    """A row without a direction has no cosine."""
    xp, values = x.xp, _array.stop_gradient(x.values)
    whole = xp.linalg.vector_norm(values, axis=1, keepdims=True)
    dead = _array.stop_gradient(length) <= 4 * _array.eps(values) * whole
    if bool(xp.any(dead)):
        row = int(_array.to_numpy(dead)[:, 0].argmax())
        what = "constant" if metric == "correlation" else "zero"
        raise Undefined(
            f"row {row} is {what}, so its {metric} with other rows does not exist. "
            f"Drop that stimulus from both sides, or use a Euclidean metric."
        )


def distance_blocks(rows: Array, metric: str) -> Iterator[tuple[int, int, Array]]:
    """(start, stop, distances of those rows to all rows), within the memory budget."""
    n = rows.shape[0]
    for start, stop in spans(n, budget_rows(n, 8 * n)):
        yield start, stop, cross_distances(rows[start:stop, :], rows, metric)


def pair_distances(rows: Array, metric: str) -> Iterator[Array]:
    """Distances of the pairs i < j, row after row, in pieces; never n x n at once."""
    n = rows.shape[0]
    for start, stop, block in distance_blocks(rows, metric):
        later = np.arange(n)[None, :] > np.arange(start, stop)[:, None]
        yield block[_array.from_numpy(later, block)]


def cross_distances(a: Array, b: Array, metric: str) -> Array:
    """Every row of `a` against every row of `b`, both from `metric_rows`."""
    squares = squared_distances(a, b)
    if metric in {"cosine", "correlation"}:  # |u - v|^2 = 2 - 2 <u, v>
        return squares / 2.0
    return squares if metric == "sqeuclidean" else safe_sqrt(squares)


def squared_distances(a: Array, b: Array) -> Array:
    """|a_i - b_j|^2 through one matrix product; what is only rounding becomes 0."""
    xp = _array.namespace(a, b)
    scale = xp.vecdot(a, a)[:, None] + xp.vecdot(b, b)[None, :]
    d = scale - 2.0 * (a @ b.T)
    return xp.where(d > _NOISE * _array.eps(a) * scale, d, xp.zeros_like(d))


def safe_sqrt(squares: Array) -> Array:
    """The root, with derivative 0 instead of infinity where the distance is 0."""
    xp = _array.namespace(squares)
    positive = squares > 0
    root = xp.sqrt(xp.where(positive, squares, xp.ones_like(squares)))
    return xp.where(positive, root, xp.zeros_like(squares))
