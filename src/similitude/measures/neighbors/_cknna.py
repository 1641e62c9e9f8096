"""Centered kernel alignment among shared nearest neighbors."""

from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from ... import _array, _linalg
from ..._array import Array
from ..._validate import Count, points
from ...errors import Undefined
from ...transformations import Group
from .._base import Measure
from .._claims import Claims
from ._base import Neighbors, check_enough_rows, matches

__all__ = ["CKNNA", "cknna"]


@dataclass(frozen=True, eq=False)
class Weighted(Neighbors):
    """Neighbors by the inner product, and the kernel at each of them."""

    values: np.ndarray  # n x k, in the places of `indices`
    self_term: float  # the alignment with itself

    def permute(self, order: np.ndarray) -> Self:
        return replace(super().permute(order), values=self.values[order])


@dataclass(frozen=True, kw_only=True)
class CKNNA(Measure):
    """Alignment among shared neighbors; see `similitude.cknna`."""

    name = "cknna"
    refs = ("huh2024platonic", "song2012feature")

    k: Count = 10
    variant: Literal["paper", "platonic"] = "paper"

    def claims(self) -> Claims:
        paper = self.variant == "paper"
        turned = frozenset({Group.ORTHOGONAL, Group.ISOTROPIC_SCALE})
        return Claims(
            kind="similarity",
            range=(-1.0, 1.0) if paper else (-float("inf"), float("inf")),
            symmetric=paper,
            invariant=turned,
            differentiable=False,
            chance="a little below k / (n - 1)" if paper else None,
            neighbors=(self.k, "euclidean"),
        )

    def prepare(self, x: Any, seed: Any = None) -> Weighted:
        x = _linalg.widened(_linalg.balanced(points(x)))
        check_enough_rows(x.n, self.k)
        if x.n < 4:
            raise Undefined(f"CKNNA needs four rows or more; got {x.n}.")
        _linalg.center(x)  # of constant rows there is nothing to say
        rows = _array.to_numpy(x.values)
        indices = _linalg.nearest(rows, self.k, "inner")
        values = _linalg.listed_products(rows, np.arange(x.n), indices)
        if self.variant == "paper":
            values -= (rows @ rows.mean(axis=0))[:, None]
        alone = Weighted(indices, x.values[:1, :1], values, 0.0)
        term = self._alignment(alone, alone)
        # Both are sums of products of kernel values, and off by an eps of their size.
        if term <= 16 * np.finfo(values.dtype).eps * np.sum(values**2):
            raise Undefined(
                "nothing is left of the kernel among nearest neighbors, so that the "
                "alignment has nothing to be divided by. Use a larger k, or cka."
            )
        return replace(alone, self_term=term)

    def compare(self, p: Weighted, q: Weighted) -> Array:
        norm = (p.self_term * q.self_term) ** 0.5
        return _array.scalar(self._alignment(p, q) / norm, p.like)

    def permute(self, q: Weighted, order: np.ndarray) -> Weighted:
        return q.permute(order)

    def details(self, p: Weighted, q: Weighted) -> dict[str, Any]:
        return {"chance": self.k / (p.n - 1)} if self.variant == "paper" else {}

    def _alignment(self, p: Weighted, q: Weighted) -> float:
        if self.variant == "paper":
            return sum(
                float(p.values[:, r] @ np.sum(same * q.values, axis=1))
                for r, same in matches(p, q)
            )
        return _hsic_of_masked(p, q)


def _hsic_of_masked(p: Weighted, q: Weighted) -> float:
    """n (n - 3) HSIC_1 of both kernels on the neighbors that they share.

    Masked by lists they are sparse, with zero diagonals, and not symmetric.
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
    at: np.ndarray, across: np.ndarray, kernel: np.ndarray, other: np.ndarray
) -> float:
    """The sum of K_ij L_ji: who are neighbors of each other, both ways."""
    order = np.argsort(at)
    at, other = at[order], other[order]
    place = np.minimum(np.searchsorted(at, across), at.size - 1)
    return np.sum(np.where(at[place] == across, kernel * other[place], 0.0))


def cknna(
    x: Any, y: Any, /, *, k: int = 10, variant: Literal["paper", "platonic"] = "paper"
) -> Array:
    r"""Kernel alignment that looks at shared nearest neighbors only.

    .. math::

        \frac{A(K, L)}{\sqrt{A(K, K)\, A(L, L)}}, \qquad
        A(K, L) = \sum_{i} \sum_{j \in N^x_k(i) \cap N^y_k(i)} \bar K_{ij} \bar L_{ij}

    where

    - :math:`K_{ij} = \langle x_i, x_j \rangle`, raw inner products, and
      :math:`\bar K_{ij} = K_{ij} - \frac{1}{n} \sum_l K_{il}`; L the same of y;
    - :math:`N^x_k(i)` are the k rows with the largest :math:`K_{ij}`, row i not among
      them; of equals those with the smaller index.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library.
    k
        Number of neighbors, at most n - 1.
    variant
        ``"paper"``: the formula above, which centers and then masks. ``"platonic"``:
        the code published with the paper, which masks K and L, not centered, and takes
        the unbiased HSIC of what is left. Masks are not symmetric, and so it is not.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]; unrelated representations score a little below k / (n - 1). The
        platonic variant has no bounds.

    Notes
    -----
    Invariant to rotations, reflections and isotropic scaling of either side.

    Not to be confused with: `mutual_knn`, which counts shared neighbors and does not
    weigh them; `cka`, to which neither variant tends as k reaches n - 1 (the paper's
    is then centered by rows only, and without its diagonal).

    Raises
    ------
    Undefined
        For k > n - 1, constant rows, and where a self-alignment is not positive.

    References
    ----------
    huh2024platonic, song2012feature

    Examples
    --------
    A square, whose sides are nearest to nobody but themselves and their neighbors:

    >>> square = [[2, 1], [1, 2], [-1, -2], [-2, -1]]
    >>> round(float(cknna(square, square, k=1)), 4)
    1.0
    >>> other = [[2, 1], [-1, -2], [1, 2], [-2, -1]]
    >>> round(float(cknna(square, other, k=1)), 4)
    0.0
    """
    return CKNNA(k=k, variant=variant)(x, y)
