"""Jensen-Shannon divergence of class probabilities."""

import math
from dataclasses import dataclass
from typing import Any, Literal

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from .._claims import Alias, Claims
from ._probabilities import ProbabilityMeasure, sums_over_classes

__all__ = ["JensenShannon", "jensen_shannon"]


@dataclass(frozen=True, kw_only=True)
class JensenShannon(ProbabilityMeasure):
    """Mean Jensen-Shannon divergence; see `similitude.jensen_shannon`."""

    name = "jensen_shannon"
    aliases = (Alias("jsd"), Alias("js_divergence"))
    refs = ("lin1991divergence", "endres2003metric")

    form: Literal["divergence", "distance"] = "divergence"

    def claims(self) -> Claims:
        root = self.form == "distance"
        return Claims(
            on_device=True,
            kind="distance",
            range=(0.0, math.sqrt(math.log(2)) if root else math.log(2)),
            triangle=root,
            per_stimulus="residual" if root else "mean",
        )

    def sums(self, p: Array, q: Array) -> Array:
        return sums_over_classes(_jensen_shannon, p, q)

    def in_form(self, divergence: Array) -> Array:
        root = self.form == "distance"
        return _linalg.safe_sqrt(divergence) if root else divergence


def _jensen_shannon(p: Array, q: Array) -> Array:
    """(p + q) / 4 (2 a t + log(1 - t^2)) with t = tanh(a), a = (log p - log q) / 2.

    This form is never negative, and it is accurate if p and q are close.
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


def jensen_shannon(
    x: Any, y: Any, /, *, form: Literal["divergence", "distance"] = "divergence"
) -> Score:
    r"""Mean Jensen-Shannon divergence between predicted probabilities.

    .. math::

        \frac{1}{n} \sum_{i=1}^n
        \tfrac12 \mathrm{KL}(p_i \| m_i) + \tfrac12 \mathrm{KL}(q_i \| m_i),
        \qquad m_i = \tfrac12 (p_i + q_i)

    where

    - :math:`p_i, q_i` are the class probabilities that x and y predict for stimulus i;
      logarithms are natural.

    Parameters
    ----------
    x, y
        `Outputs` with log-probabilities, or n x K log-probabilities, of the same n
        stimuli and K classes; arrays of one library.
    form
        ``"divergence"`` as above, or ``"distance"`` for its square root, which is a
        metric.

    Returns
    -------
    0-d array of the caller's library
        In [0, log 2]; the distance in [0, sqrt(log 2)]. 0 only if all probabilities are
        equal.

    Notes
    -----
    Compares probabilities only, so transformations of representations do not apply.
    Rows are normalized to sum to 1 in float64.

    Not to be confused with: the divergence in base-2 logarithms, which reaches 1; the
    mean of the square roots over rows, which is below the square root of the mean.

    Raises
    ------
    InvalidInput
        If there are labels but no probabilities, or if the numbers of classes differ.

    References
    ----------
    lin1991divergence, endres2003metric

    Examples
    --------
    Both models are certain. They predict the same class for the first stimulus and
    different classes for the second. The score is the mean of 0 and log 2.

    >>> import numpy as np
    >>> a, b = np.log([[1, 1e-300], [1, 1e-300]]), np.log([[1, 1e-300], [1e-300, 1]])
    >>> round(float(jensen_shannon(a, b)), 4)
    0.3466
    """
    return JensenShannon(form=form)(x, y)
