"""Measures that fail for some numbers, arrays, libraries or slopes."""

from dataclasses import replace

import numpy as np

from contract.honest_measures import RIGHT, Honest
from contract.wrong_claims import IgnoresSecondLabels
from similitude import _array
from similitude.inputs import points


class NumpyOnly(Honest):
    def compare(self, p, q):
        return np.float64(float(RIGHT.compare(p, q)))


class SinglePrecision(Honest):
    def compare(self, p, q):
        return RIGHT.compare(p, q).astype("float32")


class HalfGradient(Honest):
    """Differentiates through one side only."""

    def compare(self, p, q):
        return RIGHT.compare(p, q.detach() if hasattr(q, "detach") else q)


class SecretGradient(Honest):
    def claims(self):
        return replace(RIGHT.claims(), differentiable=False)


class NotANumber(Honest):
    """Answers NaN where there is no answer."""

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


class CenteredByRoundedMean(Honest):
    """One pass in single precision: right near the origin, wrong far from it."""

    def prepare(self, x, seed=None):
        x = getattr(x, "values", x)
        if isinstance(x, np.ndarray) and x.ndim == 2 and x.dtype == np.float64:
            x = x.astype(np.float32)
        return RIGHT.prepare(x, seed)


class ChangesItsInput(Honest):
    def prepare(self, x, seed=None):
        values = getattr(x, "values", x)
        if isinstance(values, np.ndarray):
            values -= values.mean(axis=0)
        return RIGHT.prepare(x, seed)


class TakesAnything(Honest):
    """No door: bad values and unequal lengths pass."""

    def __call__(self, x, y, rng=None):
        x, y = np.nan_to_num(np.asarray(x)), np.nan_to_num(np.asarray(y))
        n = min(len(x), len(y))
        return self.compare(self.prepare(x[:n]), self.prepare(y[:n]))


class TorchWrongIfWiderFirst(Honest):
    def compare(self, p, q):
        if p.shape[1] > q.shape[1] and hasattr(p, "detach"):
            return RIGHT.compare(p, q) / 2
        return RIGHT.compare(p, q)


class SingleInSingleOut(Honest):
    def prepare(self, x, seed=None):
        x = points(x)
        return _array.namespace(x.values).astype(RIGHT.prepare(x), x.values.dtype)


class FlatGradient(Honest):
    def compare(self, p, q):
        return RIGHT.compare(_array.stop_gradient(p), _array.stop_gradient(q)) + 0 * (
            p[0, 0] + q[0, 0]
        )


class NotANumberForOutputs(IgnoresSecondLabels):
    """The share of common errors among all errors, of which there may be none."""

    def compare(self, p, q):
        with np.errstate(invalid="ignore"):
            wrong = [np.asarray(v.labels != v.targets) for v in (p, q)]
            return 1 - np.sum(wrong[0] & wrong[1]) / np.float64(np.sum(wrong[0]))


# Each with the check that must find it, and how its complaint begins.
WRONG_NUMBERS = [
    (NumpyOnly, "check_libraries"),
    (SinglePrecision, "check_libraries"),
    (HalfGradient, "check_gradients"),
    (SecretGradient, "check_gradients"),
    (NotANumber, "check_hard_cases: one row: the score is nan"),
    (CenteredByRoundedMean, "check_offset_and_scale"),
    (ChangesItsInput, "check_inputs_kept"),
    (TakesAnything, "check_refusals"),
    (TorchWrongIfWiderFirst, "check_libraries"),
    (SingleInSingleOut, "check_dtypes"),
    (FlatGradient, "check_gradients: draw 0, argument (0,): a slope of 0.0"),
    (NotANumberForOutputs, "check_hard_cases: both always right"),
]
