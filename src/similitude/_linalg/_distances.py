"""Dissimilarities between the rows of one representation, block by block."""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from .._base import _array
from .._base._array import Array
from .._base._validate import Points, sum_of_squares
from ..errors import Undefined
from ._blocks import budget_rows, spans
from ._center import balanced, check_noise, check_stored_spread, check_varies, widened

Metric = Literal["correlation", "cosine", "euclidean", "sqeuclidean"]

# A difference of inner products below this many eps of its terms is rounding error. It
# is set to 0: duplicate rows then have distance 0 and tie exactly.
_NOISE = 8.0

_HEIGHT = 256  # rows of a block of pairs; a block fits the cache


def rankable(distances: Array) -> np.ndarray:
    """Distances for rank statistics: in numpy, rounded to 36 binary digits.

    Distances that are equal in exact arithmetic can differ in the last bits of float64,
    depending on the machine. After rounding they tie, and ties have a defined rule.
    With the 24 digits of float32, an isotropic scale would change rank correlations by
    4e-7, which breaks a claimed invariance. (Rounding the bits below the sign as an
    integer rounds the magnitude of the number.)
    """
    bits = _array.to_numpy(distances).astype(np.float64).view(np.int64)
    bits += 2**15
    bits &= -(2**16)
    return bits.view(np.float64)


def metric_rows(x: Points, metric: str) -> Array:
    """Float64 rows, such that `metric` is a function of their squared distances.

    Rows have unit length for the cosine, and are first centered along the row for the
    correlation. In every case a common center is subtracted, which keeps all distances
    and makes them more accurate.
    """
    if metric in {"euclidean", "sqeuclidean"}:
        return euclidean_rows(balanced(x))
    rows = unit_rows(x, metric)
    return rows - _array.stop_gradient(x.xp.mean(rows, axis=0))


def unit_rows(x: Points, metric: str) -> Array:
    """Float64 rows of unit length; `metric` is a function of their inner products."""
    x = widened(balanced(x))
    xp, rows = x.xp, x.values
    if metric == "correlation":
        rows = rows - xp.mean(rows, axis=1, keepdims=True)
        rows = rows - xp.mean(rows, axis=1, keepdims=True)
    length = xp.linalg.vector_norm(rows, axis=1, keepdims=True)
    _check_direction(x, length, metric)
    return rows / length


def euclidean_rows(x: Points) -> Array:
    """Rows in float64, minus the median of each column.

    A single outlier would shift the mean, and so move all other rows far away from the
    origin. The median is robust.
    """
    x = widened(x)
    middle = np.median(_array.to_numpy(x.values), axis=0)
    rows = x.values - _array.from_numpy(middle, x.values)
    check_varies(x, rows)
    if not sum_of_squares(rows) > 0.1 * x.square:
        check_stored_spread(x, rows)
    return rows


def _check_direction(x: Points, length: Array, metric: str) -> None:
    """Raise `Undefined` for a row of length 0, whose cosines do not exist."""
    xp, values = x.xp, _array.stop_gradient(x.values)
    whole = xp.linalg.vector_norm(values, axis=1, keepdims=True)
    dead = _array.stop_gradient(length) <= 4 * _array.eps(values) * whole
    if bool(xp.any(dead)):
        row = int(_array.to_numpy(dead)[:, 0].argmax())
        state = "constant" if metric == "correlation" else "zero"
        raise Undefined(
            f"row {row} is {state}, so its {metric} with other rows does not exist. "
            f"Drop that stimulus from both sides, or use a Euclidean metric."
        )
    if metric == "correlation":  # the mean of each row was removed
        ratios = _array.to_numpy(whole) / _array.to_numpy(length)
        check_noise(x, float(np.median(ratios)))


def distance_blocks(rows: Array, metric: str) -> Iterator[tuple[int, int, Array]]:
    """(start, stop, distances of these rows to all rows), within the memory budget."""
    n = rows.shape[0]
    for start, stop in spans(n, budget_rows(n, 8 * n)):
        yield start, stop, cross_distances(rows[start:stop, :], rows, metric)


def pair_distances(
    rows: Array, metric: str, start: int = 0, stop: int | None = None
) -> Iterator[Array]:
    """Distances of the pairs i < j, row after row, in blocks; never n x n at once.

    With `start` and `stop`, only pairs with i in that range.
    """
    n = rows.shape[0]
    stop = n if stop is None else stop
    for top, end in spans(stop - start, min(_HEIGHT, budget_rows(n, 8 * n))):
        top, end = start + top, start + end
        block = cross_distances(rows[top:end, :], rows[top:, :], metric)
        if isinstance(block, np.ndarray):
            yield np.concatenate([row[i + 1 :] for i, row in enumerate(block)])
        else:
            later = np.arange(n - top)[None, :] > np.arange(end - top)[:, None]
            yield block[_array.from_numpy(later, block)]


def cross_distances(a: Array, b: Array, metric: str) -> Array:
    """Distances of every row of `a` to every row of `b`, both from `metric_rows`."""
    return from_squares(squared_distances(a, b), metric)


def from_squares(squares: Array, metric: str) -> Array:
    """The metric between rows from `metric_rows`, from their squared distances."""
    if metric in {"cosine", "correlation"}:  # |u - v|^2 = 2 - 2 <u, v>
        return squares / 2.0
    return squares if metric == "sqeuclidean" else safe_sqrt(squares)


def squared_distances(a: Array, b: Array) -> Array:
    """``|a_i - b_j|^2`` from one matrix product; rounding errors are set to 0."""
    xp = _array.namespace(a, b)
    squares = xp.vecdot(a, a)[:, None], xp.vecdot(b, b)[None, :]
    if isinstance(a, np.ndarray):
        return expanded(a @ b.T, *squares)
    scale = squares[0] + squares[1]
    d = scale - 2.0 * (a @ b.T)
    return xp.where(d > _NOISE * _array.eps(a) * scale, d, xp.zeros_like(d))


def expanded(products: np.ndarray, aa: np.ndarray, bb: np.ndarray) -> np.ndarray:
    """aa - 2 products + bb, in place; rounding errors are set to 0.

    The result is the same as for other libraries. Only the few entries near 0 are
    checked, because passes over all entries would cost as much as the product.
    """
    products *= -2.0
    products += aa
    products += bb
    noise = _NOISE * np.finfo(products.dtype).eps
    small = np.nonzero(products <= noise * (aa.max(initial=0.0) + bb.max(initial=0.0)))
    aa, bb = (np.broadcast_to(v, products.shape)[small] for v in (aa, bb))
    values = products[small]
    products[small] = np.where(values > noise * (aa + bb), values, 0.0)
    return products


def safe_sqrt(squares: Array) -> Array:
    """Square root whose derivative at 0 is 0 instead of infinity."""
    if isinstance(squares, np.ndarray):
        return np.sqrt(np.maximum(squares, 0.0))
    xp = _array.namespace(squares)
    positive = squares > 0
    root = xp.sqrt(xp.where(positive, squares, xp.ones_like(squares)))
    return xp.where(positive, root, xp.zeros_like(squares))
