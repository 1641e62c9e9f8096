"""Outputs of classifiers."""

from dataclasses import dataclass
from typing import Any

from .._base import _array, _validate
from .._base._array import Array
from ..errors import InvalidInput
from ._classes import class_indices


@dataclass(frozen=True, eq=False)
class Outputs:
    """Predictions of a classifier for n stimuli, and optionally the true classes.

    Attributes
    ----------
    log_probs
        n x K natural logarithms of probabilities, or None.
    labels
        n integers, the predicted classes; by default the argmax of `log_probs`.
    targets
        n integers, the true classes, or None.
    """

    log_probs: Array = None
    labels: Array = None
    targets: Array = None

    def __post_init__(self) -> None:
        if self.labels is None and self.log_probs is None:
            raise InvalidInput("Outputs needs labels, log_probs, or both; got neither.")
        if self.log_probs is not None:
            self._set("log_probs", _log_probabilities(self.log_probs))
        if self.labels is None:
            xp = _array.namespace(self.log_probs)
            self._set("labels", xp.argmax(self.log_probs, axis=1))
        for name in ("labels", "targets"):
            if getattr(self, name) is not None:
                self._set(name, class_indices(getattr(self, name), name))
        for name in ("log_probs", "targets"):
            other = getattr(self, name)
            if other is None:
                continue
            if _array.library(other) != _array.library(self.labels):
                raise InvalidInput(
                    f"Outputs: labels are a {_array.library(self.labels)} array and "
                    f"{name} a {_array.library(other)} array. Convert one of them."
                )
            if other.shape[0] != self.n:
                raise InvalidInput(
                    f"Outputs: labels have {self.n} rows and {name} have "
                    f"{other.shape[0]}; give one row per stimulus in both."
                )

    def _set(self, name: str, value: Array) -> None:
        object.__setattr__(self, name, value)

    @property
    def n(self) -> int:
        return self.labels.shape[0]


def outputs(x: Any, name: str = "x") -> Outputs:
    """Validate outputs; labels (1-d) or log-probabilities (2-d) become `Outputs`."""
    if isinstance(x, Outputs):
        return x
    x = _validate.dense_array(x, name)
    if x.ndim == 1:
        return Outputs(labels=x)
    if x.ndim == 2:
        return Outputs(log_probs=x)
    raise InvalidInput(
        f"{name} must be Outputs, n labels or n x K log-probabilities; got an array "
        f"of shape {tuple(x.shape)}."
    )


def _log_probabilities(x: Any) -> Array:
    """Validate n x K log-probabilities; -inf is allowed and means probability 0."""
    half = str(getattr(x, "dtype", "")).endswith("float16")
    x = _validate.real_array(x, "log_probs")
    if x.ndim != 2 or 0 in x.shape:
        raise InvalidInput(
            f"log_probs must be n x K, one row per stimulus; got shape "
            f"{tuple(x.shape)}."
        )
    xp, plain = _array.namespace(x), _array.widen(_array.stop_gradient(x))
    totals = xp.sum(xp.exp(xp.clip(plain, None, 1.0)), axis=1)
    # The rounding of a log-probability of -10 in bfloat16 is up to 4 % of the
    # probability. The condition is negated so that NaN counts as off.
    off = ~(xp.abs(totals - 1.0) <= (0.1 if half else 1e-3))
    if bool(xp.any(off)):
        row = int(_array.to_numpy(off).argmax())
        total = _array.number(totals[row])
        raise InvalidInput(
            f"log_probs: the probabilities of row {row} sum to {total:.6g}, not 1. "
            f"Pass log-probabilities: log_softmax of logits or log of probabilities."
        )
    return x
