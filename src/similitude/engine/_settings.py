"""What the statistics of all pairs share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import _config, stats
from ..measures import Measure
from ..representation import Representation
from ._scores import TILE, bytes_of, prepare

# Streams of one seed: what permutes and what groups must not depend on each other.
PERMUTING, GROUPING = 1, 2


@dataclass(frozen=True)
class Settings:
    """The seed, the number of rows, and the blocks."""

    seed: np.random.SeedSequence
    n: int
    blocks: np.ndarray | None

    def stream(self, key: int) -> np.random.SeedSequence:
        spawned = (*self.seed.spawn_key, key)
        return np.random.SeedSequence(self.seed.entropy, spawn_key=spawned)

    def tile(self, measure: Measure, reps: Sequence[Representation]) -> int:
        """How many representations to take together, by the plan and the budget.

        Few, so that a run that is stopped loses little; but as many as the budget
        holds where all intervals come out of one product.
        """
        if stats.covered(measure) is None or not measure.offers("leave_out"):
            return TILE
        rep = next(rep for rep in reps if rep.role == measure.domain)
        each = bytes_of(prepare(measure, self.seed, rep)) + 8 * self.n * stats.GROUPS
        return max(TILE, _config.current().memory_budget // (2 * each))
