"""Sums of singular values, from symmetric eigenvalues where these are accurate."""

from ..._array import Array, eps, namespace, number, stop_gradient
from .._svd import svdvals

# Narrower matrices take less than a millisecond by either route.
_WORTH_SQUARING = 128
_MOST_ERROR = 1e-12  # relative


def nuclear_norm(m: Array, subtracted_from: float = 0.0) -> Array:
    """The sum of the singular values of `m`, accurate to `_MOST_ERROR`.

    The eigenvalues of M M' are the squares of the singular values, and take a third of
    their time. If s^2 has an error e (`_square_error`), s has an error below e / s. The
    errors of different eigenvalues have random signs, so their sum is about the root of
    the sum of their squares. The eigenvalues are used if this is less than
    `_MOST_ERROR` of the result, or of its difference to `subtracted_from` if the caller
    needs the difference. Otherwise, for example if M is rank-deficient, LAPACK computes
    the singular values.
    """
    xp = namespace(m)
    if min(m.shape) >= _WORTH_SQUARING:
        narrow = m if m.shape[0] <= m.shape[1] else m.T
        square = narrow @ narrow.T
        values = xp.linalg.eigvalsh(square)
        known, error = stop_gradient(values), _square_error(narrow, square)
        if number(known[0]) > 4.0 * error:
            roots = known**0.5
            size = abs(subtracted_from - number(xp.sum(roots)))
            if error * number(xp.linalg.vector_norm(1.0 / roots)) <= _MOST_ERROR * size:
                return xp.sum(values**0.5)
    return xp.sum(svdvals(m))


def _square_error(m: Array, square: Array) -> float:
    """Typical error of an eigenvalue of the computed M M', for an r x c matrix M.

    The rounding errors of a sum of c products have random signs. An entry (i, j) then
    has an error of about sqrt(c) eps |m_i| |m_j|, and so has v' E v for a unit vector v
    and a matrix E of such errors. The eigenvalue solver adds about eps times the
    largest eigenvalue, which is at most the Frobenius norm of M M'.
    """
    xp, square = namespace(m), stop_gradient(square)
    largest_row = number(xp.max(xp.linalg.diagonal(square)))
    largest_value = number(xp.linalg.matrix_norm(square))
    return eps(m) * (m.shape[1] ** 0.5 * largest_row + largest_value)
