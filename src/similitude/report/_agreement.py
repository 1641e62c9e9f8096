"""How far two measures order the pairs alike: Spearman rank correlations."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy

from ..engine import Results
from ._measures import sign_of

FEWEST = 4  # pairs; with fewer, a rank correlation says nothing


def agreement_of(results: Results) -> dict[str, Any]:
    """The matrix of rank correlations, and the number of pairs of each.

    Scores of distances are negated, so that 1 means the same order of similarity. Two
    directions of a pair are averaged. None: too few common pairs, or equal scores.
    """
    scores = {label: _similarities(results, label) for label in results.measures}
    table = [
        [_correlation(first, second) for second in scores.values()]
        for first in scores.values()
    ]
    return {
        "correlations": [[rho for rho, _ in line] for line in table],
        "pairs": [[count for _, count in line] for line in table],
    }


def _similarities(results: Results, label: str) -> dict[frozenset[str], float]:
    """The score of each pair, where larger is more similar."""
    found: dict[frozenset[str], list[float]] = {}
    for row in results.rows:
        if row.label == label and row.score is not None and np.isfinite(row.score):
            value = sign_of(row) * row.score
            found.setdefault(frozenset((row.a, row.b)), []).append(value)
    return {pair: float(np.mean(values)) for pair, values in found.items()}


def _correlation(
    first: Mapping[frozenset[str], float], second: Mapping[frozenset[str], float]
) -> tuple[float | None, int]:
    common = [pair for pair in first if pair in second]
    x = np.array([first[pair] for pair in common])
    y = np.array([second[pair] for pair in common])
    if len(common) < FEWEST or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None, len(common)
    return round(float(scipy.stats.spearmanr(x, y).statistic), 4) + 0.0, len(common)
