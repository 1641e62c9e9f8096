"""Linear CKA from sums over minibatches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import at_least, points
from ...errors import Undefined
from ...transformations import SHAPE
from .._base import Measure
from .._claims import Claims
from ._base import check_no_classes, linear_side

__all__ = ["MinibatchCKA", "minibatch_cka"]

_MIN_ROWS = 4  # in a batch: HSIC_1 needs quadruples of different rows


@dataclass(frozen=True, eq=False)
class Batches:
    """The centered Gram of each batch, and the root of the sum of their HSIC_1."""

    sides: tuple[_linalg.Side, ...]
    root: Array


@dataclass(frozen=True, kw_only=True)
class MinibatchCKA(Measure):
    """Unbiased linear CKA by minibatches; see `similitude.minibatch_cka`."""

    name = "minibatch_cka"
    refs = ("nguyen2021wide", "song2012feature")

    batch: Annotated[int, at_least(_MIN_ROWS)] = 256

    def claims(self) -> Claims:
        return Claims(
            on_device=True,
            kind="similarity",
            range=(-1.0, 1.0),  # the cosine of two vectors of Grams
            invariant=SHAPE,
            chance="0",
        )

    def prepare(self, x: Any, seed: Any = None) -> Batches:
        x = points(x)
        check_no_classes(x, "minibatch CKA")
        if x.n < _MIN_ROWS:
            raise Undefined(
                f"minibatch CKA needs at least {_MIN_ROWS} rows; got {x.n}."
            )
        # Center all rows first, which keeps digits, and then the rows of each batch.
        rows = _linalg.center(_linalg.widened(_linalg.balanced(x)))
        sides = []
        for start, stop in batches(x.n, self.batch):
            few = rows[start:stop, :]
            few = few - x.xp.mean(few, axis=0)
            sides.append(linear_side(few, unbiased=True))
        square = sum(_linalg.inner(side, side) / _pairs(side) for side in sides)
        _linalg.check_above_noise(
            square, sum(side.noise / _pairs(side) for side in sides)
        )
        return Batches(tuple(sides), x.xp.sqrt(square))

    def compare(self, p: Batches, q: Batches) -> Array:
        terms = (
            _linalg.inner(a, b) / _pairs(a)
            for a, b in zip(p.sides, q.sides, strict=True)
        )
        return sum(terms) / (p.root * q.root)

    def compare_all(self, ps: Sequence[Batches]) -> Array:
        roots = _array.namespace(ps[0].root).stack([p.root for p in ps])
        total = sum(
            _linalg.inner_all(sides) / _pairs(sides[0])
            for sides in zip(*(p.sides for p in ps), strict=True)
        )
        return total / (roots[:, None] * roots[None, :])

    def details(self, p: Batches, q: Batches) -> dict[str, Any]:
        return {"batches": len(p.sides), "last_batch": p.sides[-1].n}


def batches(n: int, size: int) -> list[tuple[int, int]]:
    """Consecutive batches of n rows; a last one of fewer than 4 joins the previous one.

    >>> batches(20, 8), batches(18, 8)
    ([(0, 8), (8, 16), (16, 20)], [(0, 8), (8, 18)])
    """
    starts = list(range(0, n, size))
    if len(starts) > 1 and n - starts[-1] < _MIN_ROWS:
        starts.pop()
    return list(zip(starts, [*starts[1:], n], strict=True))


def _pairs(side: _linalg.Side) -> int:
    """The divisor that turns an inner product of centered Grams into HSIC_1."""
    return side.n * (side.n - 3)


def minibatch_cka(x: Any, y: Any, /, *, batch: int = 256) -> Score:
    r"""Unbiased linear CKA, from HSIC_1 summed over minibatches.

    .. math::

        \frac{\sum_b \mathrm{HSIC}_1(K_b, L_b)}
            {\sqrt{\sum_b \mathrm{HSIC}_1(K_b, K_b)\,\sum_b \mathrm{HSIC}_1(L_b, L_b)}}

    where

    - :math:`K_b, L_b` are the linear Gram matrices of the rows of batch b;
    - HSIC_1 is the unbiased estimator, see `similitude.cka`.

    HSIC_1 estimates the same number for every batch size, so the terms can be summed.
    A ratio of them does not, so ratios are never averaged.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    batch
        Rows in a batch, 4 or more. Batches are consecutive rows. The remaining rows
        form the last batch if there are 4 or more; otherwise they join the previous
        batch. Every row is used.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]. With n <= `batch` it equals `similitude.cka`.

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation of either
    side. The order of rows matters because it defines the batches: shuffle sorted data.

    Not to be confused with: the mean of the CKA of batches, which is biased; the exact
    linear CKA of rows that come in batches, `similitude.streaming.Moments.cka`. Prefer
    the latter if d x d sums fit in memory.

    Raises
    ------
    Undefined
        For fewer than 4 rows, and if centering reduces the Gram of every batch to 0.

    References
    ----------
    nguyen2021wide, song2012feature

    Examples
    --------
    The first batch scores 1/2 (square against one coordinate), the second 1 (square
    against itself). All unbiased norms are equal, so the result is (1/2 + 1) / 2.

    >>> square = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> side = [[1, 0], [1, 0], [-1, 0], [-1, 0]]
    >>> round(float(minibatch_cka(square + square, square + square, batch=4)), 4)
    1.0
    >>> round(float(minibatch_cka(square + square, side + square, batch=4)), 4)
    0.75
    """
    return MinibatchCKA(batch=batch)(x, y)
