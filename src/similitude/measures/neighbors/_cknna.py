"""Centered kernel alignment over shared nearest neighbors."""

from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import Count, points
from ...errors import Undefined
from ...transformations import Group
from .._base import Measure
from .._claims import Claims
from ._base import Neighbors, check_enough_rows, matches

__all__ = ["CKNNA", "cknna"]


@dataclass(frozen=True, eq=False)
class Weighted(Neighbors):
    """Neighbors by the inner product, with the kernel value of each."""

    values: np.ndarray  # n x k, kernel values at `indices`
    self_term: float  # alignment of the representation with itself

    def permute(self, order: np.ndarray) -> Self:
        return replace(super().permute(order), values=self.values[order])


@dataclass(frozen=True, kw_only=True)
class CKNNA(Measure):
    """Kernel alignment over shared neighbors; see `similitude.cknna`."""

    name = "cknna"
    refs = ("huh2024platonic", "song2012feature")

    k: Count = 10
    variant: Literal["paper", "platonic"] = "paper"

    def claims(self) -> Claims:
        paper = self.variant == "paper"
        invariant = frozenset({Group.ROTATION, Group.ISOTROPIC_SCALE})
        return Claims(
            kind="similarity",
            range=(-1.0, 1.0) if paper else (-float("inf"), float("inf")),
            symmetric=paper,
            invariant=invariant,
            differentiable=False,
            chance="a little below k / (n - 1)" if paper else None,
            neighbors=(self.k, "euclidean"),
            per_stimulus="mean" if paper else None,
        )

    def prepare(self, x: Any, seed: Any = None) -> Weighted:
        x = _linalg.widened(_linalg.balanced(points(x)))
        check_enough_rows(x.n, self.k)
        if x.n < 4:
            raise Undefined(f"CKNNA needs at least four rows; got {x.n}.")
        _linalg.center(x)  # raises if all rows are equal
        rows = _array.to_numpy(x.values)
        indices = _linalg.nearest(rows, self.k, "inner")
        values = _linalg.listed_products(rows, np.arange(x.n), indices)
        if self.variant == "paper":
            values -= (rows @ rows.mean(axis=0))[:, None]
        alone = Weighted(indices, x.values[:1, :1], values, 0.0)
        term = self._alignment(alone, alone)
        # Both sides are sums of products of kernel values, with relative error eps.
        if term <= 16 * np.finfo(values.dtype).eps * np.sum(values**2):
            raise Undefined(
                "the self-alignment of the kernel among nearest neighbors is not "
                "positive, so the score cannot be normalized. Use a larger k, or cka."
            )
        return replace(alone, self_term=term)

    def compare(self, p: Weighted, q: Weighted) -> Array:
        norm = (p.self_term * q.self_term) ** 0.5
        return _array.scalar(self._alignment(p, q) / norm, p.like)

    def per_stimulus(self, p: Weighted, q: Weighted) -> np.ndarray:
        """n times the part of a stimulus in the sum; it may be outside [-1, 1]."""
        return p.n * _sums_over_shared(p, q) / (p.self_term * q.self_term) ** 0.5

    def offers(self, method: str) -> bool:
        applies = method != "per_stimulus" or self.variant == "paper"
        return applies and super().offers(method)

    def permute(self, q: Weighted, order: np.ndarray) -> Weighted:
        return q.permute(order)

    def details(self, p: Weighted, q: Weighted) -> dict[str, Any]:
        return {"chance": self.k / (p.n - 1)} if self.variant == "paper" else {}

    def _alignment(self, p: Weighted, q: Weighted) -> float:
        if self.variant == "paper":
            return float(np.sum(_sums_over_shared(p, q)))
        return _hsic_of_masked(p, q)


def _sums_over_shared(p: Weighted, q: Weighted) -> np.ndarray:
    """Sum of K_ij L_ij over the neighbors j that both lists of a row share."""
    total = np.zeros(p.n)
    for r, same in matches(p, q):
        total += p.values[:, r] * np.sum(same * q.values, axis=1)
    return total


