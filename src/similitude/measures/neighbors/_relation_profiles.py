"""Rows by their relations to all others, and how far those agree.

Two spaces of different widths have no coordinates in common in which to retrieve.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import _array, _linalg
from ..._array import Array
from ..._validate import points
from ...errors import Undefined
from ._base import MetricMeasure, NeighborMetric, check_directions_differ

_DIGITS = 2.0**36  # scores are compared at 36 binary digits, so that equal ones tie


@dataclass(frozen=True, eq=False)
class Profiles:
    """S, n x n: every row by its relations to all others, itself left out.

    As factors, S = A B' - c I, since n x n would not fit: with the cosine A and B are
    the rows at unit length; a squared distance is |x|^2 - 2 <x, y> + |y|^2.
    """

    left: np.ndarray  # A, n x r
    right: np.ndarray  # B
    diagonal: float  # c
    squares: np.ndarray  # |S_i|^2
    like: Array

    @property
    def n(self) -> int:
        return self.left.shape[0]

    def block(self, start: int, stop: int) -> np.ndarray:
        block = self.left[start:stop] @ self.right.T
        block[np.arange(stop - start), np.arange(start, stop)] = 0.0
        return block

    def permute(self, order: np.ndarray) -> "Profiles":
        left, right, squares = (v[order] for v in (self.left, self.right, self.squares))
        return replace(self, left=left, right=right, squares=squares)


def profiles(x: Any, metric: NeighborMetric) -> Profiles:
    x = points(x)
    if x.n < 3:
        raise Undefined(f"retrieval by relations needs three rows or more; got {x.n}.")
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
    found = Profiles(left, right, diagonal, np.empty(x.n), x.values[:1, :1])
    for start, stop in _linalg.spans(x.n, _linalg.budget_rows(x.n, 8 * x.n)):
        block = found.block(start, stop)
        found.squares[start:stop] = np.vecdot(block, block)
    if np.min(found.squares) <= x.n * (8 * np.finfo(left.dtype).eps) ** 2:
        raise Undefined(
            f"row {int(np.argmin(found.squares))} has no relation to any other (by the "
            f"{metric} all are 0), so that it cannot be recognized by them. Use "
            f"metric='euclidean', or drop it."
        )
    return found


def agreement(p: Profiles, q: Profiles) -> Iterator[tuple[int, int, np.ndarray]]:
    """(start, stop, cosines of those profiles in p with all in q), rounded.

    Of rows i in p and j in q over all others but i and j, so that nobody is recognized
    by the relation to itself. Where nothing else is left the cosine is 0.
    """
    inner = p.right.T @ q.left
    for start, stop in _linalg.spans(p.n, _linalg.budget_rows(p.n, 4 * 8 * p.n)):
        a, b = p.block(start, stop), q.block(start, stop)
        cosines = (p.left[start:stop] @ inner) @ q.right.T
        own = np.arange(stop - start), np.arange(start, stop)
        # (AB' - cI)(A*B*' - c*I), whose factors have c and c* on their diagonals.
        cosines -= q.diagonal * a + p.diagonal * b
        cosines[own] -= p.diagonal * q.diagonal
        a2, b2 = p.squares[start:stop, None], q.squares[None, :]
        lengths = (a2 - a**2) * (b2 - b**2)
        some = lengths > 1e-20 * a2 * b2
        cosines = np.where(some, cosines / np.sqrt(np.where(some, lengths, 1.0)), 0.0)
        yield start, stop, np.round(cosines * _DIGITS)


class ProfileMeasure(MetricMeasure):
    """A measure of how well rows are recognized by their relations."""

    def prepare(self, x: Any, seed: Any = None) -> Profiles:
        return profiles(x, self.metric)
