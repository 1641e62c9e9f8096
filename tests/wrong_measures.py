"""Measures that are wrong in one way each, and two that are honest."""

import itertools
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from similitude import (
    Claims,
    InvalidInput,
    Invariance,
    Measure,
    Outputs,
    Procrustes,
    _array,
)
from similitude.inputs import points

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


class UnpairedOfEqualNumber(Honest):
    """Compares sorted lengths, which is unpaired, and needs as many of them."""

    def claims(self):
        turned = frozenset({Invariance.ORTHOGONAL})
        return replace(
            Procrustes().claims(),
            range=(0.0, float("inf")),
            paired=False,
            invariant_x=turned,
            invariant_y=turned,
        )

    def prepare(self, x, seed=None):
        x = points(x)
        return x.xp.sort(x.xp.linalg.vector_norm(_array.widen(x.values), axis=1))

    def compare(self, p, q):
        return _array.namespace(p, q).mean(abs(p - q))


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


class KeepsTheMeans(Honest):
    """Leaves rows out of what is prepared, which is about the means of all rows."""

    error = 1.0

    def rest(self, rows):
        return rows

    def leave_out(self, ps, sizes):
        def without(p, end, size):
            left = self.rest(np.delete(np.asarray(p), np.s_[end - size : end], axis=0))
            return left / np.linalg.norm(left)

        groups = zip(np.cumsum(sizes), sizes, strict=True)
        sides = [[without(p, *group) for p in ps] for group in groups]
        nuclear = [
            [[np.linalg.norm(p.T @ q, "nuc") for q in side] for p in side]
            for side in sides
        ]
        return self.error * np.array(nuclear)


class LeavesOutRoughly(KeepsTheMeans):
    """About the means of the rest, and right to nine digits."""

    error = 1.0 + 1e-9

    def rest(self, rows):
        return rows - rows.mean(axis=0)


class LeavesOutNothing(LeavesOutRoughly):
    """Declines also where most rows remain."""

    error = np.nan


class WrongPermute(Honest):
    def permute(self, q, order):
        return q[np.argsort(order)]


class WrongNull(Honest):
    """Reads an order as its inverse."""

    def null(self, p, q, orders):
        inverse = [np.argsort(order) for order in orders]
        return super().null(p, q, inverse)


class NullOfMean(Honest):
    """The mean and the variance are right, and the third is another moment."""

    def null_moments(self, p, q):
        orders = np.asarray(list(itertools.permutations(range(p.shape[0]))))
        scores = np.asarray(self.null(p, q, orders))
        rest = scores - scores.mean()
        return scores.mean(), scores.var(), np.mean(rest**3)


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


