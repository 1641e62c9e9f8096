"""All subsets of labels, or a seeded random sample if there are too many."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from .._base._seed import Rng, as_seed
from .._base._validate import check_at_least
from .._linalg._blocks import budget_rows, spans
from ..errors import InvalidInput

MAX_EXACT = 10_000  # up to this number, all subsets are used


@dataclass(frozen=True, eq=False)
class Subsets:
    """Subsets of range(m), one per row; `exact` if `rows` has all `total` subsets."""

    rows: np.ndarray
    total: int

    @property
    def exact(self) -> bool:
        return self.rows.shape[0] == self.total


def subsets(m: int, size: int, *, pivots: bool, draws: int, rng: Rng | None) -> Subsets:
    """Subsets of `size` of m indices; with `pivots`, each row starts with another one.

    All subsets if there are at most 10,000 or at most `draws`. Otherwise `draws`
    random subsets; a subset may be drawn more than once.
    """
    check_at_least("draws", draws, 1)
    total = math.comb(m - 1, size) * m if pivots else math.comb(m, size)
    if total <= max(MAX_EXACT, draws):
        return Subsets(_all(m, size, pivots=pivots), total)
    if rng is None:
        raise InvalidInput(
            f"rng is needed to draw {draws} of {total:,} subsets of labels. Pass "
            f"rng=0, or fewer labels=."
        )
    # A different stream from the one that draws input sets with the same seed.
    seed = as_seed(rng)
    key = (*seed.spawn_key, 1)
    draw = np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=key))
    taken = size + pivots
    blocks = [
        np.argsort(draw.random((stop - start, m)), axis=1)[:, :taken]
        for start, stop in spans(draws, budget_rows(draws, 8 * m))
    ]
    return Subsets(np.concatenate(blocks), total)


def _all(m: int, size: int, *, pivots: bool) -> np.ndarray:
    if not pivots:
        return np.asarray(list(itertools.combinations(range(m), size)), dtype=np.int64)
    rows = [
        (k, *others)
        for k in range(m)
        for others in itertools.combinations([i for i in range(m) if i != k], size)
    ]
    return np.asarray(rows, dtype=np.int64)
