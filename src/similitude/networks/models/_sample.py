"""A random sample of the rows of a stream, for measures that need rows."""

import numpy as np

from ..extraction import StreamedBatch, merged


class RowSample:
    """Whole samples, drawn without replacement, with at most `limit` rows in total.

    Each sample of the stream has a random key, and those with the smallest keys are
    kept. Rows of one sample stay together, so that blocks remain complete.
    """

    def __init__(self, limit: int, seed: np.random.SeedSequence) -> None:
        self.limit, self.rng = limit, np.random.default_rng(seed)
        self.rows_seen = 0
        self._below = np.inf  # keys that may still be kept
        self.samples_seen = 0
        self._parts: list[tuple[np.ndarray, StreamedBatch]] = []
        self._held = 0

    @property
    def parts(self) -> list[StreamedBatch]:
        """The rows so far; all of them as long as they are at most `limit`."""
        return [part for _, part in self._parts]

    def add(self, batch: StreamedBatch) -> None:
        count = (
            int(batch.samples[-1]) + 1 - self.samples_seen if len(batch.samples) else 0
        )
        keys = self.rng.random(count)[batch.samples - self.samples_seen]
        self.samples_seen += count
        self.rows_seen += len(keys)
        self._keep(keys, batch, keys < self._below)
        if self._held > 2 * self.limit:
            self._prune()

    def _keep(self, keys: np.ndarray, batch: StreamedBatch, chosen: np.ndarray) -> None:
        if not chosen.any():
            return
        blocks = None if batch.blocks is None else batch.blocks[chosen]
        rows = [array[chosen] for array in batch.rows]  # copies
        part = StreamedBatch(batch.ids[chosen], blocks, batch.samples[chosen], rows)
        self._parts.append((keys[chosen], part))
        self._held += len(part.samples)

    def _prune(self) -> None:
        """Drop the samples with the largest keys; at least one sample remains."""
        keys, whole = self._merged()
        distinct, counts = np.unique(keys, return_counts=True)
        fitting = max(1, int(np.searchsorted(np.cumsum(counts), self.limit, "right")))
        if fitting < len(distinct):
            self._below = min(self._below, float(distinct[fitting]))
        self._parts, self._held = [], 0
        self._keep(keys, whole, keys < self._below)

    def _merged(self) -> tuple[np.ndarray, StreamedBatch]:
        keys = np.concatenate([key for key, _ in self._parts])
        return keys, merged(self.parts)

    def finish(self) -> StreamedBatch:
        """The kept rows in the order of the data."""
        if self._held > self.limit:
            self._prune()
        return self._merged()[1]
