"""How far a score may be from an independent computation, fixed before any run.

    delta = 16 eps (n + d) condition

- eps is that of float64 for float64 input and of float32 otherwise: float16 is widened
  to float32 before any sum. n and d are the rows and the columns of the wider side.
- The condition is the amplification of a relative rounding error of the input by the
  definition of the measure, `conditions` has one function per class of measures.
- 16 covers the constants of both computations; sums of n terms lose at most n eps.

A score that is a smooth function of sums and quotients may differ by delta times its
size. An angle arccos(c) near 0, and a root of a difference near 0, amplify an error of
their argument without bound, so their tolerance is that of the argument.

No tolerance is above 1e-3 of the score, or above 1e-3 if the score is below 1. With
float32, or at a large offset, delta alone may be larger than the score.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

LOOSEST = 1e-3  # of the score
Form = Literal["plain", "angle", "root"]
Condition = Callable[[Any, Any, Any], float]


def delta(dtype: str, n: int, d: int, condition: float = 1.0) -> float:
    """The largest relative rounding error that is allowed."""
    eps = float(np.finfo("float64" if dtype == "float64" else "float32").eps)
    return 16 * eps * (n + d) * condition


def tolerance(error: float, value: float, form: Form, size: float = 1.0) -> float:
    """The largest deviation of a score of this value; `error` is a `delta`.

    `size` is the size of the terms from which the score is computed: of the two norms
    if the score is the root of a difference of squares.
    """
    if form == "angle":
        steep = abs(float(np.sin(value)))
        return 2 * min(error / steep if steep else np.inf, float(np.sqrt(2 * error)))
    if form == "root":
        most = error * size**2
        return min(most / abs(value) if value else np.inf, float(np.sqrt(most)))
    return error * max(size, abs(value))


@dataclass(frozen=True)
class Law:
    """The class of a measure: its condition, its form, and the size of its terms."""

    condition: Condition
    form: Callable[[Any], Form] = lambda measure: "plain"
    size: Condition = lambda measure, x, y: 1.0
