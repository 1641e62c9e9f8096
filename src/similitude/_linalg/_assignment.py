"""One-to-one matching of the columns of two representations."""

import numpy as np
import scipy

from .._base._array import Array, namespace, take, to_numpy


def best_assignment(gain: Array) -> tuple[np.ndarray, np.ndarray]:
    """Indices (i, j) of the one-to-one matching with the largest total `gain`.

    Every index of the shorter side is matched, even at a gain below 0. The matching is
    a maximizer, so it is a constant for differentiation, like the polar factor.
    """
    return scipy.optimize.linear_sum_assignment(to_numpy(gain), maximize=True)


def matched_residual(x: Array, y: Array) -> Array:
    """Least sum of squares of x - y P over permutations P of columns.

    The narrower side is padded with columns of zeros. The sum is over residuals; a
    difference of sums could not resolve distances below 1e-8. By the envelope theorem
    the best P is a constant for differentiation, and gradients are exact.
    """
    if x.shape[1] > y.shape[1]:
        x, y = y, x
    xp = namespace(x, y)
    i, j = best_assignment(x.T @ y)
    squared = xp.sum((take(x, i, axis=1) - take(y, j, axis=1)) ** 2)
    unmatched = np.setdiff1d(np.arange(y.shape[1]), j)
    if len(unmatched):
        squared = squared + xp.sum(take(y, unmatched, axis=1) ** 2)
    return squared
