"""The arrays on which the measures are compared with independent computations.

Rows of both sides share a signal of four dimensions, so that scores are far from 0 and
from 1. Each case changes one thing about the first case, "n > d".
"""

from typing import Any

import numpy as np

from similitude import Outputs, SoftmaxModel

OFFSET = 1e6  # of "large offset", relative to a spread of 1
POINTS = (
    "n > d",
    "n < d",
    "unequal d",
    "rank-deficient",
    "dead units",
    "duplicates",
    "float32",
    "float16",
    "large offset",
    "constant",
)
CASES = {
    "points": POINTS,
    "outputs": ("n > d", "n < d", "duplicates", "float32", "float16", "constant"),
    "softmax": ("n > d", "duplicates", "float32", "float16", "large offset"),
}
QUICK = ("n > d", "n < d", "duplicates", "float32", "constant")
CLASSES, INPUTS, LABELS, DIMENSION = 4, 600, 5, 2


def pair(
    domain: str, case: str, seed: int, *, same_columns: bool = False, small: bool
) -> tuple[Any, Any]:
    """Both sides of a case, in the form that measures of this domain take.

    `small` has 11 rows, for formulas whose work grows exponentially.
    """
    rng = np.random.default_rng([39, seed, POINTS.index(case)])
    if domain == "outputs":
        return _outputs(rng, case)
    if domain == "softmax":
        return _models(rng, case)
    x, y = _points(rng, case, same_columns=same_columns, rows=11 if small else 40)
    dtype = case if case.startswith("float") else "float64"
    return x.astype(dtype), y.astype(dtype)


def _points(
    rng: np.random.Generator, case: str, *, same_columns: bool, rows: int
) -> tuple[np.ndarray, np.ndarray]:
    n, d_x, d_y = rows, 6, 6
    if case == "n < d":
        n, d_x, d_y = min(rows, 16), 24, 20
    elif case == "unequal d":
        d_x, d_y = 5, 8
    if same_columns:
        d_y = d_x
    signal = rng.normal(size=(n, 4))
    x, y = (
        signal @ rng.normal(size=(4, d)) + rng.normal(size=(n, d)) + rng.normal(size=d)
        for d in (d_x, d_y)
    )
    if case == "rank-deficient":
        x, y = (v[:, :3] @ rng.normal(size=(3, v.shape[1])) for v in (x, y))
    elif case == "dead units":
        x[:, 1], y[:, [0, 3]] = 2.0, 0.0
    elif case == "duplicates":
        x[n // 2 :], y[n // 2 :] = x[: n - n // 2], y[: n - n // 2]
    elif case == "large offset":
        x, y = x + OFFSET, y - OFFSET
    elif case == "constant":
        y[:] = np.arange(1.0, d_y + 1.0)  # means of integers are exact
    return x, y


def _outputs(rng: np.random.Generator, case: str) -> tuple[Outputs, Outputs]:
    n, classes = (12, 30) if case == "n < d" else (60, CLASSES)
    targets = rng.integers(classes, size=n)
    logits = [rng.normal(size=(n, classes)) for _ in range(2)]
    logits = [v + 1.5 * np.eye(classes)[targets] for v in logits]
    if case == "duplicates":
        half = np.arange(n) % (n // 2)
        targets, logits = targets[half], [v[half] for v in logits]
    if case == "constant":  # always right, and certain of it
        certain = np.where(np.eye(classes)[targets] == 1, 0.0, -np.inf)
        return Outputs(certain, targets=targets), Outputs(certain, targets=targets)
    logs = [v - np.log(np.exp(v).sum(axis=1, keepdims=True)) for v in logits]
    if case.startswith("float"):
        logs = [v.astype(case) for v in logs]
    x, y = (Outputs(v, targets=targets) for v in logs)
    return x, y


def _models(rng: np.random.Generator, case: str) -> tuple[SoftmaxModel, SoftmaxModel]:
    f = rng.normal(size=(INPUTS, DIMENSION)) + 0.3
    g = 1.5 * rng.normal(size=(LABELS, DIMENSION))
    sides = []
    for _ in range(2):
        own_f = f + 0.3 * rng.normal(size=f.shape)
        own_g = g + 0.3 * rng.normal(size=g.shape)
        if case == "duplicates":
            own_f = own_f[np.arange(INPUTS) % (INPUTS // 2)]
        elif case == "large offset":  # a shift of all labels changes no probability
            own_g = own_g + 1e3
        if case.startswith("float"):
            own_f, own_g = own_f.astype(case), own_g.astype(case)
        sides.append(SoftmaxModel(own_f, own_g))
    return sides[0], sides[1]
