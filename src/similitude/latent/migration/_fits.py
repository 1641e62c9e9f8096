"""Linear maps of three families, and the choice among them by cross-validation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..align import AffineMap, fit_procrustes
from ._rows import Rows, Side, others, parts_of

FAMILIES = ("procrustes", "ridge", "low_rank")
FOLDS = 4
_POWERS = range(-4, 1)  # penalties, as powers of 10
_BOUNDS = (-8, 4)  # the grid is extended to these while its best is at its end
_RANKS = (8, 4, 2)  # the rank is the smaller width over one of them
_QUERIES = 200  # rows of a fold whose results are compared


@dataclass(frozen=True)
class Fit:
    """A family and its options; a penalty is over the mean variance of a direction."""

    family: str
    penalty: float = 0.0
    rank: int | None = None

    def __str__(self) -> str:
        rank = "" if self.rank is None else f"rank {self.rank}, "
        last = self.penalty in [10.0**power for power in _BOUNDS]
        end = ", the last that is tried" if last else ""
        penalty = f" ({rank}penalty {self.penalty:g}{end})" if self.penalty else ""
        return self.family.replace("_", " ") + penalty


class Fitter:
    """Maps from x to y; those with a penalty share one decomposition."""

    def __init__(self, x: np.ndarray, y: np.ndarray) -> None:
        self.x, self.y = x.astype(np.float64), y.astype(np.float64)
        self.means = self.x.mean(axis=0), self.y.mean(axis=0)
        a = self.x - self.means[0]
        values, self.vectors = np.linalg.eigh(a.T @ a)
        self.values = np.maximum(values, 0.0)
        self.rotated = self.vectors.T @ (a.T @ (self.y - self.means[1]))

    def map(self, fit: Fit) -> AffineMap:
        if fit.family == "procrustes":
            return fit_procrustes(self.x, self.y, translate=True, scale=True)
        spread = self.values + fit.penalty * np.mean(self.values)
        rotated = self.rotated / spread[:, None]
        matrix = self.vectors @ rotated
        if fit.rank is not None:  # reduced rank: the main directions of the predictions
            predicted = np.sqrt(self.values)[:, None] * rotated
            main = np.linalg.eigh(predicted.T @ predicted)[1][:, -fit.rank :]
            matrix = matrix @ main @ main.T
        return AffineMap(matrix, *self.means, kind=str(fit))


def choose(
    rows: Rows, side: Side, k: int, families: Sequence[str]
) -> tuple[AffineMap, dict[str, float]]:
    """Choose a map of one direction; also return the recall of each fit in folds.

    In a fold, neither queries nor searched rows are those that its maps are fitted to.
    """
    numbers, k = _fold_numbers(rows.blocks), results_in_folds(rows.blocks, k)
    folds = []
    for i in range(FOLDS):
        held_out, fitter = (
            rows.take(numbers == i),
            Fitter(*rows.take(numbers != i).ends(side)),
        )
        few = np.linspace(0, len(held_out) - 1, min(len(held_out), _QUERIES))
        asked = held_out.take(few.astype(int))
        truth = held_out.search(parts_of(held_out.new), asked.new, asked.blocks, k)
        folds.append((held_out, fitter, asked, truth))
    recalls: dict[Fit, float] = {}

    def tried(fit: Fit) -> float:
        kept = [
            held_out.recalls(fitter.map(fit), side, asked, truth).mean()
            for held_out, fitter, asked, truth in folds
        ]
        return recalls.setdefault(fit, float(np.mean(kept)))

    tried(Fit("procrustes"))
    ridges: dict[int, float] = {}
    powers = [*_POWERS]
    while powers:
        ridges |= {power: tried(Fit("ridge", 10.0**power)) for power in powers}
        best = max(ridges, key=lambda power: ridges[power])
        powers = [best + step for step in (-1, 1) if best + step not in ridges]
        powers = [each for each in powers if _BOUNDS[0] <= each <= _BOUNDS[1]]
    widths = rows.old.shape[1], rows.new.shape[1]
    for rank in sorted({max(1, min(widths) // part) for part in _RANKS}):
        if "low_rank" in families:
            tried(Fit("low_rank", 10.0**best, rank))
    recalls = {fit: value for fit, value in recalls.items() if fit.family in families}
    chosen = max(recalls, key=lambda fit: recalls[fit])
    whole = Fitter(*rows.ends(side)).map(chosen)
    return whole, {str(fit): value for fit, value in recalls.items()}


def results_in_folds(blocks: np.ndarray, k: int) -> int:
    """The number of results of a query in a fold; less than 1 if there are few rows."""
    numbers = _fold_numbers(blocks)
    return min(k, *(others(blocks[numbers == i]) // 2 for i in range(FOLDS)))


def _fold_numbers(blocks: np.ndarray) -> np.ndarray:
    """The fold of each row; rows of a block follow each other and share one."""
    return np.cumsum(np.diff(blocks, prepend=blocks[:1]) != 0) % FOLDS
