"""Cases of `interval_coverage.py` that `compare` does not print: differences.

`stats.difference` compares two scores over the same rows. Tables of stitching print the
difference of two accuracies over the same test rows, or over seeds, which is the t
interval of all tables of the lab too.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from similitude import stats
from similitude.latent.stitching._results import interval


@dataclass(frozen=True)
class Direct:
    """A name, a true value, and the interval fields of one draw."""

    name: str
    truth: float
    interval: Callable[[int], dict[str, Any]]


# Of `stats.difference`, which takes any measure; for equal similarities.
OTHERS = (
    *("linear_regression", "rsa", "procrustes", "mean_cca"),
    *("distance_correlation", "mutual_knn"),
)


def difference_cases() -> Iterator[Direct]:
    """s(a, b) - s(a, c) with a common a, for equal and for different similarities."""
    for n, d in ((40, 5), (100, 5), (100, 30), (300, 10)):
        for noise in (1.0, 2.0):
            # b = a + e, c = a + noise f: the CKA of isotropic columns is known.
            truth = 0.5 - 1 / (1 + noise**2)
            name = f"difference of cka {truth:.2g}, d {d}, n {n}"
            yield Direct(name, truth, partial(_difference, "cka", n, d, noise))
    for measure in OTHERS:
        name = f"difference of {measure} 0, d 5, n 100"
        yield Direct(name, 0.0, partial(_difference, measure, 100, 5, 1.0))


def _difference(
    measure: str, n: int, d: int, noise: float, seed: int
) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    a, e, f = (rng.normal(size=(n, d)) for _ in range(3))
    pairs = (a, a + e), (a, a + noise * f)
    found = stats.difference(measure, *pairs, rng=seed)
    ends = found.interval
    fields = {"score": found.value, "low": ends.low, "high": ends.high}
    return fields | {"interval_method": ends.method}


def stitching_cases() -> Iterator[Direct]:
    """Accuracy minus that at home, in percent: lost and gained test rows, or seeds."""
    for n in (100, 500, 2000):
        for lost, gained in ((0.01, 0.0), (0.02, 0.01), (0.1, 0.05), (0.4, 0.3)):
            name = f"stitching, {lost:.0%} lost, {gained:.0%} gained, {n} test rows"
            truth = 100 * (gained - lost)
            yield Direct(name, truth, partial(_test_rows, n, lost, gained))
    for seeds in (3, 5, 10):
        for law in ("normal", "skewed"):
            name = f"stitching, {law} differences of {seeds} seeds"
            yield Direct(name, -5.0, partial(_seeds, seeds, law))


def _test_rows(n: int, lost: float, gained: float, seed: int) -> dict[str, Any]:
    u = np.random.default_rng(seed).uniform(size=n)
    return _ends(100 * ((u > 1 - gained).astype(float) - (u < lost)), percent=True)


def _seeds(count: int, law: str, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=count) if law == "normal" else 1 - rng.exponential(1, count)
    return _ends(2 * noise - 5)


def _ends(gaps: np.ndarray, *, percent: bool = False) -> dict[str, Any]:
    mean, low, high = interval(gaps, 0.95, percent=percent)
    ends = {"low": low, "high": high, "interval_method": "t"}
    return {"score": mean, **ends}
