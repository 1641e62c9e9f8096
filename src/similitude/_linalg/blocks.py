"""Row blocks, so that no intermediate outgrows the memory budget."""

from collections.abc import Iterator

from .. import _config

# One float32 product sums at most this many terms; longer sums continue in float64.
# The rounding of the whole is then that of one block, at no cost in speed.
FLOAT32_ROWS = 4096


def spans(n: int, step: int) -> Iterator[tuple[int, int]]:
    """(start, stop) pairs that tile ``range(n)`` in steps of `step`."""
    for start in range(0, n, step):
        yield start, min(start + step, n)


def budget_rows(n: int, bytes_per_row: int) -> int:
    """How many of `n` rows to hold at once under a quarter of the memory budget.

    A quarter, since an expression over a block makes a few temporaries of its size.
    """
    return max(1, min(n, _config.current().memory_budget // (4 * bytes_per_row)))
