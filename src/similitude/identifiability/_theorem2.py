"""Linear maps between the representations of two models, with residuals."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from ..inputs import SoftmaxModel
from ._diversity import Spread, spread
from ._pair import (
    NOISE_FACTOR,
    check_diverse,
    chosen_set,
    differences,
    noise_level,
    paired,
)


@dataclass(frozen=True, eq=False)
class Theorem2:
    """f* = A f' + h_f and g* = B g' + h_g; see `theorem2`.

    Attributes
    ----------
    a, b
        A and B, M x M.
    h_f, h_g
        Residuals of the linear maps, n x M and K x M. The K rows of h_g are the
        candidates in increasing order.
    epsilon_f
        n x M: differences of log-ratios to the pivot label, computed from logits.
    epsilon_f_log_probs
        The same from log-probabilities. It is equal, since normalizers cancel.
    epsilon_g
        K x M: differences of logits to the pivot input.
    epsilon_g_log_probs
        The same from log-probabilities: ``epsilon_g = epsilon_g_log_probs + c``.
    c
        M numbers, ``log [Z*(x_i) Z'(x_0) / (Z*(x_0) Z'(x_i))]``.
    relative_error_f, relative_error_g
        Per coordinate, the mean over inputs of ``|epsilon_f| / |L''f'|``, and over
        labels of ``|epsilon_g| / |N''g'|``.
    spreads
        Rank and conditioning of ``"L*"``, ``"N*"``, ``"L'"``, ``"N'"``, ``"A"``,
        ``"B"`` and ``"E" = L*'N* - L''N'``. E has the differences of epsilon_f between
        the chosen inputs.
    labels, inputs
        The chosen indices, pivots first.
    """

    a: np.ndarray
    b: np.ndarray
    h_f: np.ndarray
    h_g: np.ndarray
    epsilon_f: np.ndarray
    epsilon_f_log_probs: np.ndarray
    epsilon_g: np.ndarray
    epsilon_g_log_probs: np.ndarray
    c: np.ndarray
    relative_error_f: np.ndarray
    relative_error_g: np.ndarray
    spreads: Mapping[str, Spread]
    labels: tuple[int, ...]
    inputs: tuple[int, ...]


def theorem2(star: Any, prime: Any, labels: Any, inputs: Any) -> Theorem2:
    r"""Decompose the representations of one model into linear maps of another's.

    .. math::

        f^*(x) = A f'(x) + h_f(x), \quad A = L^{*-T} L'^T, \quad
        h_f(x) = L^{*-T} \epsilon_y(x)

        g^*(y) = B g'(y) + h_g(y), \quad B = N^{*-T} N'^T, \quad
        h_g(y) = N^{*-T} \epsilon_x(y)

    where

    - L has the columns g(y_i) - g(y_0), and N the columns f(x_i) - f(x_0), i = 1..M;
    - :math:`\epsilon_y(x)_i` is ``u*(x, y_i) - u*(x, y_0) - u'(x, y_i) + u'(x, y_0)``.
      It is the same for logits u and for log-probabilities;
    - :math:`\epsilon_x(y)_i` is ``u*(x_i, y) - u*(x_0, y) - u'(x_i, y) + u'(x_0, y)``
      for logits. For log-probabilities, :math:`h_g = N^{*-T}(\epsilon_x + c)` and
      :math:`c_i = \log \frac{Z^*(x_i) Z'(x_0)}{Z^*(x_0) Z'(x_i)}`.

    Parameters
    ----------
    star, prime
        `SoftmaxModel` on the same inputs and labels, with the same dimension M. `star`
        must be diverse.
    labels, inputs
        M + 1 indices each, the pivot first, for instance from `diversity`.

    Returns
    -------
    Theorem2
        Both decompositions. They are exact up to rounding error times the condition
        numbers of ``L*`` and ``N*``.

    Notes
    -----
    A is invertible if and only if L' is, that is, if `prime` is diverse on the same
    labels. B is invertible if and only if N' is. Both are invertible if
    ``E = L*'N* - L''N'`` is smaller than the smallest singular value of ``L*'N*``: then
    ``L''N' = L*'N* - E`` is invertible.

    Two errors of the paper are corrected: the transposes in its main text (``L*^-1``
    instead of ``L*^-T``), and its constant, which has one ratio of normalizers too
    many. With logits there is no such constant.

    Raises
    ------
    Undefined
        If ``L*`` or ``N*`` is singular at the precision of storage.

    References
    ----------
    nielsen2024challenges
    """
    pair = paired(star, prime)
    y = chosen_set(labels, pair.labels, pair.dimension + 1, "labels")
    x = chosen_set(inputs, np.arange(pair.n), pair.dimension + 1, "inputs")
    check_diverse(star, y, "labels", "star")
    check_diverse(star, x, "inputs", "star")

    # These are the transposes of L and N: differences are rows.
    l_star, l_prime = differences(star.g, y), differences(prime.g, y)
    n_star, n_prime = differences(star.f, x), differences(prime.f, x)
    a, b = np.linalg.solve(l_star, l_prime), np.linalg.solve(n_star, n_prime)
    g_star, g_prime = star.g[pair.labels], prime.g[pair.labels]

    prime_f, prime_g = prime.f @ l_prime.T, g_prime @ n_prime.T
    epsilon_f = star.f @ l_star.T - prime_f
    epsilon_g = g_star @ n_star.T - prime_g
    log_z = star.log_normalizers()[x] - prime.log_normalizers()[x]
    return Theorem2(
        a=a,
        b=b,
        h_f=np.linalg.solve(l_star, epsilon_f.T).T,
        h_g=np.linalg.solve(n_star, epsilon_g.T).T,
        epsilon_f=epsilon_f,
        epsilon_f_log_probs=_ratios_by_label(star, y) - _ratios_by_label(prime, y),
        epsilon_g=epsilon_g,
        epsilon_g_log_probs=_ratios_by_input(star, pair.labels, x)
        - _ratios_by_input(prime, pair.labels, x),
        c=log_z[1:] - log_z[0],
        relative_error_f=_relative_error(epsilon_f, prime_f),
        relative_error_g=_relative_error(epsilon_g, prime_g),
        spreads=_spreads(star, prime, y, x),
        labels=tuple(y.tolist()),
        inputs=tuple(x.tolist()),
    )


def _ratios_by_label(model: SoftmaxModel, y: np.ndarray) -> np.ndarray:
    log_probs = model.log_probs(y)
    return log_probs[:, 1:] - log_probs[:, :1]


def _ratios_by_input(
    model: SoftmaxModel, labels: np.ndarray, x: np.ndarray
) -> np.ndarray:
    log_probs = model.log_probs(labels, inputs=x).T
    return log_probs[:, 1:] - log_probs[:, :1]


def _relative_error(epsilon: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Mean ratio of each column; infinite if only the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(epsilon) / np.abs(reference)
    return np.where(epsilon == 0, 0.0, ratio).mean(axis=0)


def _spreads(
    star: SoftmaxModel, prime: SoftmaxModel, y: np.ndarray, x: np.ndarray
) -> Mapping[str, Spread]:
    l_star, l_prime = differences(star.g, y), differences(prime.g, y)
    n_star, n_prime = differences(star.f, x), differences(prime.f, x)
    noise = {
        "L*": noise_level(star.g[y], star.eps),
        "L'": noise_level(prime.g[y], prime.eps),
        "N*": noise_level(star.f[x], star.eps),
        "N'": noise_level(prime.f[x], prime.eps),
    }
    found = {
        "L*": spread(l_star, noise["L*"]),
        "N*": spread(n_star, noise["N*"]),
        "L'": spread(l_prime, noise["L'"]),
        "N'": spread(n_prime, noise["N'"]),
    }
    # L* and N* are invertible, so A and B have the ranks of L' and N'.
    for name, left, right, factor in (
        ("A", l_star, l_prime, "L'"),
        ("B", n_star, n_prime, "N'"),
    ):
        solved = spread(np.linalg.solve(left, right), 0.0)
        rank = found[factor].rank
        found[name] = Spread(rank, solved.dimension, solved.ratio, solved.condition)
    products = l_star @ n_star.T, l_prime @ n_prime.T
    size = max(np.linalg.norm(part, 2) for part in products)
    error = max(star.eps, prime.eps)
    found["E"] = spread(products[0] - products[1], NOISE_FACTOR * error * size)
    return MappingProxyType(found)
