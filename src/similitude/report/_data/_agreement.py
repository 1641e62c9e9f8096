"""How far two measures order the pairs alike: Spearman rank correlations."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...engine import Results
from ...engine.text import sign_of

FEWEST = 4  # pairs; with fewer, a rank correlation says nothing


def agreement_of(results: Results) -> dict[str, Any]:
    """The matrix of rank correlations, and the number of pairs of each.

    Scores of distances are negated, so that 1 means the same order of similarity. Two
    directions of a pair are averaged. None: too few common pairs, or equal scores.
    """
    scores = list(_similarities(results).values())
    found: dict[tuple[int, int], tuple[float | None, int]] = {}
    for i, first in enumerate(scores):
        for j, second in enumerate(scores[: i + 1]):
            found[i, j] = found[j, i] = _correlation(first, second)
    places = range(len(scores))
    return {
        "correlations": [[found[i, j][0] for j in places] for i in places],
        "pairs": [[found[i, j][1] for j in places] for i in places],
    }


def _similarities(results: Results) -> dict[str, dict[tuple[str, str], float]]:
    """Measure -> pair -> score, where larger is more similar."""
    found: dict[str, dict[tuple[str, str], list[float]]] = {}
    for row in results.rows:
        scores = found.setdefault(row.label, {})
        if row.score is not None and math.isfinite(row.score):
            pair = (row.a, row.b) if row.a < row.b else (row.b, row.a)
            scores.setdefault(pair, []).append(sign_of(row) * row.score)
    return {
        label: {pair: sum(values) / len(values) for pair, values in scores.items()}
        for label, scores in found.items()
    }


def _correlation(
    first: Mapping[tuple[str, str], float], second: Mapping[tuple[str, str], float]
) -> tuple[float | None, int]:
    common = [pair for pair in first if pair in second]
    x = np.array([first[pair] for pair in common])
    y = np.array([second[pair] for pair in common])
    if len(common) < FEWEST or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None, len(common)
    return round(float(np.corrcoef(_ranks(x), _ranks(y))[0, 1]), 4) + 0.0, len(common)


def _ranks(values: np.ndarray) -> np.ndarray:
    """Equal values have the mean of their ranks. scipy.stats takes long to import."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]
