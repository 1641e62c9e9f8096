"""Base of measures that compare class probabilities of each stimulus."""

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import inputs
from ..._base import _array
from ..._base._array import Array
from ..._linalg import budget_rows, spans
from ...errors import InvalidInput
from .._base import Measure

LOG_ZERO = -1e4  # finite stand-in for the logarithm of 0; its exponential is 0
_BLOCK = 2**16  # entries per block


def log_probabilities(x: Any, name: str) -> Array:
    """n x K log-probabilities in float64; the probabilities of a row sum to 1."""
    x = inputs.outputs(x)
    if x.log_probs is None:
        raise InvalidInput(
            f"{name} compares probabilities. Pass n x K log-probabilities, not labels."
        )
    log_p = _array.widen(x.log_probs)
    xp = _array.namespace(log_p)
    total = xp.log(xp.sum(xp.exp(log_p), axis=1, keepdims=True))
    return xp.clip(log_p - total, LOG_ZERO, None)


def check_classes(p: Array, q: Array) -> None:
    if p.shape[1] != q.shape[1]:
        raise InvalidInput(
            f"x has {p.shape[1]} classes and y has {q.shape[1]}. Both must have the "
            f"same classes in the same order."
        )


def sums_over_classes(
    terms: Callable[[Array, Array], Array], p: Array, q: Array
) -> Array:
    """The sum over classes in each row, in blocks that fit into the CPU cache."""
    check_classes(p, q)
    xp, (n, classes) = _array.namespace(p, q), p.shape
    height = min(budget_rows(n, 8 * classes), max(1, _BLOCK // classes))
    sums = [
        xp.sum(terms(p[start:stop, :], q[start:stop, :]), axis=1)
        for start, stop in spans(n, height)
    ]
    return xp.concat(sums)


@dataclass(frozen=True, kw_only=True)
class ProbabilityMeasure(Measure):
    """A mean over stimuli of a function of both rows of probabilities.

    Subclasses define the `sums` of this function over classes, one per stimulus.
    """

    domain = "outputs"

    def prepare(self, x: Any, seed: Any = None) -> Array:
        return log_probabilities(x, self.name)

    @abc.abstractmethod
    def sums(self, p: Array, q: Array) -> Array:
        """The divergence of each stimulus."""

    def in_form(self, divergence: Array) -> Array:
        return divergence

    def compare(self, p: Array, q: Array) -> Array:
        sums = self.sums(p, q)
        return self.in_form(_array.namespace(sums).mean(sums))

    def per_stimulus(self, p: Array, q: Array) -> np.ndarray:
        return _array.to_numpy(self.in_form(self.sums(p, q)))

    def permute(self, q: Array, order: np.ndarray) -> Array:
        return _array.take(q, order)
