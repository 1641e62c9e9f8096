"""Building blocks of the formulas, each as in a textbook, for clarity and not speed."""

import numpy as np


def center(x: np.ndarray) -> np.ndarray:
    return x - x.mean(axis=0)


def double_centered(k: np.ndarray) -> np.ndarray:
    """HKH with H = I - 11'/n."""
    h = np.eye(len(k)) - 1 / len(k)
    return h @ k @ h


def u_centered(k: np.ndarray) -> np.ndarray:
    """Székely and Rizzo (2014): sums without the diagonal, which becomes 0."""
    n, k = len(k), k - np.diag(np.diag(k))
    rows, total = k.sum(axis=1), k.sum()
    found = k - (rows[:, None] + rows[None, :]) / (n - 2) + total / ((n - 1) * (n - 2))
    return found - np.diag(np.diag(found))


def distances(x: np.ndarray) -> np.ndarray:
    """Euclidean distances of all pairs of rows, by differences, pair by pair."""
    n = len(x)
    found = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            found[i, j] = found[j, i] = np.sqrt(np.sum((x[i] - x[j]) ** 2))
    return found


def rounded(values: np.ndarray) -> np.ndarray:
    """Values at 36 binary digits, at which the library compares distances."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(mantissa * 2.0**36), exponent - 36)


def rank(x: np.ndarray) -> int:
    """The numerical rank, as `numpy.linalg.matrix_rank` defines it."""
    return int(np.linalg.matrix_rank(x))


def basis(x: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span the columns of x."""
    u, _, _ = np.linalg.svd(x, full_matrices=False)
    return u[:, : rank(x)]


def padded(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both with the larger number of columns; the new ones are zero."""
    d = max(x.shape[1], y.shape[1])
    a, b = (np.pad(v, ((0, 0), (0, d - v.shape[1]))) for v in (x, y))
    return a, b


def unit_columns(x: np.ndarray) -> np.ndarray:
    """Columns without their means at unit norm; columns that do not vary are left out.

    A column varies if its spread is above the rounding of its mean.
    """
    rows, size = center(x), np.abs(x).max(axis=0, initial=0.0)
    norm = np.linalg.norm(rows, axis=0)
    alive = norm > 8 * len(x) * np.finfo(float).eps * size
    return rows[:, alive] / norm[alive]
