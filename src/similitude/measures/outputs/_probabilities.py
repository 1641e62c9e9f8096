"""Class probabilities of two classifiers, compared stimulus by stimulus."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _array, inputs
from ..._array import Array
from ..._linalg import budget_rows, spans
from ...errors import InvalidInput
from .._base import Measure

NEVER = -1e4  # stands for the logarithm of 0: finite, and its exponential is 0
_BLOCK = 2**16  # entries at once


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
    return xp.clip(log_p - total, NEVER, None)


def check_classes(p: Array, q: Array) -> None:
    if p.shape[1] != q.shape[1]:
        raise InvalidInput(
            f"x has {p.shape[1]} classes and y has {q.shape[1]}. Probabilities must be "
            f"of the same classes in the same order."
        )


def mean_over_rows(terms: Callable[[Array, Array], Array], p: Array, q: Array) -> Array:
    """The mean over rows of a sum over classes, in blocks that stay in the cache."""
    check_classes(p, q)
    xp, (n, classes) = _array.namespace(p, q), p.shape
    height = min(budget_rows(n, 8 * classes), max(1, _BLOCK // classes))
    total = sum(
        xp.sum(terms(p[start:stop, :], q[start:stop, :]))
        for start, stop in spans(n, height)
    )
    return total / n


@dataclass(frozen=True, kw_only=True)
class ProbabilityMeasure(Measure):
    """A mean over stimuli of something of both rows of probabilities."""

    domain = "outputs"

    def prepare(self, x: Any, seed: Any = None) -> Array:
        return _log_probabilities(x, self.name)

    def permute(self, q: Array, order: np.ndarray) -> Array:
        return _array.take(q, order)
