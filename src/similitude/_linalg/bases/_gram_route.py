"""Whitening by Gram matrices: products and Cholesky factors instead of QR.

Let U have the centered columns of X, scaled to unit length, and let G = U'U = LL'. Then
Z = U L^-T is an orthonormal basis. G costs n d^2 operations at the rate of a product,
and QR 4 n d^2 at a lower rate. But G has the squared condition number of U.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..._base import _array
from ..._base._array import Array
from ..._base._validate import Points
from .._blocks import cross_product
from ._factored import Factored, Whitened

# Rounding errors of G have random signs, and BLAS sums a product in blocks of a few
# hundred terms. So the computed G is exact for a matrix that differs from G by about
# eps |G|, and Z'Z differs from I by about eps |G| |G^-1| = eps k^2, where k is the
# condition number of U. The measured multiples of eps k^2 are below 4 for k = 1 and
# below 1 from k = 10 on (benchmarks/gram_route.py, 300 to 10,000 rows). The constant
# adds a margin.
ROUNDING = 8.0
# The error of a canonical correlation is at most the sum of the errors of both sides.
MOST_ERROR = 1e-11
# With fewer multiplications, QR takes about ten milliseconds or less.
_LEAST_WORK = 1e7
# The rounding error of a mean that is larger, relative to the spread of its column,
# needs the second pass of `center_each`.
_LARGEST_MEAN = 1e3
_LEAST_SQUARE = 1e-280  # below, squares lose digits


@dataclass(frozen=True, eq=False)
class Columns:
    """The Gram matrix of unit columns, and the scales of the columns."""

    gram: Array  # of the columns that vary, scaled to unit length
    lengths: Array  # of these columns, before scaling
    alive: np.ndarray  # their indices
    d: int
    ratios: np.ndarray  # sizes of these columns before centering, over their lengths
    smallest: float  # singular values of the unit columns
    largest: float
    factor: Array | None = None  # the Cholesky factor of `gram`, if it is known

    @property
    def condition(self) -> float:
        return self.largest / self.smallest


def gram_columns(
    x: Points,
    rows: Array,
    means: Array | None,
    square: Array,
    weakest: float | None = None,
) -> Columns | None:
    """Lengths, and condition of the unit columns; None if single digits would decide.

    `square` is rows'rows. If the smallest singular value of the rows is known, as
    `weakest`, the singular values of the unit columns are bounds: unit columns are at
    least the rows divided by the largest length. None is also returned for columns that
    are almost constant or have a mean far beyond their spread, since one pass of
    centering is not enough.
    """
    xp, n = x.xp, x.n
    squares = _array.to_numpy(xp.linalg.diagonal(square))
    removed = 0.0 if means is None else n * _array.to_numpy(means) ** 2
    sizes, lengths = np.sqrt(squares + removed), np.sqrt(squares)
    alive = lengths > 4 * x.eps * sizes
    kept = np.flatnonzero(alive)
    if len(kept) == 0 or np.min(squares[kept]) < _LEAST_SQUARE:
        return None
    ratios = sizes[kept] / lengths[kept]
    almost = lengths[~alive] > 1e-3 * 4 * x.eps * sizes[~alive]
    if np.max(ratios) > _LARGEST_MEAN or np.any(almost):
        return None
    scales = _array.from_numpy(lengths[kept], rows)
    if len(kept) < x.d:
        square = _array.take(_array.take(square, kept), kept, axis=1)
    gram = square / scales[:, None] / scales[None, :]
    if weakest is not None:
        smallest, largest = weakest / float(np.max(lengths)), x.d**0.5
        return Columns(gram, scales, kept, x.d, ratios, smallest, largest)
    factor = None
    if isinstance(gram, np.ndarray):  # other libraries have other exceptions
        factor = _factor_of_numpy(gram)
        if factor is None:
            return None
    values = _array.to_numpy(xp.linalg.eigvalsh(_array.stop_gradient(gram)))
    if not values[0] > ROUNDING * _array.eps(rows) * values[-1]:
        return None
    smallest, largest = float(values[0]) ** 0.5, float(values[-1]) ** 0.5
    return Columns(gram, scales, kept, x.d, ratios, smallest, largest, factor)


def _factor_of_numpy(gram: np.ndarray) -> np.ndarray | None:
    """The Cholesky factor, or None if it shows that QR is needed.

    It takes a third of the time of the eigenvalues. The smallest eigenvalue is at most
    the smallest squared pivot, and the largest is at least 1, the mean of all.
    """
    try:
        factor = np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        return None
    pivot = float(np.min(np.diagonal(factor)))
    return None if passes(1.0 / pivot, _array.eps(gram)) is None else factor


def is_worth_a_gram(n: int, d: int) -> bool:
    """Whether QR would take long, and longer than the eigenvalues of a Gram matrix.

    If they do not certify the result, QR follows, and their time is lost.
    """
    return n >= 4 * d and n * d * d >= _LEAST_WORK


def is_worth_squaring(d: int) -> bool:
    """Whether singular vectors of a matrix with d rows would take long."""
    return d**3 >= _LEAST_WORK / 10


def passes(condition: float, eps: float) -> int | None:
    """Number of Cholesky factors that give an accurate basis; None if QR is needed.

    After one factor Z'Z differs from I by `ROUNDING` eps k^2. A second factor, of Z'Z,
    leaves the rounding of Z itself, `ROUNDING` eps k, which QR has too.
    """
    if ROUNDING * eps * condition**2 <= MOST_ERROR:
        return 1
    return 2 if ROUNDING * eps * condition <= MOST_ERROR else None


def whitened_by_gram(rows: Array, found: Columns, count: int) -> Whitened:
    """The basis after one or two Cholesky factors."""
    xp = _array.namespace(rows)
    factor, inverse = _factor(found.gram, found.factor)
    whitening = inverse.T / found.lengths[:, None]
    coordinates = factor.T * found.lengths[None, :]
    rank, dead = len(found.alive), found.d - len(found.alive)
    if dead:
        eye = xp.eye(found.d, dtype=rows.dtype, device=_array.device(rows))
        chosen = _array.take(eye, found.alive, axis=1)
        whitening, coordinates = chosen @ whitening, coordinates @ chosen.T
    if count == 1:
        return Whitened(rows, whitening, rank, dead, coordinates, whitening)
    z = rows @ whitening
    factor, inverse = _factor(z.T @ z)
    coordinates, whitening = factor.T @ coordinates, whitening @ inverse.T
    return Whitened(z, inverse.T, rank, dead, coordinates, whitening)


def principal_by_gram(
    rows: Array,
    choose: Callable[[np.ndarray, np.ndarray], int | None],
    *,
    most_passes: int = 2,
    square: Array | None = None,
) -> tuple[Whitened, Array] | None:
    """Orthonormal rows of the first k principal directions, and k singular values.

    None if SVD is needed. After a second pass the rows span the same space, but they
    are not exactly principal. `square` is rows'rows, if it is known.

    `choose` gets the singular values and their errors, and returns k, or None if the
    errors leave k open. The space of k directions has an error of e / gap, where e is
    the error of an eigenvalue and the gap is to the next eigenvalue. The error is in
    one of k directions, so a mean over k directions has 1 / k of it.
    """
    xp = _array.namespace(rows)
    square = cross_product(rows, rows) if square is None else square
    values, vectors = xp.linalg.eigh(square)
    known = np.maximum(_array.to_numpy(values)[::-1], 0.0)
    error = ROUNDING * _array.eps(rows) * float(known[0])
    singular_values = np.sqrt(known)
    off = np.minimum(error / np.maximum(singular_values, error**0.5), error**0.5)
    k = choose(singular_values, off)
    if k is None or known[k - 1] == 0:
        return None
    following = known[k] if k < len(known) else 0.0
    gap = known[k - 1] - following if k < len(known) else np.inf
    count = passes(float(singular_values[0] / singular_values[k - 1]), _array.eps(rows))
    if count is None or count > most_passes or error > MOST_ERROR * k * gap:
        return None
    columns = np.arange(len(known) - 1, len(known) - 1 - k, -1)
    sizes = _array.from_numpy(singular_values[:k], rows)
    coefficients = _array.take(vectors, columns, axis=1) / sizes
    if count == 1:
        return Whitened(rows, coefficients, rank=k), sizes
    z = rows @ coefficients
    return Whitened(z, _factor(z.T @ z)[1].T, rank=k), sizes


def _factor(square: Array, factor: Array | None = None) -> tuple[Array, Array]:
    """L and L^-1 with LL' = square; L may be known."""
    xp = _array.namespace(square)
    factor = xp.linalg.cholesky(square) if factor is None else factor
    return factor, xp.linalg.inv(factor)


def ridge_by_gram(
    rows: Array, penalty: float | Array, square: Array
) -> tuple[Factored, Array] | None:
    """Z = rows L^-T with LL' = rows'rows + penalty I, and Z'Z; None if QR is needed.

    The penalty limits the condition number; without small singular values it is even
    smaller.
    """
    xp, d = _array.namespace(rows), rows.shape[1]
    added, plain = _array.number(penalty), _array.stop_gradient(square)
    largest, smallest = _array.number(xp.sum(xp.linalg.diagonal(plain))), 0.0
    most = MOST_ERROR / (ROUNDING * _array.eps(rows))
    if largest + added > most * added:
        values = xp.linalg.eigvalsh(plain)
        largest, smallest = _array.number(values[-1]), _array.number(values[0])
        if not largest + added <= most * (max(smallest, 0.0) + added):
            return None
    eye = xp.eye(d, dtype=rows.dtype, device=_array.device(rows))
    inverse = _factor(square + penalty * eye)[1]
    return Factored(rows, inverse.T), inverse @ square @ inverse.T
