"""Profiles of rows, their relations to all other rows, and the agreement of profiles.

Two spaces of different widths do not share coordinates. Relations to the same stimuli
make rows of both comparable.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array
from ..._base._validate import points
from ...errors import Undefined
from ._base import MetricMeasure, NeighborMetric, check_directions_differ

_DIGITS = 2.0**36  # scores are compared at 36 binary digits, so equal scores tie


@dataclass(frozen=True, eq=False)
class Profiles:
    """The n x n matrix S of relations between rows, with a zero diagonal.

    It is stored as factors, S = A B' - c I, because n x n would not fit. With the
    cosine, A and B are the rows at unit length. With the Euclidean metric they give
    the squared distances ``|x|^2 - 2 <x, y> + |y|^2``.
    """

    left: np.ndarray  # A, n x r
    right: np.ndarray  # B
    diagonal: float  # c
    squares: np.ndarray  # |S_i|^2
    like: Array
    queries: np.ndarray | None = None  # the rows that are identified; None: all

    @property
    def n(self) -> int:
        return self.left.shape[0]

    def block(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The relations of these rows to the rows `columns`."""
        block = self.left[rows] @ self.right[columns].T
        block[rows[:, None] == columns] = 0.0
        return block

    def permute(self, order: np.ndarray) -> "Profiles":
        left, right, squares = (v[order] for v in (self.left, self.right, self.squares))
        return replace(self, left=left, right=right, squares=squares)


def profiles(
    x: Any, metric: NeighborMetric, queries: np.ndarray | None = None
) -> Profiles:
    x = points(x)
    if x.n < 3:
        raise Undefined(f"retrieval by relations needs at least 3 rows; got {x.n}.")
    rows = _array.to_numpy(_linalg.metric_rows(x, metric))
    check_directions_differ(rows, metric)
    if metric == "cosine":
        left = right = _array.to_numpy(_linalg.unit_rows(x, "cosine"))
        diagonal = 1.0
    else:
        squares, ones = np.vecdot(rows, rows)[:, None], np.ones((x.n, 1))
        left = np.concatenate([-2.0 * rows, squares, ones], axis=1)
        right = np.concatenate([rows, ones, squares], axis=1)
        diagonal = 0.0
    found = Profiles(left, right, diagonal, np.empty(x.n), x.values[:1, :1], queries)
    if queries is not None:
        # Without the n x n relations. Many rows make the subtracted 1 small.
        products = left @ (right.T @ right)
        found.squares[:] = np.vecdot(products, left) - diagonal**2
    else:
        for start, stop in _linalg.spans(x.n, _linalg.budget_rows(x.n, 8 * x.n)):
            block = found.block(np.arange(start, stop), np.arange(x.n))
            found.squares[start:stop] = np.vecdot(block, block)
    if np.min(found.squares) <= x.n * (8 * np.finfo(left.dtype).eps) ** 2:
        raise Undefined(
            f"row {int(np.argmin(found.squares))} has {metric} 0 with all other rows, "
            f"so it cannot be identified by its relations. Use metric='euclidean', or "
            f"drop that row."
        )
    return found


class Agreement:
    """Cosines of the profiles in p with those in q, rounded.

    The cosine of row i of p and row j of q leaves out the entries i and j, so that no
    row is identified by its relation to itself. If all other entries are 0, so is the
    cosine.
    """

    def __init__(self, p: Profiles, q: Profiles) -> None:
        self.p, self.q, self.inner = p, q, p.right.T @ q.left

    def cosines(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Of these rows of p with the rows `columns` of q."""
        p, q = self.p, self.q
        a, b = p.block(rows, columns), q.block(rows, columns)
        cosines = (p.left[rows] @ self.inner) @ q.right[columns].T
        # (AB' - cI)(A*B*' - c*I); AB' and A*B*' have c and c* on their diagonals.
        cosines -= q.diagonal * a + p.diagonal * b
        cosines[rows[:, None] == columns] -= p.diagonal * q.diagonal
        a2, b2 = p.squares[rows, None], q.squares[None, columns]
        lengths = (a2 - a**2) * (b2 - b**2)
        nonzero = lengths > 1e-20 * a2 * b2
        roots = np.sqrt(np.where(nonzero, lengths, 1.0))
        cosines = np.where(nonzero, cosines / roots, 0.0)
        return np.round(cosines * _DIGITS)


class ProfileMeasure(MetricMeasure):
    """A measure of how well rows are identified by their relations."""

    def prepare(self, x: Any, seed: Any = None) -> Profiles:
        return profiles(x, self.metric)

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        """Three products give relations; passes over them take as long as 500."""
        return 3e6 + n * n * (d_x + 2.0 * d_y + 500.0)
