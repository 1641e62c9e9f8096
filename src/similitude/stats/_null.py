r"""The null distribution of a score when the rows are paired at random.

This test is only a sanity check. Two networks that saw the same inputs pass it, even
if untrained. To interpret a score, compare it with baselines: an untrained twin or
another seed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base import _validate
from .._base._seed import Rng, as_seed
from ..errors import InvalidInput, Undefined
from ..measures import Measure

__all__ = ["Null", "null", "null_scores", "orders"]


@dataclass(frozen=True)
class Null:
    """Summary of a null distribution, with the p-value of a score.

    Attributes
    ----------
    mean, sd
        Mean and standard deviation of the null scores.
    q95
        The 95 % quantile in the direction of similarity: for a distance, the 5 %
        quantile.
    p
        (1 + number of null scores at least as similar) / (B + 1). If that is too coarse
        and the moments of the null are known, p is computed from the moments.
    calibrated
        (s - q95) / (s_self - q95): 0 for a score at q95, 1 for identity.
    permutations
        B, the number of permutations.
    p_method
        "permutation" or "pearson3".
    """

    mean: float
    sd: float
    q95: float
    p: float
    calibrated: float | None
    permutations: int
    p_method: str


def orders(
    n: int,
    count: int,
    rng: Rng,
    blocks: Sequence[Any] | np.ndarray | None = None,
    *,
    within: Sequence[Any] | np.ndarray | None = None,
) -> np.ndarray:
    """Random orders of n rows, count x n; rows of one block stay together.

    A block only changes places with blocks of the same size. The order of rows within
    a block is kept, since they are not assumed to be exchangeable. With `within`, n
    labels, rows and blocks only change places with others of the same labels.
    """
    _validate.check_at_least("count", count, 1)
    generator = np.random.default_rng(as_seed(rng))
    if blocks is None and within is None:
        return np.stack([generator.permutation(n) for _ in range(count)])
    labels = np.arange(n) if blocks is None else np.asarray(blocks)
    _, labels = np.unique(labels, return_inverse=True)
    classes = np.zeros(n) if within is None else np.asarray(within)
    in_order = np.argsort(labels, kind="stable")
    members = np.split(in_order, np.flatnonzero(np.diff(labels[in_order])) + 1)
    alike: dict[Any, list[np.ndarray]] = {}
    for rows in members:
        alike.setdefault(tuple(classes[rows].tolist()), []).append(rows)
    if all(len(same_size) == 1 for same_size in alike.values()):
        raise Undefined(
            "no two blocks have the same number of rows, so none can be permuted. "
            "Use blocks of equal size, or permutations=0."
        )
    result = np.tile(np.arange(n), (count, 1))
    for order in result:
        for same_size in alike.values():
            chosen = generator.permutation(len(same_size))
            for rows, source in zip(same_size, chosen, strict=True):
                order[rows] = same_size[source]
    return result


def null_scores(
    measure: Measure, p: Any, q: Any, orders: np.ndarray, *, y: Any, seed: Any = None
) -> np.ndarray:
    """Scores of p with the rows of q in each order.

    `q` is prepared from `y`. If the measure cannot permute `q`, the rows of `y` are
    permuted and prepared again.
    """
    from ..representation import take_rows

    if measure.offers("permute"):
        return np.asarray(measure.null(p, q, orders), dtype=float)
    permuted = (measure.prepare(take_rows(y, order), seed) for order in orders)
    return np.array([float(measure.compare(p, r)) for r in permuted])


def null(
    measure: Measure,
    score: float,
    scores: np.ndarray,
    *,
    self_score: float | None = None,
    moments: tuple[float, float, float] | None = None,
) -> Null:
    """Compare `score` with the null `scores`, in the direction of `kind`.

    `moments` come from the measure's `null_moments`. They refine p below 10 / (B + 1),
    where few null scores are at least as similar.
    """
    claims = measure.claims()
    if not claims.paired:
        raise InvalidInput(
            f"{measure.name} does not pair rows, so it does not have a permutation "
            f"null. Use a measure that pairs rows."
        )
    sign = 1.0 if claims.kind == "similarity" else -1.0
    count = len(scores)
    if not (math.isfinite(score) and np.all(np.isfinite(scores))):
        raise Undefined(
            f"no p-value: the score is {score:.3g}, and {np.sum(~np.isfinite(scores))} "
            f"of {count} null scores are not finite."
        )
    # Scores that differ only by rounding count as at least as similar. The tolerance
    # is absolute for bounded scores; scores that scale with the data may all be tiny.
    bounded = all(map(math.isfinite, claims.range))
    largest = max(abs(score), float(np.max(np.abs(scores))))
    slack = 1e-12 * (max(1.0, largest) if bounded else largest)
    above = int(np.sum(sign * scores >= sign * score - slack))
    p, method = (1 + above) / (count + 1), "permutation"
    if moments is not None and p < 10 / (count + 1):
        p, method = pearson3(sign * score, sign, moments), "pearson3"
    q95 = float(np.quantile(scores, 0.95 if sign > 0 else 0.05))
    calibrated = calibrate(score, q95, self_score)
    sd = float(np.std(scores, ddof=1)) if count > 1 else 0.0
    return Null(float(np.mean(scores)), sd, q95, p, calibrated, count, method)


def calibrate(score: float, q95: float, self_score: float | None) -> float | None:
    """Scale a score: the null's 95 % quantile is 0, x compared with itself is 1."""
    if self_score is None or not math.isfinite(self_score) or self_score == q95:
        return None
    return (score - q95) / (self_score - q95)


def pearson3(score: float, sign: float, moments: tuple[float, float, float]) -> float:
    """Upper tail of the Pearson III distribution with the exact moments of the null.

    This is a gamma distribution, shifted and scaled to these moments. It is reflected
    if the skewness is negative, and normal if the skewness is 0.
    """
    import scipy

    mean, variance, skewness = moments
    if variance <= 0:
        return 1.0
    standard = (score - sign * mean) / math.sqrt(variance)
    skewness *= sign
    if abs(skewness) < 1e-5:
        return float(scipy.special.ndtr(-standard))
    shape = 4.0 / skewness**2
    at = max(0.0, shape + math.copysign(math.sqrt(shape), skewness) * standard)
    tail = scipy.special.gammaincc if skewness > 0 else scipy.special.gammainc
    return float(tail(shape, at))
