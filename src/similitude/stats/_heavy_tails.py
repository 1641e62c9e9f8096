r"""How far an interval reaches if a few rows carry the error, or if bias remains.

Student's interval assumes that the scores without one group deviate like normal values
and that the score has no bias. Both fail if a few rows outweigh the others: the
variance is estimated from these rows alone, and a sample without them would move the
score in one direction. The jackknife shows three signs of this. Let d_g be the
deviations of the G scores without one group.

- Their kurtosis k. The relative variance of the variance estimate is (k - 1) / G. That
  of a chi-squared variable with f degrees of freedom is 2 / f, so f = 2 G / (k - 1).
  The kurtosis of 20 values is itself too small if tails are heavy, so f is halved.
- Their skewness q. By the Cornish-Fisher expansion of Student's t, the end on the side
  of the skewness moves by (2 t^2 + 1) q / (6 sqrt(G)) standard errors.
- The bias b = (G - 1) (mean of the scores without one group - score). The jackknife
  assumes that bias falls like 1 / n. With heavy tails it falls like n^-c with c < 1,
  and b is only the share c of it. In simulations of log-normal rows the bias was on
  average 1.3 to 4 times b, and more in samples without their largest rows. The end on
  the side of the true value moves by max(4, 2 k) times b.

Rows may also be few. A class with the share 3 / n of the stimuli is absent from 5 % of
samples of n rows, and one that both representations separate raises the score. If its
rows count 8.5 times as much as others, it moves the score by 3 / n times 8.5 standard
deviations of a row. That is sqrt(150 / n) times Student's reach, so with n < 150 rows
the upper end of the interval of a score is at least that far away.

Without a sign nothing changes: the interval is Student's unless k or abs(q) is larger
than in 95 % of samples of 20 normal values, or b is larger than its own noise. The
interval is never narrower than Student's. Heavy tails widen an interval, but do not
withhold it: among samples of one heavy-tailed population, those without its largest
rows look ordinary and miss. If only these were printed, most printed intervals would
miss.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from ._jackknife import quantile

_ROUNDING = 1e-12  # deviations of identical representations are rounding errors
_FEW = 150  # rows; fewer often lack a class that matters
_LARGE_KURTOSIS = 4.17  # exceeded by 5 % of samples of 20 normal values
_LARGE_SKEWNESS = 0.95  # exceeded by 5 % of samples of 20 normal values
_LARGE_BIAS = 0.15  # in standard errors; a smaller bias costs less than 1 % coverage
_BIAS_PER_KURTOSIS = 2.0
_SMALLEST_BIAS_FACTOR = 4.0


@dataclass(frozen=True)
class Reach:
    """How far the interval reaches below and above, in standard errors; and why."""

    below: float
    above: float
    signs: str = ""  # the numbers that make it longer than Student's
    bias: float = field(default=0.0, compare=False)
    student: float = 0.0  # the reach without any sign

    @property
    def reason(self) -> str:
        if not self.signs:
            return ""
        times = (self.below + self.above) / (2 * self.student)
        return (
            f"a few rows carry much of the score, so the interval is {times:.2g} times "
            f"as wide as usual ({self.signs})."
        )


def reach(
    deviations: np.ndarray, *, bias: float, quadratic: float, rows: float = math.inf
) -> Reach:
    """The reach of a 95 % interval; Student's quantile without any sign.

    Parameters
    ----------
    deviations
        For each group, the mean of the scores without one group minus the score
        without this group.
    bias
        The jackknife's estimate of the bias, in standard errors.
    quadratic
        The share of the variance that is due to the quadratic part of the score.
    rows
        The number of independent rows, for the interval of a similarity.
    """
    count = len(deviations)
    student = quantile(0.975, count - 1)
    spread = math.sqrt(np.mean(deviations**2))
    if spread < _ROUNDING:
        return Reach(student, student, student=student)
    scaled = deviations / spread
    kurtosis, skewness = float(np.mean(scaled**4)), float(np.mean(scaled**3))
    heavy = kurtosis > _LARGE_KURTOSIS
    # The quadratic part of the score makes b noisy. In samples of normal rows b was
    # smaller than the root of its share in 98 % of samples.
    biased = abs(bias) > max(_LARGE_BIAS, math.sqrt(quadratic))
    skewed = abs(skewness) > _LARGE_SKEWNESS
    unseen = student * max(_FEW / rows, 1.0) ** 0.5
    if not heavy and not biased and not skewed:
        return Reach(student, unseen, bias=bias, student=student)
    degrees = max(count / (kurtosis - 1), 1.0) if heavy else count - 1
    both = max(quantile(0.975, degrees), student)
    tilt = (2 * student**2 + 1) / 6 * skewness / math.sqrt(count)
    drift = max(_SMALLEST_BIAS_FACTOR, _BIAS_PER_KURTOSIS * kurtosis) * bias
    below = both + max(-tilt, 0.0) + max(drift, 0.0)
    above = max(both + max(tilt, 0.0) + max(-drift, 0.0), unseen)
    signs = (
        f"{count} groups: kurtosis {kurtosis:.2g}, skewness {skewness:.2g}, bias "
        f"{bias:.2g} standard errors"
    )
    return Reach(below, above, signs, bias, student)
