"""Error consistency: Cohen's kappa of the errors of two classifiers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._base._array import Array, Score, namespace, number, take
from ...errors import Undefined
from .._base import Measure
from .._claims import Claims
from ._base import correct_predictions

__all__ = ["ErrorConsistency", "error_consistency"]


@dataclass(frozen=True, kw_only=True)
class ErrorConsistency(Measure):
    """Cohen's kappa of correctness; see `similitude.error_consistency`."""

    name = "error_consistency"
    domain = "outputs"
    refs = ("geirhos2020beyond", "cohen1960coefficient")

    def claims(self) -> Claims:
        return Claims(
            on_device=True,
            kind="similarity",
            range=(-1.0, 1.0),
            differentiable=False,
            chance="0",
        )

    def prepare(self, x: Any, seed: Any = None) -> Array:
        return correct_predictions(x, self.name)

    def compare(self, p: Array, q: Array) -> Array:
        observed, expected = self._agreement(p, q)
        if number(expected) == 1:
            raise Undefined(
                "both models are always right, or both are always wrong, so their "
                "accuracies alone determine the agreement. Use other stimuli."
            )
        return (observed - expected) / (1.0 - expected)

    def _agreement(self, p: Array, q: Array) -> tuple[Array, Array]:
        """Observed and expected shares of stimuli: both are right or both wrong."""
        xp = namespace(p, q)
        a, b = xp.mean(p), xp.mean(q)
        both = p * q + (1.0 - p) * (1.0 - q)
        return xp.mean(both), a * b + (1.0 - a) * (1.0 - b)

    def permute(self, q: Array, order: np.ndarray) -> Array:
        return take(q, order)

    def details(self, p: Array, q: Array) -> dict[str, Any]:
        observed, expected = self._agreement(p, q)
        return {
            "observed_agreement": number(observed),
            "expected_agreement": number(expected),
        }


def error_consistency(x: Any, y: Any, /) -> Score:
    r"""Consistency of the errors of two classifiers, beyond the level of chance.

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
    Compares predictions only, so transformations of representations do not apply. Two
    wrong predictions count as agreement even if the classes differ.

    Not to be confused with: the agreement of the predicted classes and its kappa;
    `disagreement`, which does not use the true classes.

    Raises
    ------
    Undefined
        If both models are always right, or both always wrong.
    InvalidInput
        If there are no targets.

    References
    ----------
    geirhos2020beyond, cohen1960coefficient

    Examples
    --------
    Each model is wrong on one of four stimuli, and these differ. The models agree on
    2/4, and chance is (3/4)^2 + (1/4)^2 = 10/16, so kappa is (8 - 10) / (16 - 10).

    >>> import similitude as sim
    >>> a = sim.Outputs(labels=[1, 0, 0, 0], targets=[0, 0, 0, 0])
    >>> b = sim.Outputs(labels=[0, 1, 0, 0], targets=[0, 0, 0, 0])
    >>> round(float(error_consistency(a, b)), 4)
    -0.3333
    """
    return ErrorConsistency()(x, y)
