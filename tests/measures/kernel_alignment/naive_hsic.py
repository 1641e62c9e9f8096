"""HSIC of two Gram matrices, term by term: the reference for tests of CKA."""

import numpy as np


def naive_hsic_1(k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    """Song et al. (2012), equation 5, term by term."""
    n, one = len(k), np.ones(len(k))
    k, l = k - np.diag(np.diag(k)), l - np.diag(np.diag(l))  # noqa: E741
    total = np.trace(k @ l)
    total += one @ k @ one * (one @ l @ one) / ((n - 1) * (n - 2))
    total -= 2 / (n - 2) * one @ k @ l @ one
    return total / (n * (n - 3))


def naive_hsic_0(k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    n = len(k)
    h = np.eye(n) - 1 / n
    return np.trace(k @ h @ l @ h) / (n - 1) ** 2
