"""The seed and the blocks that the statistics of all pairs share."""

from dataclasses import dataclass

import numpy as np

from ... import stats
from ...measures import Measure
from .._prepared import Prepared
from .._tiles import TILE, tile_size

# Separate random streams of one seed, so permutations and groups are independent.
PERMUTING, GROUPING = 1, 2


@dataclass(frozen=True)
class Resampling:
    """The seed, the number of rows, the blocks, and the classes to permute within."""

    seed: np.random.SeedSequence
    n: int
    blocks: np.ndarray | None
    classes: np.ndarray | None = None

    def stream(self, key: int) -> np.random.SeedSequence:
        spawned = (*self.seed.spawn_key, key)
        return np.random.SeedSequence(self.seed.entropy, spawn_key=spawned)

    def has_interval(self, measure: Measure) -> bool:
        """Whether the measure has an interval, which is computed even without a null.

        Within classes, no simulation shows that intervals cover.
        """
        return self.classes is None and stats.covered(measure)

    def tile(self, ready: Prepared) -> int:
        """The number of representations per tile, by the plan and the memory budget.

        Nulls are saved pair by pair. Intervals are saved tile by tile, so tiles are
        small if every group of rows has to be prepared anew.
        """
        measure, reps = ready.measure, ready.reps
        fitting = [i for i, rep in enumerate(reps) if rep.domain == measure.domain]
        memory = ready.memory(fitting)
        each = ready.size(fitting[0]) or 8 * memory.n * memory.d
        by_memory = tile_size(measure, len(fitting), memory, each, by_memory=True)
        if not self.has_interval(measure):
            return by_memory
        size, each = TILE, each + 12 * self.n * stats.GROUPS
        if measure.offers("leave_out"):
            size = max(TILE, tile_size(measure, len(fitting), memory, each))
        return min(size, by_memory)
