"""Rank agreement of two tables of pairwise scores."""

import numpy as np

from .. import _linalg
from .._base._seed import Rng, as_seed
from ..errors import InvalidInput, Undefined


def agreement(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman correlation of two K x K tables over all ordered pairs.

    If one table holds distances and the other similarities, agreement is negative.
    """
    x, y = _pairs(first, second)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        raise Undefined("all pairs have the same score in one table: no rank order.")
    return _linalg.rank_correlation(x, y)


def mantel(
    first: np.ndarray, second: np.ndarray, *, permutations: int = 999, rng: Rng = 0
) -> tuple[float, float]:
    """Mantel test: `agreement`, and a p-value from relabeling the objects of one table.

    The entries of a table are not independent: each object is in K - 1 of them. An
    ordinary test of a correlation would give p-values that are too small. Two-sided.
    """
    observed = agreement(first, second)
    generator, k = np.random.default_rng(as_seed(rng)), len(first)
    extreme = 0
    for _ in range(permutations):
        order = generator.permutation(k)
        relabeled = np.asarray(second)[np.ix_(order, order)]
        extreme += abs(agreement(first, relabeled)) >= abs(observed) - 1e-12
    return observed, (1 + extreme) / (permutations + 1)


def _pairs(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    k = len(first)
    if first.shape != (k, k) or second.shape != (k, k) or k < 3:
        raise InvalidInput(
            f"first and second must be square tables of the same 3 or more objects; "
            f"got shapes {first.shape} and {second.shape}."
        )
    # In symmetric tables each pair counts twice. Rank correlations do not change.
    off_diagonal = ~np.eye(k, dtype=bool)
    x, y = first[off_diagonal], second[off_diagonal]
    finite = np.isfinite(x) & np.isfinite(y)
    if not finite.all():
        raise InvalidInput(
            f"{(~finite).sum()} of {len(finite)} pairs have no score in one of the "
            f"tables. Remove the objects that cannot be compared."
        )
    return x, y
