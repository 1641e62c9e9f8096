"""Difference of the accuracies of two classifiers."""

from dataclasses import dataclass, replace
from typing import Any

from ..._base._array import Array, Score, namespace
from .._claims import Claims
from ..statistics._base import Difference
from ._base import correct_predictions

__all__ = ["AccuracyDifference", "accuracy_difference"]


@dataclass(frozen=True, kw_only=True)
class AccuracyDifference(Difference):
    """Difference of accuracies; see `similitude.accuracy_difference`."""

    name = "accuracy_difference"
    domain = "outputs"
    statistic = "accuracy"
    refs = ("klabunde2025similarity",)

    def claims(self) -> Claims:
        return replace(self.difference(frozenset(), 1.0), differentiable=False)

    def prepare(self, x: Any, seed: Any = None) -> Array:
        correct = correct_predictions(x, self.name)
        return namespace(correct).mean(correct)


def accuracy_difference(x: Any, y: Any, /) -> Score:
    r"""Difference between the accuracies of two classifiers.

    .. math::

        |a_x - a_y|, \qquad a_x = \frac{1}{n} \sum_{i=1}^n [\hat c^x_i = c_i]

    where

    - :math:`\hat c^x_i` is the class that x predicts for stimulus i, and :math:`c_i`
      is the true class.

    Parameters
    ----------
    x, y
        `Outputs` with `targets`; arrays of one library. Stimuli need not correspond,
        and their numbers may differ.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1].

    Notes
    -----
    Compares predictions only, so transformations of representations do not apply. A
    pseudometric: 0 does not mean equal.

    Not to be confused with: `disagreement`, which is at least as large. It is above 0
    for two models that err equally often on different stimuli.

    Raises
    ------
    InvalidInput
        If there are no targets.

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
