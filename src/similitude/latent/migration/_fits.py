"""Linear maps of three families, and the choice among them by cross-validation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..align import AffineMap, fit_procrustes
from ._retention import nearest, parts_of, recall

FAMILIES = ("procrustes", "ridge", "low_rank")
FOLDS = 4
_PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)  # over the mean variance of a direction
_RANKS = (8, 4, 2)  # the rank is the smaller width over one of them
_QUERIES = 200  # rows of a fold whose results are compared


@dataclass(frozen=True)
class Fit:
    """A family with its options."""

    family: str
    penalty: float = 0.0
    rank: int | None = None

    def __str__(self) -> str:
        rank = "" if self.rank is None else f"rank {self.rank}, "
        penalty = f" ({rank}penalty {self.penalty:g})" if self.penalty else ""
        return self.family.replace("_", " ") + penalty


def fitted(fits: Sequence[Fit], x: np.ndarray, y: np.ndarray) -> Iterator[AffineMap]:
    """One map from x to y for each of `fits`; they share one decomposition."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    means = x.mean(axis=0), y.mean(axis=0)
    a = x - means[0]
    values, vectors = np.linalg.eigh(gram := a.T @ a)
    rotated = vectors.T @ (a.T @ (y - means[1]))
    for fit in fits:
        if fit.family == "procrustes":
            yield fit_procrustes(x, y, translate=True, scale=True)
            continue
        spread = np.maximum(values, 0.0) + fit.penalty * np.mean(values)
        matrix = vectors @ (rotated / spread[:, None])
        if fit.rank is not None:  # reduced rank: the main directions of the predictions
            main = np.linalg.eigh(matrix.T @ gram @ matrix)[1][:, -fit.rank :]
            matrix = matrix @ main @ main.T
        yield AffineMap(matrix, *means, kind=str(fit))


def choose(
    x: np.ndarray, y: np.ndarray, k: int, families: Sequence[str], *, back: bool
) -> tuple[AffineMap, dict[str, float], np.ndarray]:
    """Choose a map from x to y by recall: new rows of y search among mapped rows of x.

    With `back`, x has the new rows, which are mapped to search among those of y.
    Returns the map, the recall of each fit in held-out folds, and x, each row mapped
    without having been fitted.
    """
    fold = np.arange(len(x)) % FOLDS
    k = min(k, len(x) // (2 * FOLDS))

    def held_out(fits: Sequence[Fit]) -> dict[Fit, float]:
        sums = dict.fromkeys(fits, 0.0)
        for f in range(FOLDS):
            source, target = x[fold == f], y[fold == f]
            asked, new = np.arange(len(source))[:_QUERIES], source if back else target
            truth = nearest(parts_of(new), new[asked], asked, k)
            maps = fitted(fits, x[fold != f], y[fold != f])
            for fit, g in zip(fits, maps, strict=True):
                moved = g.apply(source)
                among, rows = (target, moved) if back else (moved, target)
                found = nearest(parts_of(among), rows[asked], asked, k)
                sums[fit] += float(recall(truth, found).mean()) / FOLDS
        return sums

    ridges = [Fit("ridge", penalty) for penalty in _PENALTIES]
    recalls = held_out([Fit("procrustes"), *ridges])
    if "low_rank" in families:
        penalty = max(ridges, key=lambda fit: recalls[fit]).penalty
        ranks = {max(1, min(x.shape[1], y.shape[1]) // part) for part in _RANKS}
        recalls |= held_out([Fit("low_rank", penalty, r) for r in sorted(ranks)])
    recalls = {fit: value for fit, value in recalls.items() if fit.family in families}
    best = max(recalls, key=lambda fit: recalls[fit])
    moved = np.empty((len(x), y.shape[1]))
    for f in range(FOLDS):
        (g,) = fitted([best], x[fold != f], y[fold != f])
        moved[fold == f] = g.apply(x[fold == f].astype(np.float64))
    (whole,) = fitted([best], x, y)
    return whole, {str(fit): value for fit, value in recalls.items()}, moved
