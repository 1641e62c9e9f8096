"""Sums over all rows of a stream, for the pairs of layers that are compared."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..._base import _config
from ...engine.out_of_core._fits import ROWS
from ...engine.out_of_core._pass import Pair, Side, accumulate, check_overflow, sums_of
from ...errors import InvalidInput
from ...measures import Sums
from ..extraction import StreamedBatch, StreamedLayer

_FEW = 1024  # rows of small batches that are multiplied at once


class _WideSide(Side):
    """Sums in double precision; ranks are decided as for the dtype of the layer."""

    def __init__(self, layer: StreamedLayer) -> None:
        super().__init__(layer.width)
        self.dtype = np.dtype(layer.dtype)

    def take(self, rows: np.ndarray) -> None:
        super().take(rows.astype(np.float64))
        self.eps = float(np.finfo(self.dtype).eps)


def sums_of_stream(
    layers: Sequence[StreamedLayer],
    pairs: Sequence[Pair],
    stream: Iterator[StreamedBatch],
) -> Mapping[Pair, Sums]:
    """Read the whole stream, and return the sums of the pairs (i, j) with i < j."""
    members = sorted({i for pair in pairs for i in pair})
    _check_memory([layers[i].width for i in members], layers, pairs)
    sides: dict[int, Side] = {i: _WideSide(layers[i]) for i in members}
    shared = _Shared(_pieces(stream))
    accumulate(sides, pairs, [shared.reader(i) for i in members])
    check_overflow(sides)
    return {pair: sums_of(pair, sides) for pair in pairs}


def _check_memory(
    widths: Sequence[int], layers: Sequence[StreamedLayer], pairs: Sequence[Pair]
) -> None:
    entries = sum(w * w for w in widths)
    entries += sum(layers[i].width * layers[j].width for i, j in pairs)
    entries += 2 * ROWS * sum(widths)  # rows, and centered rows
    budget = _config.current().memory_budget
    if 8 * entries > budget:
        raise InvalidInput(
            f"the sums of {len(widths)} layers with up to {max(widths):,} units need "
            f"{8 * entries / 2**30:.1f} GiB, but the memory budget is "
            f"{budget / 2**30:.1f} GiB. Choose fewer layers, or a reducer with fewer "
            f"units, such as mean or random_projection."
        )


def _pieces(stream: Iterator[StreamedBatch]) -> Iterator[list[np.ndarray]]:
    """The rows of all layers, at most `ROWS` at a time; small batches are joined."""
    held: list[list[np.ndarray]] = []
    count = 0
    for batch in stream:
        if len(batch.samples) == 0:
            continue
        whole = len(batch.samples) >= _FEW
        rows = batch.rows if whole else [array.copy() for array in batch.rows]
        held.append(list(rows))
        count += len(batch.samples)
        if count >= _FEW:
            yield from _divided(held)
            held, count = [], 0
    if held:
        yield from _divided(held)


def _divided(held: list[list[np.ndarray]]) -> Iterator[list[np.ndarray]]:
    joined = [np.concatenate(rows) for rows in zip(*held, strict=True)]
    for start in range(0, len(joined[0]), ROWS):
        yield [rows[start : start + ROWS] for rows in joined]


class _Shared:
    """One iterator that several readers read in step; the first one advances it."""

    def __init__(self, pieces: Iterator[list[np.ndarray]]) -> None:
        self.pieces, self.current = pieces, [np.empty(0)]
        self.step = 0

    def reader(self, index: int) -> Iterator[np.ndarray]:
        step = 0
        while True:
            step += 1
            if self.step < step:
                self.current, self.step = next(self.pieces, []), step
            if not self.current:
                return
            yield self.current[index]
