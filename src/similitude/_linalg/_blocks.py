"""Sums and loops in blocks, for the memory budget and for accuracy in float32."""

from collections.abc import Iterator

from .._base import _array, _config
from .._base._array import Array

# One float32 product sums at most this many terms; longer sums continue in float64.
# The total rounding error is then that of one block, at the same speed.
FLOAT32_TERMS = 4096


def spans(n: int, step: int) -> Iterator[tuple[int, int]]:
    """(start, stop) pairs that tile ``range(n)`` in steps of `step`."""
    for start in range(0, n, step):
        yield start, min(start + step, n)


def budget_rows(n: int, bytes_per_row: int) -> int:
    """Number of rows, at most `n`, that fit a sixteenth of the memory budget.

    The fraction allows for the temporary arrays of an expression over a block.
    """
    return max(1, min(n, _config.block_budget() // (16 * bytes_per_row)))


def cross_product(x: Array, y: Array) -> Array:
    """X'Y, summed in float64 from products of at most `FLOAT32_TERMS` rows.

    If x is y, BLAS computes only half of the symmetric product.
    """
    xp = _array.namespace(x, y)
    if x.dtype != y.dtype:
        x, y = _array.widen(x), _array.widen(y)
    step = FLOAT32_TERMS if x.dtype == xp.float32 else x.shape[0]
    total = None
    for start, stop in spans(x.shape[0], step):
        part = _array.widen(x[start:stop, :].T @ y[start:stop, :])
        total = part if total is None else total + part
    return total
