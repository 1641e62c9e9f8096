"""Matching the columns of two representations, one to one."""

import numpy as np
import scipy

from .._array import Array, namespace, take, to_numpy


def best_assignment(gain: Array) -> tuple[np.ndarray, np.ndarray]:
    """Indices (i, j) of the one-to-one matching of largest total `gain`.

    All of the shorter side is matched, gains below 0 included. As a maximizer it is a
    constant for differentiation, like the polar factor.
    """
    return scipy.optimize.linear_sum_assignment(to_numpy(gain), maximize=True)


def matched_residual(x: Array, y: Array) -> Array:
    """Least sum of squares of x - y P over permutations P of columns.

    The narrower side is padded with columns of zeros. As a residual, not as a
    difference of sums, which could not see a distance below 1e-8. The best P is a
    constant for differentiation, by the envelope theorem: gradients are exact.
    """
    if x.shape[1] > y.shape[1]:
        x, y = y, x
    xp = namespace(x, y)
    i, j = best_assignment(x.T @ y)
    squared = xp.sum((take(x, i, axis=1) - take(y, j, axis=1)) ** 2)
    alone = np.setdiff1d(np.arange(y.shape[1]), j)
    if len(alone):
        squared = squared + xp.sum(take(y, alone, axis=1) ** 2)
    return squared
