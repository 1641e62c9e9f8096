"""Distances between two barcodes: bottleneck and Wasserstein, exact.

A matching pairs bars of one barcode with bars of the other. Unpaired bars are matched
with the diagonal, at half of their length. Infinite bars are matched only with each
other, in order of birth.
"""

import math
import numbers

import numpy as np
import scipy

from ..errors import InvalidInput
from ._barcode import Barcode

__all__ = ["bottleneck_distance", "wasserstein_distance"]


def bottleneck_distance(a: Barcode, b: Barcode, /) -> float:
    r"""The smallest ε for which a matching moves no bar by more than ε.

    .. math:: W_\infty(A, B) = \min_{\text{matchings}} \ \max_{p \sim q} \
              \lVert p - q \rVert_\infty

    where bars are points (birth, death), and a bar without a partner is matched with
    the nearest point of the diagonal, at half of its length.

    Parameters
    ----------
    a, b
        Barcodes of the same degree.

    Returns
    -------
    float
        Infinite if the numbers of infinite bars differ.

    Notes
    -----
    Exact: the result is a distance between two bars or half of a length. A bisection
    over these candidates tests each one by bipartite matching.

    Examples
    --------
    >>> from similitude.topology import rips_barcode
    >>> near, far = rips_barcode([[0.0], [1.0]])[0], rips_barcode([[0.0], [3.0]])[0]
    >>> bottleneck_distance(near, far)
    1.5
    """
    (p, q), infinite = _finite_and_infinite(a, b)
    if infinite is None:
        return math.inf
    between = _pairwise_moves(p, q, math.inf)
    unmatched = [_to_diagonal(s, math.inf) for s in (p, q)]
    candidates = np.unique(np.concatenate([[0.0], between.ravel(), *unmatched]))
    low, high = 0, len(candidates) - 1
    while low < high:
        middle = (low + high) // 2
        if _has_matching(candidates[middle], between, *unmatched):
            high = middle
        else:
            low = middle + 1
    return max(float(candidates[low]), float(infinite.max(initial=0.0)))


def wasserstein_distance(
    a: Barcode, b: Barcode, /, *, order: float = 1.0, internal: float = math.inf
) -> float:
    r"""Minimal cost of moving one barcode to the other.

    .. math:: W_p(A, B) = \Bigl( \min_{\text{matchings}} \ \sum_{p \sim q}
              \lVert p - q \rVert_r^p \Bigr)^{1/p}

    where bars are points (birth, death), and a bar without a partner is matched with
    the nearest point of the diagonal.

    Parameters
    ----------
    a, b
        Barcodes of the same degree.
    order
        p >= 1.
    internal
        r >= 1, the norm in the plane; infinity is the larger of both differences.

    Returns
    -------
    float
        Infinite if the numbers of infinite bars differ.

    Notes
    -----
    Exact, by linear assignment. Each entry is the gain of a pair over matching both
    bars with the diagonal, so the problem has only ``|A| x |B|`` entries.

    Examples
    --------
    One bar [0, 1) and one bar [0, 3): a match costs 2, and the diagonal 0.5 + 1.5.

    >>> from similitude.topology import rips_barcode
    >>> near, far = rips_barcode([[0.0], [1.0]])[0], rips_barcode([[0.0], [3.0]])[0]
    >>> wasserstein_distance(near, far)
    2.0
    """
    for name, value in (("order", order), ("internal", internal)):
        if not (isinstance(value, numbers.Real) and value >= 1):
            raise InvalidInput(f"{name}={value!r}; it must be a number, at least 1.")
    if order == math.inf:
        raise InvalidInput("order=inf is not supported; use bottleneck_distance.")
    (p, q), infinite = _finite_and_infinite(a, b)
    if infinite is None:
        return math.inf
    # Divide by the largest length: powers then do not overflow or underflow.
    unmatched = [_to_diagonal(s, internal) for s in (p, q)]
    between = _pairwise_moves(p, q, internal)
    unit = max(float(v.max(initial=0.0)) for v in (*unmatched, infinite))
    if unit == 0:
        return 0.0
    first, second = ((v / unit) ** order for v in unmatched)
    gain = np.minimum((between / unit) ** order - first[:, None] - second, 0.0)
    i, j = scipy.optimize.linear_sum_assignment(gain)
    # Sum the costs of the matching; a difference of large sums would lose digits.
    paired = gain[i, j] < 0
    i, j = i[paired], j[paired]
    total = np.sum((between[i, j] / unit) ** order)
    total += np.sum(np.delete(first, i)) + np.sum(np.delete(second, j))
    total += np.sum((infinite / unit) ** order)
    return unit * float(total) ** (1 / order)


def _finite_and_infinite(
    a: Barcode, b: Barcode
) -> tuple[list[np.ndarray], np.ndarray | None]:
    """Finite bars as (birth, death), and moves of infinite bars matched by birth.

    The moves are None if the numbers of infinite bars differ. On a line the matching
    in order is optimal for every order of the distance.
    """
    if a.degree != b.degree:
        raise InvalidInput(
            f"a has degree {a.degree} and b has degree {b.degree}; compare barcodes "
            f"of the same degree."
        )
    finite, births = [], []
    for bars in (a, b):
        dies = np.isfinite(bars.deaths)
        finite.append(np.column_stack([bars.births, bars.deaths])[dies])
        births.append(bars.births[~dies])  # already sorted
    if len(births[0]) != len(births[1]):
        return finite, None
    return finite, np.abs(births[0] - births[1])


def _pairwise_moves(p: np.ndarray, q: np.ndarray, norm: float) -> np.ndarray:
    """Distances from every point of p to every point of q."""
    steps = [np.abs(p[:, None, i] - q[None, :, i]) for i in (0, 1)]
    if norm == math.inf:
        return np.maximum(*steps)
    if norm == 1:
        return steps[0] + steps[1]
    largest = np.maximum(*steps)
    scale = np.where(largest > 0, largest, 1.0)
    return largest * sum((s / scale) ** norm for s in steps) ** (1 / norm)


def _to_diagonal(p: np.ndarray, norm: float) -> np.ndarray:
    return np.maximum(p[:, 1] - p[:, 0], 0.0) * 2 ** (1 / norm - 1)


def _has_matching(
    step: float, between: np.ndarray, p_unmatched: np.ndarray, q_unmatched: np.ndarray
) -> bool:
    """Whether a matching exists in which no bar moves by more than `step`.

    Bars farther than `step` from the diagonal need a partner. By the theorem of
    Mendelsohn and Dulmage, each side can be tested separately: if both sides have such
    a matching, one matching covers both.
    """
    edges = between <= step
    for graph in (edges[p_unmatched > step], edges.T[q_unmatched > step]):
        if not graph.size:
            if len(graph):
                return False
            continue
        partners = scipy.sparse.csgraph.maximum_bipartite_matching(
            scipy.sparse.csr_array(graph), perm_type="column"
        )
        if (partners < 0).any():
            return False
    return True
