"""d_rep: distance of embeddings after the linear map given by the unembeddings."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base._seed import Rng
from .._linalg._blocks import budget_rows, spans
from .._linalg._center import in_range
from ..errors import Undefined
from ._coordinates import triangular_factor
from ._pair import check_diverse, differences, label_subset, paired, spectra
from ._subsets import subsets


@dataclass(frozen=True)
class RepDistance:
    """d_rep, and the number of subsets in its mean; see `rep_distance`.

    Attributes
    ----------
    value
        Root of the mean squared distance over inputs, pivots and subsets.
    condition
        Largest condition number of L_J. The value grows with it: if one L_J is close to
        singular, its subset dominates the mean.
    num_subsets, total
        Number of (pivot, subset) pairs used, and number of all pairs.
    """

    value: float
    condition: float
    num_subsets: int
    total: int

    def __float__(self) -> float:
        return self.value

    @property
    def exact(self) -> bool:
        """Whether the mean is over all pivots and subsets."""
        return self.num_subsets == self.total


def rep_distance(
    p: Any, q: Any, *, labels: Any = None, draws: int = 1_000, rng: Rng | None = None
) -> RepDistance:
    r"""Distance of embeddings after the linear map given by the unembeddings.

    .. math:: d_{rep}^2 = E_{x, J} \|f(x) - A_J f'(x)\|^2, \qquad
        A_J = L_J^{-T} L_J'^{T}

    where J is a pivot label and M others, and L_J has the columns g(y_j) - g(y_0). The
    mean is over all J if there are at most 10,000, otherwise over `draws` random ones.

    Parameters
    ----------
    p, q
        `SoftmaxModel` on the same inputs and labels, with the same dimension M: (f, g)
        and (f', g').
    labels
        The labels to choose from; all candidates by default.
    draws, rng
        Number of drawn subsets, and the seed; used beyond 10,000 subsets.

    Returns
    -------
    RepDistance
        The value, in units of f. It is not symmetric, and 0 for equivalent models.

    Notes
    -----
    Invariant under (f', g') -> (A f', A^-T g' + b) of the second model, and under
    rotations of the first, with any b.

    The reference implementation divides by the number of subsets twice, so its squared
    distance is too small by that factor. This function takes the mean.

    Raises
    ------
    Undefined
        If some L_J is singular at the precision of storage.

    References
    ----------
    nielsen2026logit
    """
    pair = paired(p, q)
    chosen, m = label_subset(pair, labels), pair.dimension
    if chosen.size < m + 1:
        raise Undefined(f"d_rep needs M + 1 = {m + 1} labels; there are {chosen.size}.")
    taken = subsets(chosen.size, m, pivots=True, draws=draws, rng=rng)
    sets = chosen[taken.rows]
    # The joint triangular factor of F and F' is enough for |F - F' A'|^2 / n.
    # f, f', g and g' are in units of powers of two, so that squares do not overflow.
    (f, e), (f2, e2), (g, k), (g2, k2) = map(in_range, (p.f, q.f, p.g, q.g))
    exponent = max(e, e2 + k2 - k)
    r = triangular_factor([f, f2]) / np.sqrt(pair.n)
    first, second = np.split(r, [m], axis=1)
    first = first * 2.0 ** max(e - exponent, -2000)
    second = second * 2.0 ** max(e2 + k2 - k - exponent, -2000)
    total, condition = 0.0, 0.0
    for start, stop in spans(len(sets), budget_rows(len(sets), 8 * m * r.shape[0])):
        block = sets[start:stop]
        _, rank, conditions = spectra(g, block, p.eps)
        if (rank < m).any():
            check_diverse(p, block[(rank < m).argmax()], "labels", "p")
        condition = max(condition, float(conditions.max()))
        a = np.linalg.solve(differences(g, block), differences(g2, block))
        with np.errstate(over="ignore", invalid="ignore"):  # checked below
            gaps = first - second @ np.swapaxes(a, 1, 2)
            total += float(np.sum(gaps * gaps))
    value = float(np.sqrt(total / len(sets)))
    try:
        value = math.ldexp(value, exponent)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise Undefined(
            "d_rep is larger than the largest number of float64: an L_J of p is almost "
            "singular, or the scales of the two models differ by more than 1e300. "
            "Divide embeddings and unembeddings by common numbers first."
        )
    return RepDistance(value, condition, len(sets), taken.total)