@dataclass(frozen=True)
class Subsampled(Measure):
    """Procrustes similarity of half of the rows: an honest draw."""

    name = "subsampled"
    refs = ("none",)

    def claims(self):
        return replace(RIGHT.claims(), stochastic=True)

    def rows(self, x, seed):
        if seed is None:
            raise InvalidInput("half of the rows are drawn: pass rng=0, or a Generator")
        return np.random.default_rng(seed).permutation(x.n)[: (x.n + 1) // 2]

    def prepare(self, x, seed=None):
        x = points(x)
        order = self.rows(x, seed)
        return RIGHT.prepare(_array.take(x.values, order))

    def compare(self, p, q):
        return RIGHT.compare(p, q)


class SeedIgnored(Subsampled):
    """Asks for a seed, and does not use it."""

    def rows(self, x, seed):
        return super().rows(x, seed and 0)


class RowsByWidth(Subsampled):
    """The two sides draw different rows as soon as their widths differ."""

    def rows(self, x, seed):
        return super().rows(x, seed and (seed.entropy, x.d))


class DrawsInSecret(Subsampled):
    """Draws, and claims that it does not."""

    def claims(self):
        return RIGHT.claims()

    def rows(self, x, seed):
        return super().rows(x, seed or 0)


class NeedsNoSeed(Subsampled):
    """Draws from a seed of its own if it is given none."""

    def rows(self, x, seed):
        return super().rows(x, seed or 0)


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


class WrongIfWide(Honest):
    """Forgets to centre where there are more columns than rows."""

    def prepare(self, x, seed=None):
        x = points(x)
        if x.d <= x.n:
            return RIGHT.prepare(x)
        return x.values * x.xp.arange(1, x.d + 1, dtype=x.values.dtype)


class RotationsOnly(Honest):
    """Refuses reflections, but claims them."""

    def compare(self, p, q):
        if p.shape[1] != q.shape[1]:
            return RIGHT.compare(p, q)
        xp = _array.namespace(p, q)
        u, s, vt = xp.linalg.svd(_array.stop_gradient(p.T @ q), full_matrices=False)
        sign = float(xp.linalg.det(u @ vt))
        return xp.sum(xp.linalg.svdvals(p.T @ q)) - (1 - sign) * s[-1]


class PermutesInPlace(Honest):
    def permute(self, q, order):
        q[...] = RIGHT.permute(q, order)
        return q


class TorchWrongIfWiderFirst(Honest):
    def compare(self, p, q):
        if p.shape[1] > q.shape[1] and hasattr(p, "detach"):
            return RIGHT.compare(p, q) / 2
        return RIGHT.compare(p, q)


class SingleInSingleOut(Honest):
    def prepare(self, x, seed=None):
        x = points(x)
        return _array.namespace(x.values).astype(RIGHT.prepare(x), x.values.dtype)


class OneMinusSimilarity(Honest):
    """One minus a cosine is no metric."""

    def claims(self):
        euclidean = Procrustes(form="euclidean").claims()
        return replace(euclidean, range=(0.0, 1.0), triangle=True)

    def compare(self, p, q):
        return 1.0 - RIGHT.compare(p, q)


class TooFew(Honest):
    """Takes two at least."""

    def compare_all(self, ps):
        ps[1]
        return super().compare_all(ps)


class FlatGradient(Honest):
    def compare(self, p, q):
        return RIGHT.compare(_array.stop_gradient(p), _array.stop_gradient(q)) + 0 * (
            p[0, 0] + q[0, 0]
        )


class NoDecorator(Honest):
    k: int = 5


@dataclass(frozen=True)
class TakesAnyForm(Honest):
    form: Literal["a", "b"] = "a"

    def __post_init__(self):
        """Not even the check of its own type."""


class RepeatsItself(Honest):
    def claims(self):
        atoms = RIGHT.claims().invariant_x | {Invariance.PERMUTATION}
        return replace(RIGHT.claims(), invariant_x=atoms)


class Pretender(Honest):
    name = "cka"


class StringRefs(Honest):
    refs = "none"


class NotANumberForOutputs(IgnoresSecondLabels):
    """The share of common errors among all errors, of which there may be none."""

    def compare(self, p, q):
        with np.errstate(invalid="ignore"):
            wrong = [np.asarray(v.labels != v.targets) for v in (p, q)]
            return 1 - np.sum(wrong[0] & wrong[1]) / np.float64(np.sum(wrong[0]))


# Each with the check that must find it, and how its complaint begins.
WRONG = [
    (ClaimsTooMuch, "check_invariances: claims linear of y"),
    (ClaimsTooLittle, "check_invariances: does not claim isotropic scale of x"),
    (NarrowRange, "check_range"),
    (NotSymmetric, "check_symmetry"),
    (SecretlySymmetric, "check_symmetry"),
    (Unpaired, "check_pairing"),
    (UnpairedOfEqualNumber, "check_pairing: unpaired, but 60 and 53 rows"),
    (FalseMetric, "check_triangle"),
    (MetricInDisguise, "check_triangle"),
    (NotNearItself, "check_self"),
    (WrongAllPairs, "check_all_pairs"),
    (KeepsTheMeans, "check_leave_out: draw 0, without group 0"),
    (LeavesOutRoughly, "check_leave_out: draw 0, without group 0"),
    (LeavesOutNothing, "check_leave_out: draw 0, without group 0"),
    (WrongPermute, "check_permute"),
    (WrongNull, "check_null: draw 0, null"),
    (NullOfMean, "check_null_moments: draw 0, skewness"),
    (RemembersCalls, "check_two_steps"),
    (NumpyOnly, "check_libraries"),
    (SinglePrecision, "check_libraries"),
    (HalfGradient, "check_gradients"),
    (SecretGradient, "check_gradients"),
    (NotANumber, "check_hard_cases: one row: the score is nan"),
    (CentredByRoundedMean, "check_offset_and_scale"),
    (ChangesItsInput, "check_inputs_kept"),
    (TakesAnything, "check_refusals"),
    (SeedIgnored, "check_seed: it asks for rng, but no seed changes"),
    (RowsByWidth, "check_seed"),
    (DrawsInSecret, "check_seed: rng=1 changes what needs no rng"),
    (NeedsNoSeed, "check_seed"),
    (WrongIfWide, "check_invariances: claims permutation of x"),
    (RotationsOnly, "check_invariances: claims permutation of x"),
    (PermutesInPlace, "check_permute"),
    (TorchWrongIfWiderFirst, "check_libraries"),
    (SingleInSingleOut, "check_dtypes"),
    (OneMinusSimilarity, "check_triangle"),
    (TooFew, "check_all_pairs"),
    (FlatGradient, "check_gradients: draw 0, argument (0,): a slope of 0.0"),
    (NoDecorator, "check_record: ['k'] are annotated, but not options"),
    (TakesAnyForm, "check_record: form='no such thing' is not refused"),
    (RepeatsItself, "check_record: invariant_x: permutation follows"),
    (Pretender, "check_record: name: 'cka' is another measure's"),
    (StringRefs, "check_record: refs"),
    (NotANumberForOutputs, "check_hard_cases: both always right"),
    (UnspeakableDetails, "check_details"),
    (ListOption, "check_record"),
    (IgnoresSecondLabels, "check_pairing"),
]
