"""Measures with wrong or missing claims."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from contract.correct_measures import RIGHT, Correct
from similitude import Claims, Measure, Outputs
from similitude._base import _array
from similitude.inputs import points
from similitude.measures import Procrustes
from similitude.transformations import Group


class ClaimsTooMuch(Correct):
    def claims(self):
        return replace(RIGHT.claims(), invariant_y=frozenset({Group.LINEAR}))


class ClaimsTooLittle(Correct):
    def claims(self):
        return replace(RIGHT.claims(), invariant_x=frozenset({Group.ROTATION}))


class NarrowRange(Correct):
    def claims(self):
        return replace(RIGHT.claims(), range=(0.0, 0.7))


class NotSymmetric(Correct):
    """Depends on the order of the arguments, but claims symmetry."""

    def compare(self, p, q):
        return RIGHT.compare(p, q) * (1.0 - 1e-5 * abs(p[0, 0]))


class DeniesSymmetry(Correct):
    def claims(self):
        return replace(RIGHT.claims(), symmetric=False)


class Unpaired(Correct):
    def claims(self):
        return replace(RIGHT.claims(), paired=False)


class UnpairedNeedsEqualRows(Correct):
    """Compares sorted lengths, which is unpaired, but needs equal numbers of rows."""

    def claims(self):
        turned = frozenset({Group.ROTATION})
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


class FalseMetric(Correct):
    """A squared distance, which is not a metric."""

    def claims(self):
        return replace(Procrustes(form="squared").claims(), triangle=True)

    def compare(self, p, q):
        return Procrustes(form="squared").compare(p, q)


class DeniesTriangle(Correct):
    def claims(self):
        return replace(Procrustes(form="angular").claims(), triangle=False)

    def compare(self, p, q):
        return Procrustes(form="angular").compare(p, q)


class NotNearItself(Correct):
    """A distance that is not 0 from a representation to itself."""

    def claims(self):
        return Procrustes(form="euclidean").claims()

    def compare(self, p, q):
        return Procrustes(form="euclidean").compare(p, q) + 1e-4


class BelowTheRangeWithItself(Correct):
    """A similarity that claims to be 1 with itself, and is not."""

    def claims(self):
        return Procrustes(form="similarity").claims()

    def compare(self, p, q):
        return 0.99 * Procrustes(form="similarity").compare(p, q)


class DetailsNotJson(Correct):
    def details(self, p, q):
        return {"matrix": p}


@dataclass(frozen=True, kw_only=True)
class ListOption(Correct):
    layers: tuple = (1, 2)


@dataclass(frozen=True, kw_only=True)
class IgnoresSecondLabels(Measure):
    """A measure of outputs: the accuracy of x as a distance to y."""

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


class WrongIfWide(Correct):
    """Does not center if there are more columns than rows."""

    def prepare(self, x, seed=None):
        x = points(x)
        if x.d <= x.n:
            return RIGHT.prepare(x)
        return x.values * x.xp.arange(1, x.d + 1, dtype=x.values.dtype)


class RotationsOnly(Correct):
    """Not invariant to reflections, but claims to be."""

    def compare(self, p, q):
        if p.shape[1] != q.shape[1]:
            return RIGHT.compare(p, q)
        xp = _array.namespace(p, q)
        u, s, vt = xp.linalg.svd(_array.stop_gradient(p.T @ q), full_matrices=False)
        sign = float(xp.linalg.det(u @ vt))
        return xp.sum(xp.linalg.svdvals(p.T @ q)) - (1 - sign) * s[-1]


class OneMinusSimilarity(Correct):
    """One minus a cosine, which is not a metric."""

    def claims(self):
        euclidean = Procrustes(form="euclidean").claims()
        return replace(euclidean, range=(0.0, 1.0), triangle=True)

    def compare(self, p, q):
        return 1.0 - RIGHT.compare(p, q)


class NoDecorator(Correct):
    k: int = 5


@dataclass(frozen=True, kw_only=True)
class TakesAnyForm(Correct):
    form: Literal["a", "b"] = "a"

    def __post_init__(self):
        """Skips the check of the option types."""


@dataclass(frozen=True)
class PositionalOptions(Correct):
    k: int = 5


class RedundantClaim(Correct):
    def claims(self):
        atoms = RIGHT.claims().invariant_x | {Group.PERMUTATION}
        return replace(RIGHT.claims(), invariant_x=atoms)


class ComputesOnTheHost(Correct):
    """Claims to stay on the device, but copies all rows to the host."""

    def prepare(self, x, seed=None):
        x = points(x)
        host = _array.to_numpy(x.values)
        return RIGHT.prepare(_array.from_numpy(host, x.values))


class MakesArraysOnTheHost(Correct):
    """A new array without device= is on another device than the rows."""

    def prepare(self, x, seed=None):
        x = points(x)
        return RIGHT.prepare(x.values @ x.xp.eye(x.d, dtype=x.values.dtype))


class TakenName(Correct):
    name = "cka"


class StringRefs(Correct):
    refs = "none"


# Each measure with the check that must fail, and the start of its message.
WRONG_CLAIMS = [
    (ClaimsTooMuch, "check_invariances: claims linear of y"),
    (ClaimsTooLittle, "check_invariances: does not claim isotropic_scale of x"),
    (NarrowRange, "check_range"),
    (NotSymmetric, "check_symmetry"),
    (DeniesSymmetry, "check_symmetry"),
    (Unpaired, "check_pairing"),
    (UnpairedNeedsEqualRows, "check_pairing: unpaired, but 60 and 53 rows"),
    (FalseMetric, "check_triangle"),
    (DeniesTriangle, "check_triangle"),
    (NotNearItself, "check_self"),
    (BelowTheRangeWithItself, "check_self: draw 0: 0.99"),
    (WrongIfWide, "check_invariances: claims permutation of x"),
    (RotationsOnly, "check_invariances: claims permutation of x"),
    (OneMinusSimilarity, "check_triangle"),
    (NoDecorator, "check_record: ['k'] are annotated, but not options"),
    (PositionalOptions, "check_record: ['k'] are positional"),
    (TakesAnyForm, "check_record: form='no such thing' is not refused"),
    (RedundantClaim, "check_record: invariant_x: permutation follows"),
    (TakenName, "check_record: name: 'cka' is the name of another measure"),
    (StringRefs, "check_record: refs"),
    (ComputesOnTheHost, "check_device: claims on_device, but copies arrays of shape"),
    (MakesArraysOnTheHost, "check_device: arrays on device1 are not accepted: Val"),
    (DetailsNotJson, "check_details"),
    (ListOption, "check_record"),
    (IgnoresSecondLabels, "check_pairing"),
]
