"""Symmetric n x n matrices from their upper half: panels of rows, and centering."""

from collections.abc import Iterator

import numpy as np

from .._base import _array, _config
from .._base._array import Array
from ._blocks import budget_rows, spans


def panels(n: int) -> Iterator[tuple[int, int]]:
    """Spans of rows for half of a symmetric n x n matrix, within the memory budget."""
    return spans(n, min(256, budget_rows(n, 16 * n)))


def fits(n: int) -> bool:
    """Whether two n x n matrices fit, and as much again while one is computed."""
    return 4 * 8 * n * n <= _config.block_budget()


def half_fits(n: int) -> bool:
    """Whether the upper halves of two n x n matrices fit while they are computed."""
    return 2 * 8 * n * n <= _config.block_budget()


def from_upper_half(halves: list[Array]) -> Array:
    """A symmetric matrix from the panels of its upper half."""
    xp, n = _array.namespace(halves[0]), halves[0].shape[1]
    if isinstance(halves[0], np.ndarray):
        return _from_upper_half_in_numpy(halves, n)
    rows, done = [], 0
    for i, panel in enumerate(halves):
        stop = done + panel.shape[0]
        # Columns are counted from the right, where all panels end.
        left = [above[:, done - n : stop - n or None].T for above in halves[:i]]
        rows.append(xp.concat([*left, panel], axis=1))
        done = stop
    return xp.concat(rows)


def _from_upper_half_in_numpy(halves: list[np.ndarray], n: int) -> np.ndarray:
    """Copied in tiles, since a transposed copy larger than the cache is slow."""
    matrix, start = np.empty((n, n)), 0
    for panel in halves:
        stop = start + panel.shape[0]
        matrix[start:stop, start:] = panel
        for a, b in spans(n - stop, 256):
            tile = panel[:, stop - start + a : stop - start + b]
            matrix[stop + a : stop + b, start:stop] = tile.T
        start = stop
    return matrix


def effects_of(sums: Array, n: int, *, unbiased: bool) -> tuple[Array, Array]:
    """Row effects and constant of the centering, from the row sums."""
    total = _array.namespace(sums).sum(sums)
    if unbiased:
        return sums / (n - 2), total / ((n - 1) * (n - 2))
    return sums / n, total / n**2


def centered(
    k: Array,
    effects: Array,
    constant: Array,
    corner: tuple[int, int],
    *,
    unbiased: bool,
) -> Array:
    """Center a block of a Gram; `corner` is its first row and column.

    In numpy the block is changed in place.
    """
    start, first = corner
    rows = effects[start : start + k.shape[0], None]
    if isinstance(k, np.ndarray):
        k -= rows
    else:  # not in place: the gradient of an exponential needs its result
        k = k - rows
    k -= (effects[first:] - constant)[None, :]
    return without_diagonal(k, start - first) if unbiased else k


def without_diagonal(block: Array, start: int) -> Array:
    """Set the diagonal to zero; it begins at column `start` of the block.

    In numpy the block is changed in place.
    """
    xp, (height, n) = _array.namespace(block), block.shape
    if isinstance(block, np.ndarray):
        block[np.arange(height), start + np.arange(height)] = 0.0
        return block
    diagonal = xp.eye(height, n, k=start, dtype=xp.bool, device=_array.device(block))
    return xp.where(diagonal, xp.zeros_like(block), block)
