r"""What a score would be if rows had been paired at random.

It is a sanity check, not a headline: two networks that merely saw the same inputs pass
it. What a score means is told by baselines: an untrained twin, another seed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _validate
from .._seed import Rng, as_seed
from ..errors import InvalidInput, Undefined
from ..measures import Measure

__all__ = ["Null", "null", "null_scores", "orders"]


@dataclass(frozen=True)
class Null:
    """The scores of random pairings, and where the score stands among them.

    Attributes
    ----------
    mean, sd
        Of the null scores.
    q95
        The 95 % quantile toward similarity: the 5 % quantile of a distance.
    p
        (1 + number of null scores at least as similar) / (B + 1); from the closed
        moments of the null where that is too coarse and they are known.
    calibrated
        (s - q95) / (s_self - q95): 0 at the edge of chance, 1 for identity.
    permutations
        B.
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
    n: int, count: int, rng: Rng, blocks: Sequence[Any] | np.ndarray | None = None
) -> np.ndarray:
    """Random orders of n rows, count x n; rows of one block stay together.

    A block changes places with blocks of its own size only, and keeps the order of its
    rows, since nothing is assumed of the rows within it.
    """
    _validate.check_at_least("count", count, 1)
    generator = np.random.default_rng(as_seed(rng))
    if blocks is None:
        return np.stack([generator.permutation(n) for _ in range(count)])
    _, labels = np.unique(np.asarray(blocks), return_inverse=True)
    members = [np.flatnonzero(labels == label) for label in range(labels.max() + 1)]
    by_size: dict[int, list[np.ndarray]] = {}
    for rows in members:
        by_size.setdefault(len(rows), []).append(rows)
    if all(len(alike) == 1 for alike in by_size.values()):
        raise Undefined(
            "no two blocks have the same number of rows, so that none can change "
            "places. Make blocks of equal size, or leave the permutations out."
        )
    result = np.tile(np.arange(n), (count, 1))
    for order in result:
        for alike in by_size.values():
            chosen = generator.permutation(len(alike))
            for rows, source in zip(alike, chosen, strict=True):
                order[rows] = alike[source]
    return result


def null_scores(
    measure: Measure, p: Any, q: Any, orders: np.ndarray, *, y: Any, seed: Any = None
) -> np.ndarray:
    """Scores of p with the rows of q in each order.

    `q` is prepared from `y`; where the measure cannot reorder what is prepared, `y`
    is reordered and prepared again.
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
    """Where `score` stands among the null `scores`, in the direction of `kind`.

    `moments` are those of the measure's `null_moments`; they refine a p below
    10 / (B + 1), where counting has few scores to count.
    """
    claims = measure.claims()
    if not claims.paired:
        raise InvalidInput(
            f"{measure.name} does not pair rows, so that permuting them changes "
            f"nothing: it has no permutation null."
        )
    sign = 1.0 if claims.kind == "similarity" else -1.0
    count = len(scores)
    if not (math.isfinite(score) and np.all(np.isfinite(scores))):
        raise Undefined(
            f"{int(np.sum(~np.isfinite(scores)))} of {count} random pairings have no "
            f"finite score, so that there is nothing to count."
        )
    # Equal up to rounding is at least as similar: the same sums in another order.
    # Relative to the range, if there is one; scores that scale with the data may all
    # be tiny.
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
    """0 for the 95 % quantile of the null, 1 for the score of x with itself."""
    if self_score is None or not math.isfinite(self_score) or self_score == q95:
        return None
    return (score - q95) / (self_score - q95)


def pearson3(score: float, sign: float, moments: tuple[float, float, float]) -> float:
    """Upper tail of the Pearson III law with the exact moments of the null.

    A gamma law that is shifted and scaled to these moments, turned over where the
    skewness is negative, and the normal law where it is none.
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
