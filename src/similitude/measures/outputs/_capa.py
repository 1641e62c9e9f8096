"""CAPA: agreement of class probabilities beyond that of two accuracies."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ... import inputs
from ..._base import _array
from ..._base._array import Array, Score
from ...errors import InvalidInput, Undefined
from .._base import Measure
from .._claims import Alias, Claims
from ._probabilities import log_probabilities, sums_over_classes

__all__ = ["CAPA", "capa"]


class Judged(NamedTuple):
    """n x K probabilities, and the probability of the true class of each stimulus."""

    probabilities: Array
    right: Array


@dataclass(frozen=True, kw_only=True)
class CAPA(Measure):
    """Chance-adjusted agreement of probabilities; see `similitude.capa`."""

    name = "capa"
    domain = "outputs"
    aliases = (Alias("kappa_p"), Alias("chance_adjusted_probabilistic_agreement"))
    refs = ("goel2025great",)

    def claims(self) -> Claims:
        return Claims(
            on_device=True,
            kind="similarity",
            range=(-1.0, 1.0),
            chance="0, if errors are spread evenly over the wrong classes",
            best_with_itself=False,  # 1 only for probabilities of 0 and 1
        )

    def prepare(self, x: Any, seed: Any = None) -> Judged:
        x = inputs.outputs(x)
        if x.targets is None:
            raise InvalidInput(
                "capa needs the true classes; got outputs without targets. Pass "
                "Outputs(log_probs=..., targets=...)."
            )
        log_p = log_probabilities(x, self.name)
        xp = _array.namespace(log_p)
        if log_p.shape[1] < 2:
            raise Undefined("one class is always right; capa needs two or more.")
        p = xp.exp(log_p)
        classes = xp.arange(p.shape[1], device=_array.device(p), dtype=x.targets.dtype)
        true = classes[None, :] == x.targets[:, None]
        return Judged(p, xp.sum(xp.where(true, p, xp.zeros_like(p)), axis=1))

    def compare(self, p: Judged, q: Judged) -> Array:
        observed, expected = self._agreement(p, q)
        if _array.number(expected) >= 1 - 1e-12:
            raise Undefined(
                "both models are always right with probability 1, so their accuracies "
                "alone determine the agreement. Use other stimuli."
            )
        return (observed - expected) / (1.0 - expected)

    def _agreement(self, p: Judged, q: Judged) -> tuple[Array, Array]:
        """The probability of the same class, and its value by accuracies alone."""
        same = sums_over_classes(lambda a, b: a * b, p.probabilities, q.probabilities)
        xp = _array.namespace(same)
        a, b = xp.mean(p.right), xp.mean(q.right)
        wrong = (1.0 - a) * (1.0 - b) / (p.probabilities.shape[1] - 1)
        return xp.mean(same), a * b + wrong

    def permute(self, q: Judged, order: np.ndarray) -> Judged:
        return Judged(*(_array.take(v, order) for v in q))

    def details(self, p: Judged, q: Judged) -> dict[str, Any]:
        observed, expected = self._agreement(p, q)
        return {
            "observed_agreement": _array.number(observed),
            "expected_agreement": _array.number(expected),
        }


def capa(x: Any, y: Any, /) -> Score:
    r"""Agreement of two classifiers beyond that of their accuracies (CAPA).

    .. math::

        \kappa_p = \frac{c - c_0}{1 - c_0}, \qquad
        c = \frac1n \sum_{i=1}^n \sum_{k=1}^K p_{ik} q_{ik}, \qquad
        c_0 = \bar p \bar q + \frac{(1 - \bar p)(1 - \bar q)}{K - 1}

    where

    - :math:`p_{ik}, q_{ik}` are the probabilities of class k for stimulus i;
    - :math:`\bar p, \bar q` are the mean probabilities of the true classes. Two
      independent models that spread their errors evenly agree with probability
      :math:`c_0`.

    Parameters
    ----------
    x, y
        `Outputs` with `log_probs` and `targets`, of the same n stimuli and K classes;
        arrays of one library.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]; 1 if both predict the same classes with certainty, 0 if they agree
        as often as their accuracies imply. Uncertain models do not score 1 with
        themselves.

    Notes
    -----
    Compares probabilities only, so transformations of representations do not apply.

    Not to be confused with: `error_consistency`, for which two wrong answers agree even
    if their classes differ; Cohen's kappa, whose chance level uses the shares of all
    predicted classes.

    Raises
    ------
    Undefined
        If both models are always right with probability 1, or if there is one class.
    InvalidInput
        If there are no targets, or only labels.

    References
    ----------
    goel2025great

    Examples
    --------
    Both models are certain, and each is right on one of two stimuli of three classes:
    they never agree, and :math:`c_0` is 1/4 + 1/8.

    >>> import similitude as sim
    >>> import numpy as np
    >>> certain = np.log(np.maximum(np.eye(3), 1e-300))
    >>> a = sim.Outputs(log_probs=certain[[0, 1]], targets=[0, 2])
    >>> b = sim.Outputs(log_probs=certain[[1, 2]], targets=[0, 2])
    >>> round(float(capa(a, b)), 4)
    -0.6
    """
    return CAPA()(x, y)
