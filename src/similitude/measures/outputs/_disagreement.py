"""Disagreement between the predictions of two classifiers."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ... import inputs
from ..._base import _array
from ..._base._array import Array, Score
from ...errors import InvalidInput, Undefined
from ...inputs import Outputs
from .._base import Measure
from .._claims import Alias, Claims, KnownScore
from .._coverage import Coverage

__all__ = ["Disagreement", "disagreement"]


@dataclass(frozen=True, kw_only=True)
class Disagreement(Measure):
    """Share of stimuli with different predictions; see `similitude.disagreement`."""

    name = "disagreement"
    domain = "outputs"
    refs = ("milanifard2016launch", "barannikov2022representation")
    aliases = (Alias("churn"),)
    known = (KnownScore([0, 1, 2, 2], [0, 1, 1, 0], 0.5),)

    form: Literal["share", "normalized"] = "share"

    def claims(self) -> Claims:
        normalized = self.form == "normalized"
        return Claims(
            on_device=True,
            kind="distance",
            # If two models disagree, one of them is wrong. The disagreement is
            # therefore at most the sum of both error rates.
            range=(0.0, 2.0 if normalized else 1.0),
            triangle=None if normalized else True,
            differentiable=False,
            chance=None if normalized else "1 - sum of products of class shares",
            per_stimulus="mean",
            interval=None if normalized else Coverage("share", 1),
        )

    def prepare(self, x: Any, seed: Any = None) -> Outputs:
        x = inputs.outputs(x)
        if self.form == "normalized" and x.targets is None:
            raise InvalidInput(
                "form='normalized' divides by the error rate, which needs the true "
                "classes. Pass Outputs(labels=..., targets=...)."
            )
        return x

    def compare(self, p: Outputs, q: Outputs) -> Array:
        return _share(p.labels != q.labels) / self._unit(p, q)

    def per_stimulus(self, p: Outputs, q: Outputs) -> np.ndarray:
        unit = _array.number(self._unit(p, q))
        return _array.to_numpy(p.labels != q.labels) / unit

    def _unit(self, p: Outputs, q: Outputs) -> Array:
        """The mean error rate, or 1 for the share itself."""
        if self.form == "share":
            return _array.scalar(1.0, p.labels)
        errors = (_share(p.labels != p.targets) + _share(q.labels != q.targets)) / 2.0
        if _array.number(errors) == 0:
            raise Undefined(
                "both models are always right, so their error rate is 0 and cannot be "
                "a divisor. Use form='share'."
            )
        return errors

    def permute(self, q: Outputs, order: np.ndarray) -> Outputs:
        moved = {
            name: _array.take(values, order)
            for name in ("labels", "log_probs", "targets")
            if (values := getattr(q, name)) is not None
        }
        return replace(q, **moved)


def _share(condition: Array) -> Array:
    xp = _array.namespace(condition)
    return xp.mean(xp.astype(condition, _array.wide_dtype(condition)))


def disagreement(
    x: Any, y: Any, /, *, form: Literal["share", "normalized"] = "share"
) -> Score:
    r"""Share of stimuli for which two classifiers predict different classes.

    .. math::

        \frac{1}{n} \sum_{i=1}^n [\hat c^x_i \neq \hat c^y_i],
        \qquad \text{normalized: over } 1 - \tfrac12 (a_x + a_y)

    where

    - :math:`\hat c_i` is the predicted class of stimulus i;
    - :math:`a_x, a_y` are the two accuracies; they need `targets`.

    Parameters
    ----------
    x, y
        `Outputs`, or n integer labels, or n x K log-probabilities. The prediction is
        the class with the largest log-probability.
    form
        ``"share"``, or ``"normalized"``: divided by the mean error rate. Two models
        that are nearly always right cannot disagree much, even if they are very
        different.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]; normalized in [0, 2].

    Notes
    -----
    Compares predictions only, so transformations of representations do not apply. With
    form="share" it is the normalized Hamming distance between predictions, which is a
    metric. It is also known as churn.

    Not to be confused with: the difference of accuracies, which is 0 for two models
    that err equally often on different stimuli; error consistency (Cohen's kappa).

    Raises
    ------
    Undefined
        With form="normalized", if neither model makes an error.
    InvalidInput
        With form="normalized", if there are no targets.

    References
    ----------
    milanifard2016launch, barannikov2022representation

    Examples
    --------
    >>> float(disagreement([0, 1, 2, 2], [0, 1, 1, 0]))
    0.5
    """
    return Disagreement(form=form)(x, y)
