"""Kullback-Leibler divergence of class probabilities."""

from dataclasses import dataclass
from typing import Any

from ..._base._array import Array, Score, namespace, stop_gradient, to_numpy
from ...errors import Undefined
from .._claims import Alias, Claims
from ._probabilities import (
    LOG_ZERO,
    ProbabilityMeasure,
    check_classes,
    sums_over_classes,
)

__all__ = ["KLDivergence", "kl_divergence"]


@dataclass(frozen=True, kw_only=True)
class KLDivergence(ProbabilityMeasure):
    """Mean Kullback-Leibler divergence; see `similitude.kl_divergence`."""

    name = "kl_divergence"
    aliases = (Alias("kl"),)
    refs = ("kullback1951information",)

    def claims(self) -> Claims:
        return Claims(
            on_device=True,
            kind="divergence",
            range=(0.0, float("inf")),
            symmetric=False,
            per_stimulus="mean",
        )

    def sums(self, p: Array, q: Array) -> Array:
        check_classes(p, q)
        xp = namespace(p, q)
        a, b = stop_gradient(p), stop_gradient(q)
        excluded = (b <= LOG_ZERO) & (a > LOG_ZERO)
        if bool(xp.any(excluded)):
            row = int(to_numpy(xp.any(excluded, axis=1)).argmax())
            raise Undefined(
                f"row {row}: y gives probability 0 to a class that has a positive "
                f"probability in x, so the divergence is infinite. Use jensen_shannon, "
                f"or smooth y."
            )
        return sums_over_classes(_kullback_leibler, p, q)


def _kullback_leibler(p: Array, q: Array) -> Array:
    """p (d + e^-d - 1) with d = log p - log q.

    Its sum is equal to the sum of p d, because p and q both sum to 1. All terms are
    nonnegative, so there is no cancellation.
    """
    xp = namespace(p, q)
    d = p - q
    near = xp.abs(d) < 1.0
    close = xp.where(near, d, xp.zeros_like(d))
    wide = xp.exp(p) * d + xp.exp(q) - xp.exp(p)
    return xp.where(near, xp.exp(p) * (close + xp.expm1(-close)), wide)


def kl_divergence(x: Any, y: Any, /) -> Score:
    r"""Mean Kullback-Leibler divergence of the probabilities of y from those of x.

    .. math::

        \frac{1}{n} \sum_{i=1}^n \sum_c p_{ic} \log \frac{p_{ic}}{q_{ic}}

    where

    - :math:`p_{ic}, q_{ic}` are the probabilities of class c that x and y predict for
      stimulus i; logarithms are natural.

    Parameters
    ----------
    x, y
        `Outputs` with log-probabilities, or n x K log-probabilities, of the same n
        stimuli and K classes; arrays of one library.

    Returns
    -------
    0-d array of the caller's library
        At least 0; 0 only if all probabilities are equal.

    Notes
    -----
    Asymmetric: the expectation is over the predictions of x. Compares probabilities
    only, so transformations of representations do not apply. Rows are normalized to sum
    to 1 in float64.

    Not to be confused with: the cross entropy, which adds the entropy of x; the
    symmetrized divergence.

    Raises
    ------
    Undefined
        If y gives probability 0 to a class that has a positive probability in x.
    InvalidInput
        If there are labels but no probabilities, or if the numbers of classes differ.

    References
    ----------
    kullback1951information

    Examples
    --------
    Probabilities (1/2, 1/2) and (1/4, 3/4) give log(4/3) / 2.

    >>> import numpy as np
    >>> float(kl_divergence(np.log([[0.5, 0.5]]), np.log([[0.25, 0.75]]))).__round__(4)
    0.1438
    """
    return KLDivergence()(x, y)