def _hsic_of_masked(p: Weighted, q: Weighted) -> float:
    """n (n - 3) HSIC_1 of both kernels, masked by the shared neighbors.

    The masked kernels are sparse and not symmetric. Their diagonals are zero.
    """
    n, rows, columns, k, l = p.n, [], [], [], []  # noqa: E741 (letters of the formula)
    for r, same in matches(p, q):
        i, s = np.nonzero(same)
        rows.append(i)
        columns.append(p.indices[i, r])
        k.append(p.values[i, r])
        l.append(q.values[i, s])
    row, column, kernel, other = map(np.concatenate, (rows, columns, k, l))
    cross = np.bincount(column, kernel, n) @ np.bincount(row, other, n)  # 1'KL1
    return float(
        _trace_of_product(row * n + column, column * n + row, kernel, other)
        + kernel.sum() * other.sum() / ((n - 1) * (n - 2))
        - 2.0 * cross / (n - 2)
    )


def _trace_of_product(
    entry: np.ndarray, transposed: np.ndarray, kernel: np.ndarray, other: np.ndarray
) -> float:
    """Sum of K_ij L_ji over pairs for which both (i, j) and (j, i) are stored."""
    order = np.argsort(entry)
    entry, other = entry[order], other[order]
    place = np.minimum(np.searchsorted(entry, transposed), entry.size - 1)
    return np.sum(np.where(entry[place] == transposed, kernel * other[place], 0.0))


def cknna(
    x: Any, y: Any, /, *, k: int = 10, variant: Literal["paper", "platonic"] = "paper"
) -> Score:
    r"""Kernel alignment restricted to shared nearest neighbors.

    .. math::

        \frac{A(K, L)}{\sqrt{A(K, K)\, A(L, L)}}, \qquad
        A(K, L) = \sum_{i} \sum_{j \in N^x_k(i) \cap N^y_k(i)} \bar K_{ij} \bar L_{ij}

    where

    - :math:`K_{ij} = \langle x_i, x_j \rangle` are raw inner products and
      :math:`\bar K_{ij} = K_{ij} - \frac{1}{n} \sum_l K_{il}`; L is the same for y;
    - :math:`N^x_k(i)` are the k rows :math:`j \ne i` with the largest :math:`K_{ij}`.
      Ties go to the smaller index.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    k
        Number of neighbors, at most n - 1.
    variant
        ``"paper"``: the formula above, which centers and then masks. ``"platonic"``:
        the code published with the paper, which masks K and L without centering and
        takes the unbiased HSIC of the masked kernels. The masks are not symmetric, so
        this score is not symmetric either.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]; unrelated representations score a little below k / (n - 1). The
        platonic variant is unbounded.

    Notes
    -----
    Invariant to rotations, reflections and isotropic scaling of either side.

    Not to be confused with: `mutual_knn`, which counts shared neighbors without
    weights; `cka`, which neither variant approaches as k reaches n - 1 (the paper's
    variant then centers rows only, and omits the diagonal); ``cka(kernel="knn")``, the
    alignment of two whole neighbor graphs, where inner products play no part and shared
    non-neighbors count; ``cka(kernel="diffusion")``, which follows paths of neighbors.

    Raises
    ------
    Undefined
        If k > n - 1, if there are fewer than four rows, if all rows are equal, or if a
        self-alignment is not positive.

    References
    ----------
    huh2024platonic, song2012feature

    Examples
    --------
    Each row of the first array has another nearest neighbor in the second:

    >>> square = [[2, 1], [1, 2], [-1, -2], [-2, -1]]
    >>> round(float(cknna(square, square, k=1)), 4)
    1.0
    >>> other = [[2, 1], [-1, -2], [1, 2], [-2, -1]]
    >>> round(float(cknna(square, other, k=1)), 4)
    0.0
    """
    return CKNNA(k=k, variant=variant)(x, y)
