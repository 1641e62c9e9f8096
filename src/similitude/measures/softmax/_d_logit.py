"""d_logit: the distance between centered logits."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._linalg._blocks import budget_rows, spans
from ...inputs import SoftmaxModel
from ...transformations import MODEL_EQUIVALENCE
from .._base import Measure
from .._claims import Claims
from ._base import softmax_model

__all__ = ["DLogit", "d_logit"]


@dataclass(frozen=True, eq=False)
class Factors:
    """Embeddings and centered unembeddings; the logits are f g' times 2^exponent."""

    f: Array
    g: Array
    exponent: int


@dataclass(frozen=True, kw_only=True)
class DLogit(Measure):
    """Distance between centered logits; see `similitude.d_logit`."""

    name = "d_logit"
    domain = "softmax"
    refs = ("nielsen2026logit",)

    def claims(self) -> Claims:
        return Claims(
            on_device=True,
            kind="distance",
            range=(0.0, math.inf),
            triangle=True,
            invariant=MODEL_EQUIVALENCE,
        )

    def prepare(self, x: Any, seed: SeedSequence | None = None) -> Factors:
        """f and the centered g of the candidate labels, in increasing order."""
        x = softmax_model(x)
        f, f_exponent = _linalg.in_range(_array.widen(x.embeddings))
        g, g_exponent = _linalg.in_range(_array.widen(x.unembeddings))
        g = _array.take(g, np.sort(x.labels))
        xp = _array.namespace(g)
        for _ in range(2):  # the second pass removes rounding errors of a large mean
            g = g - xp.mean(g, axis=0)
        return Factors(f, g, f_exponent + g_exponent)

    def compare(self, p: Factors, q: Factors) -> Array:
        xp, n, labels = _array.namespace(p.f), p.f.shape[0], p.g.shape[0]
        total = xp.zeros((), dtype=p.f.dtype, device=_array.device(p.f))
        # The logits are in units of a power of two, so that squares do not overflow.
        exponent = max(p.exponent, q.exponent)
        a, b = (2.0 ** (v.exponent - exponent) for v in (p, q))
        for start, stop in spans(n, budget_rows(n, 8 * labels)):
            left, right = (v.f[start:stop, :] @ v.g.T for v in (p, q))
            gap = left * a - right * b
            total = total + xp.sum(gap * gap)
        root = _linalg.safe_sqrt(total / n)[()]
        # In two steps: 2^exponent may overflow, although the distance does not.
        return _linalg.in_unit(
            _linalg.in_unit(root, 2.0 ** (exponent // 2)),
            2.0 ** (exponent - exponent // 2),
        )

    def permute(self, q: Factors, order: np.ndarray) -> Factors:
        return replace(q, f=_array.take(q.f, order))


def d_logit(x: SoftmaxModel, y: SoftmaxModel, /) -> Score:
    r"""Logit distance: root mean square distance between centered logits.

    .. math::

        d = \sqrt{E_x \|\bar u(x, \cdot) - \bar u'(x, \cdot)\|^2}, \qquad
        \bar u(x, y) = f(x)^T \Bigl(g(y) - \frac1K \sum_{y'} g(y')\Bigr)

    where

    - f(x) and g(y) are embeddings and unembeddings of one model, and
      :math:`\bar u'` are the centered logits of the other model;
    - K is the number of candidate labels.

    Parameters
    ----------
    x, y
        `SoftmaxModel` of the same inputs and labels; dimensions may differ.

    Returns
    -------
    0-d array of the caller's library
        In [0, infinity). It is a metric between distributions, and differentiable.

    Notes
    -----
    Invariant under model equivalence, (f, g) to (A f, A^-T g + b). It bounds `d_rep`
    and canonical correlations (`similitude.identifiability.canonical_bound`).

    Not to be confused with: a distance between raw logits, which changes if all
    unembeddings are shifted, although the probabilities do not change.

    References
    ----------
    nielsen2026logit

    Examples
    --------
    One input. The logits are 1 and -1 in x, and 5 and 5 in y, which are 0 and 0 after
    centering:

    >>> from similitude import SoftmaxModel
    >>> x = SoftmaxModel([[1.0]], [[1.0], [-1.0]])
    >>> y = SoftmaxModel([[1.0]], [[5.0], [5.0]])
    >>> round(float(d_logit(x, y)) ** 2, 12)
    2.0
    """
    return DLogit()(x, y)
