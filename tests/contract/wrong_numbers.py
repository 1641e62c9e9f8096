"""Measures that fail for some values, arrays, libraries or gradients."""

from dataclasses import replace

import numpy as np

from contract.correct_measures import RIGHT, Correct
from contract.wrong_claims import IgnoresSecondLabels
from similitude._base import _array
from similitude.inputs import points


class NumpyOnly(Correct):
    def compare(self, p, q):
        return np.float64(float(RIGHT.compare(p, q)))


class SinglePrecision(Correct):
    def compare(self, p, q):
        return RIGHT.compare(p, q).astype("float32")


class HalfGradient(Correct):
    """Differentiates through one side only."""

    def compare(self, p, q):
        return RIGHT.compare(p, q.detach() if hasattr(q, "detach") else q)


class UnclaimedGradient(Correct):
    def claims(self):
        return replace(RIGHT.claims(), differentiable=False)


class ReturnsNaN(Correct):
    """Returns NaN if the score does not exist."""

    def prepare(self, x, seed=None):
        from similitude import Undefined

        try:
            return RIGHT.prepare(x, seed)
        except Undefined:
            return np.full((40, 6), np.nan)

    def compare(self, p, q):
        if np.isnan(np.asarray(p[0, 0])) or np.isnan(np.asarray(q[0, 0])):
            return np.float64("nan")
        return RIGHT.compare(p, q)


class CenteredByRoundedMean(Correct):
    """One pass in single precision: right near the origin, wrong far from it."""

    def prepare(self, x, seed=None):
        x = getattr(x, "values", x)
        if isinstance(x, np.ndarray) and x.ndim == 2 and x.dtype == np.float64:
            x = x.astype(np.float32)
        return RIGHT.prepare(x, seed)


class ChangesItsInput(Correct):
    def prepare(self, x, seed=None):
        values = getattr(x, "values", x)
        if isinstance(values, np.ndarray):
            values -= values.mean(axis=0)
        return RIGHT.prepare(x, seed)


class NoValidation(Correct):
    """No validation: accepts invalid values and unequal lengths."""

    def __call__(self, x, y, rng=None):
        x, y = np.nan_to_num(np.asarray(x)), np.nan_to_num(np.asarray(y))
        n = min(len(x), len(y))
        return self.compare(self.prepare(x[:n]), self.prepare(y[:n]))


class TorchWrongIfWiderFirst(Correct):
    def compare(self, p, q):
        if p.shape[1] > q.shape[1] and hasattr(p, "detach"):
            return RIGHT.compare(p, q) / 2
        return RIGHT.compare(p, q)


class SingleInSingleOut(Correct):
    def prepare(self, x, seed=None):
        x = points(x)
        return _array.namespace(x.values).astype(RIGHT.prepare(x), x.values.dtype)


class FlatGradient(Correct):
    def compare(self, p, q):
        return RIGHT.compare(_array.stop_gradient(p), _array.stop_gradient(q)) + 0 * (
            p[0, 0] + q[0, 0]
        )


class ReturnsNaNForOutputs(IgnoresSecondLabels):
    """The share of common errors among all errors; NaN if there are no errors."""

    def compare(self, p, q):
        with np.errstate(invalid="ignore"):
            wrong = [np.asarray(v.labels != v.targets) for v in (p, q)]
            return 1 - np.sum(wrong[0] & wrong[1]) / np.float64(np.sum(wrong[0]))


# Each measure with the check that must fail, and the start of its message.
WRONG_NUMBERS = [
    (NumpyOnly, "check_libraries"),
    (SinglePrecision, "check_libraries"),
    (HalfGradient, "check_gradients"),
    (UnclaimedGradient, "check_gradients"),
    (ReturnsNaN, "check_hard_cases: one row: the score is nan"),
    (CenteredByRoundedMean, "check_offset_and_scale"),
    (ChangesItsInput, "check_inputs_kept"),
    (NoValidation, "check_refusals"),
    (TorchWrongIfWiderFirst, "check_libraries"),
    (SingleInSingleOut, "check_dtypes"),
    (FlatGradient, "check_gradients: draw 0, argument (0,): a slope of 0.0"),
    (ReturnsNaNForOutputs, "check_hard_cases: both always right"),
]
