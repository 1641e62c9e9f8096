"""Condition numbers: how much each class of measures amplifies rounding of the input.

All are computed from the input in float64 by textbook formulas, not by the library.
"""

from typing import Any

import numpy as np

from .formulas.blocks import center, double_centered, u_centered


def one(measure: Any, x: Any, y: Any) -> float:
    """Sums and quotients of the values as they are, or ranks, which must be equal."""
    return 1.0


def norms(measure: Any, x: np.ndarray, y: np.ndarray) -> float:
    """The size of scores that have the unit of the values."""
    return float(max(np.linalg.norm(x), np.linalg.norm(y)))


def centered_norms(measure: Any, x: np.ndarray, y: np.ndarray) -> float:
    return float(max(np.linalg.norm(center(x)), np.linalg.norm(center(y))))


def offset(measure: Any, x: np.ndarray, y: np.ndarray) -> float:
    """Digits lost by removing means: the size of the values over that of the rest."""
    return max(_ratio(np.linalg.norm(v), np.linalg.norm(center(v))) for v in (x, y))


def offset_of_columns(measure: Any, x: np.ndarray, y: np.ndarray) -> float:
    """As `offset` for measures that scale columns: the worst column that varies."""
    found = 1.0
    for v in (x, y):
        spread = np.linalg.norm(center(v), axis=0)
        alive = spread > 1e-12 * np.linalg.norm(v, axis=0)
        ratios = np.linalg.norm(v, axis=0)[alive] / spread[alive]
        found = max(found, float(np.max(ratios, initial=1.0)))
    return found


def subspace(measure: Any, x: np.ndarray, y: np.ndarray) -> float:
    """Column spaces: the largest over the smallest singular value that counts."""
    return offset(measure, x, y) * max(_spread(center(v)) for v in (x, y))


def squared_subspace(measure: Any, x: np.ndarray, y: np.ndarray) -> float:
    """Eigenvalues of X'X are squares of singular values, so the spread counts twice."""
    spread = max(_spread(center(v)) for v in (x, y))
    return offset(measure, x, y) * spread**2


def raw_subspace(measure: Any, x: np.ndarray, y: np.ndarray) -> float:
    return max(_spread(v) for v in (x, y))


def rotation(measure: Any, x: np.ndarray, y: np.ndarray) -> float:
    """The polar factor of X'Y: over its smallest singular value that counts."""
    return offset(measure, x, y) * _spread(center(x).T @ center(y))


def raw_rotation(measure: Any, x: np.ndarray, y: np.ndarray) -> float:
    return _spread(x.T @ y)


def alignment(measure: Any, k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    """Gram matrices: their size over the size of what centering leaves of them."""
    unbiased = measure.options.get("estimator", "unbiased") == "unbiased"
    found = 1.0
    for g in (k, l):
        counted = g - np.diag(np.diag(g)) if unbiased else g  # HSIC_1 has no diagonal
        left = u_centered(g) if unbiased else double_centered(g)
        found = max(found, _ratio(np.linalg.norm(counted), np.linalg.norm(left)))
    return found**2


def _spread(v: np.ndarray) -> float:
    values = np.linalg.svd(v, compute_uv=False)
    kept = values[values > max(v.shape) * np.finfo(float).eps * values[0]]
    return _ratio(kept[0], kept[-1]) if kept.size else 1.0


def _ratio(a: Any, b: Any) -> float:
    """1 if nothing is left: the score is then undefined, and has no deviation."""
    return max(1.0, float(a / b)) if b > 0 else 1.0
