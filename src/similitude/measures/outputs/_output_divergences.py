"""Divergences between the class probabilities of two classifiers."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _array, _linalg, inputs
from ..._array import Array
from ..._linalg import budget_rows, spans
from ...errors import InvalidInput, Undefined
from .._base import Measure
from .._claims import Claims

__all__ = ["JensenShannon", "KLDivergence", "jensen_shannon", "kl_divergence"]

_NEVER = -1e4  # stands for the logarithm of 0: finite, and its exponential is 0
_BLOCK = 2**16  # entries at once
_NO_ATOMS: frozenset = frozenset()  # there are no columns to transform


def _log_probabilities(x: Any, name: str) -> Array:
    """n x K, in float64, of rows that sum to 1 in that precision."""
    x = inputs.outputs(x)
    if x.log_probs is None:
        raise InvalidInput(
            f"{name} compares probabilities: give n x K log-probabilities, not labels."
        )
    log_p = _array.widen(x.log_probs)
    xp = _array.namespace(log_p)
    total = xp.log(xp.sum(xp.exp(log_p), axis=1, keepdims=True))
    return xp.clip(log_p - total, _NEVER, None)


def _check_classes(p: Array, q: Array) -> None:
    if p.shape[1] != q.shape[1]:
        raise InvalidInput(
            f"x has {p.shape[1]} classes and y has {q.shape[1]}. Probabilities must be "
            f"of the same classes in the same order."
        )


def _mean_over_rows(
    terms: Callable[[Array, Array], Array], p: Array, q: Array
) -> Array:
    """The mean over rows of a sum over classes, in blocks that stay in the cache."""
    _check_classes(p, q)
    xp, (n, classes) = _array.namespace(p, q), p.shape
    height = min(budget_rows(n, 8 * classes), max(1, _BLOCK // classes))
    total = sum(
        xp.sum(terms(p[start:stop, :], q[start:stop, :]))
        for start, stop in spans(n, height)
    )
    return total / n


def _jensen_shannon(p: Array, q: Array) -> Array:
    """With t = tanh(a), a = (log p - log q) / 2: (p + q) / 4 (2 a t + log(1 - t^2)).

    Never negative, and exact where p and q are close.
    """
    xp = _array.namespace(p, q)
    a = (p - q) / 2.0
    near = xp.abs(a) < 1.0
    t = xp.tanh(xp.where(near, a, xp.zeros_like(a)))
    far = xp.abs(xp.where(near, xp.ones_like(a), a))
    tail = 2.0 * (math.log(2) - xp.log1p(xp.exp(-2.0 * far)))
    tail = tail - 2.0 * far * (1.0 - xp.tanh(far))
    gain = xp.where(near, 2.0 * a * t + xp.log1p(-(t**2)), tail)
    return (xp.exp(p) + xp.exp(q)) / 4.0 * gain


def _kullback_leibler(p: Array, q: Array) -> Array:
    """p (d + e^-d - 1) with d = log p - log q.

    It sums to the same as p d, since p and q both sum to 1, and no term is negative,
    so that none cancels another.
    """
    xp = _array.namespace(p, q)
    d = p - q
    near = xp.abs(d) < 1.0
    close = xp.where(near, d, xp.zeros_like(d))
    wide = xp.exp(p) * d + xp.exp(q) - xp.exp(p)
    return xp.where(near, xp.exp(p) * (close + xp.expm1(-close)), wide)


@dataclass(frozen=True, kw_only=True)
class JensenShannon(Measure):
    """Mean Jensen-Shannon divergence; see `similitude.jensen_shannon`."""

    name = "jensen_shannon"
    domain = "outputs"
    refs = ("lin1991divergence", "endres2003metric")

    root: bool = False

    def claims(self) -> Claims:
        return Claims(
            kind="distance",
            range=(0.0, math.sqrt(math.log(2)) if self.root else math.log(2)),
            symmetric=True,
            triangle=self.root,
            invariant_x=_NO_ATOMS,
            invariant_y=_NO_ATOMS,
        )

    def prepare(self, x: Any, seed: Any = None) -> Array:
        return _log_probabilities(x, self.name)

    def compare(self, p: Array, q: Array) -> Array:
        mean = _mean_over_rows(_jensen_shannon, p, q)
        return _linalg.safe_sqrt(mean) if self.root else mean

    def permute(self, q: Array, order: np.ndarray) -> Array:
        return _array.take(q, order)


@dataclass(frozen=True, kw_only=True)
class KLDivergence(Measure):
    """Mean Kullback-Leibler divergence; see `similitude.kl_divergence`."""

    name = "kl_divergence"
    domain = "outputs"
    refs = ("kullback1951information",)

    def claims(self) -> Claims:
        return Claims(
            kind="divergence",
            range=(0.0, float("inf")),
            symmetric=False,
            invariant_x=_NO_ATOMS,
            invariant_y=_NO_ATOMS,
        )

    def prepare(self, x: Any, seed: Any = None) -> Array:
        return _log_probabilities(x, self.name)

    def compare(self, p: Array, q: Array) -> Array:
        _check_classes(p, q)
        xp = _array.namespace(p, q)
        a, b = _array.stop_gradient(p), _array.stop_gradient(q)
        barred = (b <= _NEVER) & (a > _NEVER)
        if bool(xp.any(barred)):
            row = int(_array.to_numpy(xp.any(barred, axis=1)).argmax())
            raise Undefined(
                f"row {row}: y gives probability 0 to a class to which x does not, so "
                f"that the divergence is infinite. Use jensen_shannon, or smooth y."
            )
        return _mean_over_rows(_kullback_leibler, p, q)

    def permute(self, q: Array, order: np.ndarray) -> Array:
        return _array.take(q, order)


def jensen_shannon(x: Any, y: Any, /, *, root: bool = False) -> Array:
    r"""Mean Jensen-Shannon divergence between predicted probabilities.

    .. math::

        \frac{1}{n} \sum_{i=1}^n
        \tfrac12 \mathrm{KL}(p_i \| m_i) + \tfrac12 \mathrm{KL}(q_i \| m_i),
        \qquad m_i = \tfrac12 (p_i + q_i)

    where

    - :math:`p_i, q_i` are the probabilities that x and y give to the classes of
      stimulus i; logarithms are natural.

    Parameters
    ----------
    x, y
        `Outputs` with log-probabilities, or n x K log-probabilities, of the same n
        stimuli and K classes; arrays of one library.
    root
        The root of that mean, which is a metric.

    Returns
    -------
    0-d array of the caller's library
        In [0, log 2], or its root. 0 only if all probabilities agree.

    Notes
    -----
    No transformation of a representation applies: only probabilities are seen. Rows
    are brought to sum to 1 in float64.

    Not to be confused with: base-2 logarithms, which reach 1; the mean of the roots of
    the rows, which is below the root of their mean.

    Raises
    ------
    InvalidInput
        For labels without probabilities, and for unequal numbers of classes.

    References
    ----------
    lin1991divergence, endres2003metric

    Examples
    --------
    Certain of the same class, and certain of different ones: the mean of 0 and log 2.

    >>> import numpy as np
    >>> a, b = np.log([[1, 1e-300], [1, 1e-300]]), np.log([[1, 1e-300], [1e-300, 1]])
    >>> round(float(jensen_shannon(a, b)), 4)
    0.3466
    """
    return JensenShannon(root=root)(x, y)


def kl_divergence(x: Any, y: Any, /) -> Array:
    r"""Mean Kullback-Leibler divergence of y's probabilities from x's.

    .. math::

        \frac{1}{n} \sum_{i=1}^n \sum_c p_{ic} \log \frac{p_{ic}}{q_{ic}}

    where

    - :math:`p_{ic}, q_{ic}` are the probabilities that x and y give to class c of
      stimulus i; logarithms are natural.

    Parameters
    ----------
    x, y
        `Outputs` with log-probabilities, or n x K log-probabilities, of the same n
        stimuli and K classes; arrays of one library.

    Returns
    -------
    0-d array of the caller's library
        At least 0, and 0 only if all probabilities agree.

    Notes
    -----
    Asymmetric: the expectation is over what x predicts. No transformation of a
    representation applies: only probabilities are seen. Rows are brought to sum to 1 in
    float64.

    Not to be confused with: the cross entropy, which adds the entropy of x; the
    symmetrised divergence.

    Raises
    ------
    Undefined
        Where y excludes a class that x does not.
    InvalidInput
        For labels without probabilities, and for unequal numbers of classes.

    References
    ----------
    kullback1951information

    Examples
    --------
    One half, one half against one quarter, three quarters: log(4/3) / 2.

    >>> import numpy as np
    >>> float(kl_divergence(np.log([[0.5, 0.5]]), np.log([[0.25, 0.75]]))).__round__(4)
    0.1438
    """
    return KLDivergence()(x, y)
