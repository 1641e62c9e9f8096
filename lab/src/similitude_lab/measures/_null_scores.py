"""Scores of all measures for pairs of independent noise."""

import dataclasses
from typing import Any

import numpy as np

import similitude as sim
from similitude.errors import InvalidInput, MissingExtra, Undefined

from ._null_inputs import independent

BIASED = "cka, biased"
SETS_OF_INPUTS = ("d_fg", "d_llv")  # they draw disjoint sets of d + 1 inputs


def every_measure() -> dict[str, Any]:
    """All measures of the library at their defaults, and the biased CKA."""
    return dict(sim.MEASURES) | {BIASED: sim.measures.CKA(estimator="biased")}


def _fitted(name: str, measure: Any, n: int, d: int) -> Any:
    """The measure; as many of its sets of d + 1 inputs as n inputs allow."""
    if name not in SETS_OF_INPUTS:
        return measure
    draws = max(1, min(measure.draws, n // (d + 1)))
    return dataclasses.replace(measure, draws=draws)


def scores_of_noise(
    n: int,
    d: int,
    pairs: int,
    rng: np.random.Generator,
    *,
    independent_sides: bool = True,
) -> dict[str, Any]:
    """Mean and standard deviation of each measure over pairs of independent noise.

    In a control both sides are equal.
    """
    drawn = {
        domain: [independent(domain, n, d, child) for child in rng.spawn(pairs)]
        for domain in ("points", "outputs", "softmax")
    }
    rows = []
    for name, default in every_measure().items():
        measure = _fitted(name, default, n, d)
        scores = []
        for x, y in drawn[measure.domain]:
            y = y if independent_sides else x
            try:
                scores.append(float(measure(x, y, rng=0)))
            except (Undefined, InvalidInput, MissingExtra):
                continue  # this number of rows or columns has no score
        many, some = len(scores) > 1, bool(scores)
        rows.append(
            (
                np.mean(scores) if some else np.nan,
                np.std(scores, ddof=1) if many else np.nan,
                len(scores),
            )
        )
    mean, sd, count = zip(*rows, strict=True)
    return {"mean": mean, "sd": sd, "count": count}
