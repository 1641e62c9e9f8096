"""Many scores at once: false discoveries, and the best of several layers."""

import numpy as np

from ..errors import InvalidInput


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """q-values: reject those below 0.05, and 5 % of what is rejected is false.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03, 0.5]))
    array([0.04      , 0.05333333, 0.05333333, 0.5       ])
    """
    p = np.asarray(p, dtype=float)
    if p.ndim != 1 or np.any(~((p >= 0) & (p <= 1))):
        raise InvalidInput("p must be a 1-d array of probabilities.")
    if len(p) == 0:
        return p
    order = np.argsort(p)
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty_like(p)
    q[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return q


def calibrated_maximum(
    scores: np.ndarray, nulls: np.ndarray, self_score: float, *, similarity: bool = True
) -> tuple[float, float, float]:
    """The best of several layers, against the best of as many random ones.

    The maximum over layers rises with their number, also among unrelated networks. The
    null is the maximum over the same layers for each permutation, so `nulls` must be
    made with the same orders for all of them.

    Parameters
    ----------
    scores
        L scores, one per layer or pair of layers.
    nulls
        B x L, row b of all layers under the same permutation.
    self_score
        What a representation scores with itself.

    Returns
    -------
    best, calibrated, p
        The best raw score; (best - tau) / (self - tau) with tau the 95 % quantile of
        the null maxima; the share of null maxima at least as similar.
    """
    scores, nulls = np.asarray(scores, dtype=float), np.asarray(nulls, dtype=float)
    if nulls.ndim != 2 or nulls.shape[1] != len(scores):
        raise InvalidInput(
            f"nulls must be permutations x {len(scores)} layers, the same permutations "
            f"for all layers; got shape {nulls.shape}."
        )
    sign = 1.0 if similarity else -1.0
    best, maxima = np.max(sign * scores), np.max(sign * nulls, axis=1)
    tau = np.quantile(maxima, 0.95)
    calibrated = (best - tau) / (sign * self_score - tau)
    # Equal up to rounding is at least as similar: the same sums in another order.
    slack = 1e-12 * max(abs(best), np.max(np.abs(maxima)))
    p = (1 + np.sum(maxima >= best - slack)) / (len(maxima) + 1)
    return float(sign * best), float(calibrated), float(p)
