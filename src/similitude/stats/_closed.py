"""The null of a score from the exact moments of all orders of rows."""

import math

from ..errors import Undefined
from ..measures import Measure
from ._null import Null, calibrate, pearson3

# A sum of squares of normal numbers, which the score of random orders comes close to,
# has a skewness between 0 and that of a single one, 2.83. Far beyond, a few rows
# outweigh all others, and scores lie in a few heaps that no smooth law describes: the
# share of p <= 0.05 is then up to 0.8. Within these bounds it is 0.01 to 0.06 for
# normal, sparse, binary and heavy-tailed rows (benchmarks/closed_null.py).
_SKEWNESS = (-0.5, 3.5)


def law_fits(moments: tuple[float, float, float]) -> bool:
    """Whether a Pearson III law with these moments may stand for the orders of rows."""
    return _SKEWNESS[0] <= moments[2] <= _SKEWNESS[1]


def closed_null(
    measure: Measure,
    score: float,
    moments: tuple[float, float, float],
    *,
    self_score: float | None = None,
) -> Null:
    """Where `score` stands in the Pearson III law with these moments.

    `moments` are those of the measure's `null_moments`: mean and standard deviation are
    then exact, over all n! orders; p and the 95 % quantile are those of the law. No
    order is drawn, so `permutations` is 0.
    """
    if not law_fits(moments):
        raise Undefined(
            f"a few rows outweigh all others, so that no law describes random orders "
            f"(skewness {moments[2]:.1f}); count them with --permutations 199."
        )
    sign = 1.0 if measure.claims().kind == "similarity" else -1.0
    q95 = pearson3_quantile(0.95 if sign > 0 else 0.05, moments)
    calibrated = calibrate(score, q95, self_score)
    p = pearson3(sign * score, sign, moments)
    sd = math.sqrt(moments[1])
    return Null(moments[0], sd, q95, p, calibrated, 0, "pearson3")


def pearson3_quantile(q: float, moments: tuple[float, float, float]) -> float:
    """Where the Pearson III law with these moments has the share q below it."""
    import scipy

    mean, variance, skewness = moments
    if abs(skewness) < 1e-3:  # the gamma law's quantile would lose digits
        z = float(scipy.special.ndtri(q))
        standard = z + (z * z - 1.0) * skewness / 6.0
    else:
        shape = 4.0 / skewness**2
        turned = q if skewness > 0 else 1.0 - q
        gamma = float(scipy.special.gammaincinv(shape, turned))
        standard = math.copysign(1.0, skewness) * (gamma - shape) / math.sqrt(shape)
    return mean + math.sqrt(variance) * standard
