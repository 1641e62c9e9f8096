"""Which intervals may be printed: those whose coverage has been shown."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from .. import _array
from ..errors import Undefined
from ..inputs import points
from ..measures import Measure
from ._jackknife import Interval
from ._share import share_interval
from ._shifted import LeftOut, Worth, merged, shifted_interval

# Each is simulated against a known truth in tests/stats, and more of it in
# benchmarks/interval_coverage.py. What is missing here depends on n itself (neighbours,
# topology, a ridge, folds), or has a bias that grows with d / n until no interval holds
# (Procrustes: 28 % at 20 + 30 columns and 200 rows), or is not smooth where canonical
# correlations vanish (CCA: 82 %), or falls just short (RSA 92 %, RBF CKA 91 %).
_SHOWN: dict[str, dict[str, set[Any]]] = {
    "cka": {"kernel": {"linear"}, "estimator": {"unbiased"}},
    "linear_regression": {"ridge": {0.0}, "cross_validated": {False}},
    "disagreement": {"form": {"share"}},
}
# Below these an interval that is shown elsewhere falls short: independent rows, and
# independent rows for each direction. Blocks cost more, since what they bias is large
# before it is taken off.
_ROWS = {"cka": 20, "linear_regression": 30, "disagreement": 1}
_ROWS_EACH = {"cka": 0, "linear_regression": 3, "disagreement": 0}
_IN_BLOCKS = {"cka": 40, "linear_regression": 40, "disagreement": 40}
_IN_BLOCKS_EACH = {"cka": 8, "linear_regression": 8, "disagreement": 0}
_ALONE, _ROWS_ALONE = 1.5, 100  # so few directions make CKA the square of one number


def covered(measure: Measure) -> bool:
    """Whether intervals of this measure, with these options, may be printed."""
    shown = _SHOWN.get(measure.name)
    return shown is not None and all(
        measure.options[option] in values for option, values in shown.items()
    )


def directions(measure: Measure, x: Any) -> float:
    """How many directions of x there are for chance to use.

    For a regression on x its rank. For CKA of rows with covariance C, the number of
    equal variances that would have the same tr(C^2)^3 / tr(C^3)^2: the skewness of
    the null is the root of 8 over the product of both sides'. Labels have 1.
    """
    if measure.name == "linear_regression":
        return float(measure.prepare(x).predictor.rank)
    if measure.name != "cka":
        return 1.0
    rows = np.asarray(_array.to_numpy(points(x).values), dtype=float)
    rows = rows - np.mean(rows, axis=0)
    rows /= np.max(np.abs(rows))
    n, d = rows.shape
    product = rows @ rows.T if n < d else rows.T @ rows
    square = product @ product
    return float(np.trace(square) ** 3 / np.sum(product * square) ** 2)


def too_few(measure: Measure, worth: Worth, *, x: float, y: float) -> str | None:
    """Why the interval has not been shown to cover, or None.

    `x` and `y` are the `directions` of the two sides.
    """
    name, many = measure.name, _shared(measure, x, y)
    least, each = (_ROWS, _ROWS_EACH)
    if worth.in_blocks:
        least, each = (_IN_BLOCKS, _IN_BLOCKS_EACH)
    needed = math.ceil(max(least[name], each[name] * many) - 1e-9)
    if name == "cka" and many < _ALONE:
        needed = max(needed, _ROWS_ALONE)
    if worth.rows >= needed - 1e-9:
        return None
    if worth.in_blocks:
        return (
            f"an interval needs blocks that are worth {needed} independent rows here; "
            f"these are worth {worth.rows:.3g}."
        )
    return f"an interval needs {needed} rows here; there are {worth.rows:g}."


def interval_of(measure: Measure, left: LeftOut, *, x: float, y: float) -> Interval:
    """The interval that may be printed; `x` and `y` are the sides' `directions`.

    It ends where what it is of does: an R^2 without the bias of its fit, as an unbiased
    CKA, may be below 0.

    Raises
    ------
    Undefined
        With the reason, where none may be.
    """
    if not covered(measure):
        raise Undefined(f"no interval of {measure.label} has been shown to cover.")
    if doubt := too_few(measure, left.worth, x=x, y=y):
        raise Undefined(doubt)
    if measure.name == "disagreement":
        return share_interval(left)
    rows = left.worth.rows
    if measure.name == "linear_regression":
        found = shifted_interval(_adjusted(left, x), x / (rows - 1 - x))
        return replace(found, method=f"{found.method}, bias-corrected")
    if measure.options["form"] == "angular":
        left = _cosines(left)
    found = shifted_interval(left, _shared(measure, x, y) / rows)
    if left.worth.in_blocks:
        found = replace(found, method=f"{found.method}, corrected for blocks")
    low, high = (min(max(v, -1.0), 1.0) for v in (found.low, found.high))
    if measure.options["form"] == "angular":
        low, high = math.acos(high), math.acos(low)
    return replace(found, low=low, high=high)


def _shared(measure: Measure, x: float, y: float) -> float:
    """Directions of both sides that chance can bring together."""
    return math.sqrt(x * y) if measure.name == "cka" else x


def _adjusted(left: LeftOut, rank: float) -> LeftOut:
    """R^2 without what as many columns explain of noise."""
    sizes = left.worth.sizes
    n = float(np.sum(sizes))
    rest = n - merged(sizes[: 2 * len(left.two)])

    def adjusted(score: Any, rows: Any) -> Any:
        return 1 - (1 - score) * (rows - 1) / (rows - 1 - rank)

    return replace(
        left,
        score=float(adjusted(left.score, n)),
        one=adjusted(left.one, n - sizes),
        two=adjusted(left.two, rest),
    )


def _cosines(left: LeftOut) -> LeftOut:
    return replace(
        left,
        score=math.cos(left.score),
        one=np.cos(left.one),
        two=np.cos(left.two),
    )
