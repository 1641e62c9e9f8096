"""The contract can fail: each wrong measure is caught by the check made for it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from similitude import Claims, Invariance, Measure, Outputs, Procrustes
from similitude.testing import check_measure

RIGHT = Procrustes(form="similarity")


@dataclass(frozen=True)
class Honest(Measure):
    """Procrustes similarity by another name; each wrong measure changes one thing."""

    name = "honest"
    refs = ("none",)

    def claims(self) -> Claims:
        return RIGHT.claims()

    def prepare(self, x: Any, seed: Any = None) -> Any:
        return RIGHT.prepare(x, seed)

    def compare(self, p: Any, q: Any) -> Any:
        return RIGHT.compare(p, q)

    def permute(self, q: Any, order: Any) -> Any:
        return RIGHT.permute(q, order)


class ClaimsTooMuch(Honest):
    def claims(self):
        return replace(RIGHT.claims(), invariant_y=frozenset({Invariance.LINEAR}))


class ClaimsTooLittle(Honest):
    def claims(self):
        return replace(RIGHT.claims(), invariant_x=frozenset({Invariance.ORTHOGONAL}))


class NarrowRange(Honest):
    def claims(self):
        return replace(RIGHT.claims(), range=(0.0, 0.7))


class NotSymmetric(Honest):
    """Scores the first of the two higher, and calls itself symmetric."""

    def compare(self, p, q):
        return RIGHT.compare(p, q) * (1.0 - 1e-5 * abs(p[0, 0]))


class SecretlySymmetric(Honest):
    def claims(self):
        return replace(RIGHT.claims(), symmetric=False)


class Unpaired(Honest):
    def claims(self):
        return replace(RIGHT.claims(), paired=False)


class FalseMetric(Honest):
    """The squared distance is no metric."""

    def claims(self):
        return replace(Procrustes(form="squared").claims(), triangle=True)

    def compare(self, p, q):
        return Procrustes(form="squared").compare(p, q)


class MetricInDisguise(Honest):
    def claims(self):
        return replace(Procrustes(form="angular").claims(), triangle=False)

    def compare(self, p, q):
        return Procrustes(form="angular").compare(p, q)


class NotNearItself(Honest):
    """A distance with an epsilon in a denominator."""

    def claims(self):
        return Procrustes(form="euclidean").claims()

    def compare(self, p, q):
        return Procrustes(form="euclidean").compare(p, q) + 1e-4


class WrongAllPairs(Honest):
    """All pairs of the upper triangle, the other one forgotten."""

    def compare_all(self, ps):
        return np.triu([[float(RIGHT.compare(p, q)) for q in ps] for p in ps])


class WrongPermute(Honest):
    def permute(self, q, order):
        return q[np.argsort(order)]


class RemembersCalls(Honest):
    """Global state: the second answer is not the first."""

    calls = 0

    def compare(self, p, q):
        RemembersCalls.calls += 1
        return RIGHT.compare(p, q) + 1e-12 * RemembersCalls.calls


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


class CentredByRoundedMean(Honest):
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


class NeedsNoSeed(Honest):
    """Says that it draws, and does not ask for a seed."""

    def claims(self):
        return replace(RIGHT.claims(), stochastic=True)


class UnspeakableDetails(Honest):
    def details(self, p, q):
        return {"matrix": p}


@dataclass(frozen=True)
class ListOption(Honest):
    layers: tuple = (1, 2)


@dataclass(frozen=True)
class IgnoresSecondLabels(Measure):
    """Outputs: the accuracy of x, called a distance to y."""

    name = "ignores"
    domain = "outputs"
    refs = ("none",)

    def claims(self) -> Claims:
        none = frozenset()
        return Claims(
            kind="distance",
            range=(0.0, 1.0),
            symmetric=True,
            invariant_x=none,
            invariant_y=none,
            differentiable=False,
        )

    def prepare(self, x: Any, seed: Any = None) -> Outputs:
        return x

    def compare(self, p: Any, q: Any) -> Any:
        return np.mean(p.labels == p.targets)


def test_the_honest_measure_passes() -> None:
    check_measure(Honest())


@pytest.mark.parametrize(
    ("wrong", "check"),
    [
        (ClaimsTooMuch, "check_invariances: claims linear of y"),
        (ClaimsTooLittle, "check_invariances: does not claim isotropic scale of x"),
        (NarrowRange, "check_range"),
        (NotSymmetric, "check_symmetry"),
        (SecretlySymmetric, "check_symmetry"),
        (Unpaired, "check_pairing"),
        (FalseMetric, "check_triangle"),
        (MetricInDisguise, "check_triangle"),
        (NotNearItself, "check_self"),
        (WrongAllPairs, "check_all_pairs"),
        (WrongPermute, "check_permute"),
        (RemembersCalls, "check_two_steps"),
        (NumpyOnly, "check_libraries"),
        (SinglePrecision, "check_libraries"),
        (HalfGradient, "check_gradients"),
        (SecretGradient, "check_gradients"),
        (NotANumber, "check_hard_cases: one row: the score is nan"),
        (CentredByRoundedMean, "check_offset_and_scale"),
        (ChangesItsInput, "check_inputs_kept"),
        (TakesAnything, "check_refusals"),
        (NeedsNoSeed, "check_seed"),
        (UnspeakableDetails, "check_details"),
        (ListOption, "check_record"),
        (IgnoresSecondLabels, "check_pairing"),
    ],
)
def test_wrong_measure_is_rejected(wrong: type[Measure], check: str) -> None:
    with pytest.raises(AssertionError, match="fails its contract") as caught:
        check_measure(wrong())
    assert check in str(caught.value)
