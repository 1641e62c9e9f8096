"""Shared by the CCA measures: bases of column spaces, and the rank limit."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _linalg
from ...errors import Undefined
from .._base import Measure


@dataclass(frozen=True, kw_only=True)
class SubspaceMeasure(Measure):
    """A measure of two orthonormal bases, which `prepare` returns."""

    def permute(self, q: _linalg.Whitened, order: np.ndarray) -> _linalg.Whitened:
        return q.permute(order)

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        return _linalg.rotation_work(n, d_x, d_y)

    def details(self, p: _linalg.Whitened, q: _linalg.Whitened) -> dict[str, Any]:
        return ranks(p, q)


def ranks(p: _linalg.Whitened, q: _linalg.Whitened) -> dict[str, Any]:
    """The dimensions of both spaces, and the numbers of columns that do not vary."""
    return {"rank_x": p.rank, "rank_y": q.rank, "dead_x": p.dead, "dead_y": q.dead}


def forced_ones(n: int, r1: int, r2: int) -> int:
    """The number of correlations that are 1 whatever the data, from both ranks."""
    return max(0, min(r1 + r2 - (n - 1), r1, r2))


def check_rank_limit(n: int, r1: int, r2: int, remedy: str) -> None:
    """Raise `Undefined` if r1 + r2 > n - 1: then two such spaces always intersect."""
    forced = forced_ones(n, r1, r2)
    if forced:
        raise Undefined(
            f"ranks {r1} + {r2} > n - 1 = {n - 1}: {forced} canonical correlations "
            f"would be exactly 1 whatever the data. Use more stimuli, fewer columns, "
            f"or {remedy}."
        )
