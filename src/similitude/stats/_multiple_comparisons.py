"""Multiple comparisons: false discovery rate, and the maximum over several layers."""

import numpy as np

from ..errors import InvalidInput


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """q-values: rejecting q < 0.05 controls the false discovery rate at 5 %.

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
    """Compare the maximum score over layers with its null distribution.

    The maximum rises with the number of layers, even for unrelated networks. The null
    is the maximum over the same layers for each permutation. All columns of `nulls`
    must therefore use the same permutations.

    Parameters
    ----------
    scores
        L scores, one per layer or pair of layers.
    nulls
        B x L; row b holds the scores of all layers under permutation b.
    self_score
        The score of a representation with itself.

    Returns
    -------
    best, calibrated, p
        The best raw score; (best - tau) / (self - tau) with tau the 95 % quantile of
        the null maxima; (1 + number of null maxima at least as similar) / (B + 1).
    """
    scores, nulls = np.asarray(scores, dtype=float), np.asarray(nulls, dtype=float)
    if nulls.ndim != 2 or nulls.shape[1] != len(scores):
        raise InvalidInput(
            f"nulls must have shape permutations x {len(scores)}, with the same "
            f"permutations for all layers; got shape {nulls.shape}."
        )
    sign = 1.0 if similarity else -1.0
    best, maxima = np.max(sign * scores), np.max(sign * nulls, axis=1)
    tau = np.quantile(maxima, 0.95)
    calibrated = (best - tau) / (sign * self_score - tau)
    # Scores that differ only by rounding count as at least as similar.
    slack = 1e-12 * max(abs(best), np.max(np.abs(maxima)))
    p = (1 + np.sum(maxima >= best - slack)) / (len(maxima) + 1)
    return float(sign * best), float(calibrated), float(p)
