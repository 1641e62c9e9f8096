"""How often two classifiers are right, and whether on the same stimuli."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _array, inputs
from ..._array import Array
from ...errors import InvalidInput, Undefined
from .._base import Measure
from .._claims import Claims

__all__ = [
    "AccuracyDifference",
    "ErrorConsistency",
    "accuracy_difference",
    "error_consistency",
]


def _right(x: Any, name: str) -> Array:
    """1 where a prediction is right, 0 where it is wrong."""
    x = inputs.outputs(x)
    if x.targets is None:
        raise InvalidInput(
            f"{name} asks what is right: give the true classes, "
            f"Outputs(labels=..., targets=...)."
        )
    right = x.labels == x.targets
    return _array.namespace(right).astype(right, _array.wide_dtype(right))


def _claims(**own: Any) -> Claims:
    none: frozenset = frozenset()
    return Claims(
        symmetric=True, invariant_x=none, invariant_y=none, differentiable=False, **own
    )


@dataclass(frozen=True, kw_only=True)
class ErrorConsistency(Measure):
    """Cohen's kappa of being right; see `similitude.error_consistency`."""

    name = "error_consistency"
    domain = "outputs"
    refs = ("geirhos2020beyond", "cohen1960coefficient")

    def claims(self) -> Claims:
        return _claims(kind="similarity", range=(-1.0, 1.0), chance="0")

    def prepare(self, x: Any, seed: Any = None) -> Array:
        return _right(x, self.name)

    def compare(self, p: Array, q: Array) -> Array:
        observed, expected = self._agreement(p, q)
        if _array.number(expected) == 1:
            raise Undefined(
                "both models are always right, or both always wrong, so that their "
                "accuracies alone make them agree. Use other stimuli."
            )
        return (observed - expected) / (1.0 - expected)

    def _agreement(self, p: Array, q: Array) -> tuple[Array, Array]:
        """Shares of stimuli on which both are right or both wrong: seen, expected."""
        xp = _array.namespace(p, q)
        a, b = xp.mean(p), xp.mean(q)
        both = p * q + (1.0 - p) * (1.0 - q)
        return xp.mean(both), a * b + (1.0 - a) * (1.0 - b)

    def permute(self, q: Array, order: np.ndarray) -> Array:
        return _array.take(q, order)

    def details(self, p: Array, q: Array) -> dict[str, Any]:
        observed, expected = self._agreement(p, q)
        return {
            "observed_agreement": _array.number(observed),
            "expected_agreement": _array.number(expected),
        }


@dataclass(frozen=True, kw_only=True)
class AccuracyDifference(Measure):
    """Difference of accuracies; see `similitude.accuracy_difference`."""

    name = "accuracy_difference"
    domain = "outputs"
    refs = ("klabunde2025similarity",)

    def claims(self) -> Claims:
        return _claims(kind="distance", range=(0.0, 1.0), paired=False, triangle=True)

    def prepare(self, x: Any, seed: Any = None) -> Array:
        right = _right(x, self.name)
        return _array.namespace(right).mean(right)

    def compare(self, p: Array, q: Array) -> Array:
        return _array.namespace(p, q).abs(p - q)

    def details(self, p: Array, q: Array) -> dict[str, Any]:
        return {"accuracy_x": _array.number(p), "accuracy_y": _array.number(q)}


def error_consistency(x: Any, y: Any, /) -> Array:
    r"""Do two classifiers err on the same stimuli, beyond what accuracies imply?

    .. math::

        \kappa = \frac{c - c_0}{1 - c_0},
        \qquad c_0 = a_x a_y + (1 - a_x)(1 - a_y)

    where

    - :math:`c` is the share of stimuli on which both are right or both are wrong;
    - :math:`a_x, a_y` are the two accuracies, and :math:`c_0` is the share that
      independent classifiers of these accuracies would have.

    Parameters
    ----------
    x, y
        `Outputs` with `targets`, of the same n stimuli; arrays of one library.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]; 1 if the errors are on the same stimuli, 0 if they are independent.

    Notes
    -----
    No transformation of a representation applies: only predictions are seen. Two wrong
    answers count as agreement whether or not they are the same.

    Not to be confused with: the agreement of the predicted classes and its kappa;
    `disagreement`, which does not know what is right.

    Raises
    ------
    Undefined
        If both models are always right, or both always wrong.
    InvalidInput
        Without targets.

    References
    ----------
    geirhos2020beyond, cohen1960coefficient

    Examples
    --------
    Each is wrong once in four, on different stimuli: they agree on 2/4, and chance is
    (3/4)^2 + (1/4)^2 = 10/16, so kappa is (8 - 10) / (16 - 10).

    >>> import similitude as sim
    >>> a = sim.Outputs(labels=[1, 0, 0, 0], targets=[0, 0, 0, 0])
    >>> b = sim.Outputs(labels=[0, 1, 0, 0], targets=[0, 0, 0, 0])
    >>> round(float(error_consistency(a, b)), 4)
    -0.3333
    """
    return ErrorConsistency()(x, y)


def accuracy_difference(x: Any, y: Any, /) -> Array:
    r"""Difference between the accuracies of two classifiers.

    .. math::

        |a_x - a_y|, \qquad a_x = \frac{1}{n} \sum_{i=1}^n [\hat c^x_i = c_i]

    where

    - :math:`\hat c^x_i` is the class that x predicts for stimulus i, and :math:`c_i`
      is the true one.

    Parameters
    ----------
    x, y
        `Outputs` with `targets`; arrays of one library. Stimuli need not correspond,
        nor be equally many.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1].

    Notes
    -----
    No transformation of a representation applies: only predictions are seen. A
    pseudometric: 0 does not mean equal.

    Not to be confused with: `disagreement`, which is at least as large, and not 0 for
    two models that err equally often on different stimuli.

    Raises
    ------
    InvalidInput
        Without targets.

    References
    ----------
    klabunde2025similarity

    Examples
    --------
    >>> import similitude as sim
    >>> a = sim.Outputs(labels=[1, 0, 0, 0], targets=[0, 0, 0, 0])
    >>> b = sim.Outputs(labels=[1, 1], targets=[0, 1])
    >>> float(accuracy_difference(a, b))
    0.25
    """
    return AccuracyDifference()(x, y)
