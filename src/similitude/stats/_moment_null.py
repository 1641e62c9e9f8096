"""The null distribution of a score, from its exact moments over all row orders."""

import math

from ..errors import Undefined
from ..measures import Measure
from ._null import Null, calibrate, pearson3

# The null distribution is close to a weighted sum of squared normal variables. Its
# skewness is between 0 and that of a single square, 2.83. A much larger skewness means
# that a few rows outweigh all others. Scores then form a few clusters, and no smooth
# distribution fits: the share of p <= 0.05 is up to 0.8. Within these bounds it is
# 0.01 to 0.06 for normal, sparse, binary and heavy-tailed rows
# (benchmarks/closed_null.py).
_SKEWNESS = (-0.5, 3.5)


def law_fits(moments: tuple[float, float, float]) -> bool:
    """Whether a Pearson III distribution with these moments approximates the null."""
    return _SKEWNESS[0] <= moments[2] <= _SKEWNESS[1]


def closed_null(
    measure: Measure,
    score: float,
    moments: tuple[float, float, float],
    *,
    self_score: float | None = None,
) -> Null:
    """Compare `score` with the Pearson III distribution that has these moments.

    `moments` come from the measure's `null_moments`. The mean and standard deviation
    are exact over all n! orders; p and the 95 % quantile are those of the fitted
    distribution. No order is drawn, so `permutations` is 0.
    """
    if not law_fits(moments):
        raise Undefined(
            f"a few rows outweigh all others, so no Pearson III distribution fits the "
            f"null (skewness {moments[2]:.1f}). Draw 199 permutations instead."
        )
    sign = 1.0 if measure.claims().kind == "similarity" else -1.0
    q95 = pearson3_quantile(0.95 if sign > 0 else 0.05, moments)
    calibrated = calibrate(score, q95, self_score)
    p = pearson3(sign * score, sign, moments)
    sd = math.sqrt(moments[1])
    return Null(moments[0], sd, q95, p, calibrated, 0, "pearson3")


def pearson3_quantile(q: float, moments: tuple[float, float, float]) -> float:
    """The quantile q of the Pearson III distribution with these moments."""
    import scipy

    mean, variance, skewness = moments
    if abs(skewness) < 1e-3:  # the gamma quantile would lose digits
        z = float(scipy.special.ndtri(q))
        standard = z + (z * z - 1.0) * skewness / 6.0
    else:
        shape = 4.0 / skewness**2
        level = q if skewness > 0 else 1.0 - q
        gamma = float(scipy.special.gammaincinv(shape, level))
        standard = math.copysign(1.0, skewness) * (gamma - shape) / math.sqrt(shape)
    return mean + math.sqrt(variance) * standard
