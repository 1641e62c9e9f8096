"""Do two measures, or two tables, order the same pairs alike?"""

import numpy as np

from .._seed import Rng, as_seed
from ..errors import InvalidInput, Undefined


def agreement(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman correlation of two K x K tables over their pairs, in both orders.

    A distance and a similarity that agree give a negative one.
    """
    import scipy

    x, y = _pairs(first, second)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        raise Undefined("all pairs score the same in one table: there is no order.")
    return float(scipy.stats.spearmanr(x, y).statistic)


def mantel(
    first: np.ndarray, second: np.ndarray, *, permutations: int = 999, rng: Rng = 0
) -> tuple[float, float]:
    """Mantel's test: `agreement`, and a p-value from relabeling one table's objects.

    The entries of a table are not independent (each object is in K - 1 of them), so an
    ordinary test of a correlation would be far too sure. Two-sided.
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
            f"two square tables of the same 3 or more objects are needed; got shapes "
            f"{first.shape} and {second.shape}."
        )
    # Of symmetric tables every pair counts twice, which changes no rank correlation.
    apart = ~np.eye(k, dtype=bool)
    x, y = first[apart], second[apart]
    known = np.isfinite(x) & np.isfinite(y)
    if not known.all():
        raise InvalidInput(
            f"{(~known).sum()} of {len(known)} pairs have no score in one of the "
            f"tables. Leave out the objects that cannot be compared."
        )
    return x, y
