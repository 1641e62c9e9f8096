"""Scores of all measures for pairs of independent noise."""

import dataclasses
from typing import Any

import numpy as np
from scipy.special import log_softmax

import similitude as sim
from similitude.errors import InvalidInput, MissingExtra, Undefined
from similitude.inputs import Outputs, SoftmaxModel

from ..study import table_of

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
) -> dict[str, Any]:
    """Mean and standard deviation of each measure over pairs of independent noise."""
    drawn = {
        domain: [independent(domain, n, d, child) for child in rng.spawn(pairs)]
        for domain in ("points", "outputs", "softmax")
    }
    rows = []
    for name, default in every_measure().items():
        measure = _fitted(name, default, n, d)
        scores = []
        for x, y in drawn[measure.domain]:
            try:
                scores.append(float(measure(x, y, rng=0)))
            except (Undefined, InvalidInput, MissingExtra):
                continue  # this number of rows or columns has no score
        mean = np.mean(scores) if scores else np.nan
        sd = np.std(scores, ddof=1) if len(scores) > 1 else np.nan
        rows.append({"mean": mean, "sd": sd, "count": len(scores)})
    return table_of(rows)


def independent(
    domain: str, n: int, d: int, rng: np.random.Generator
) -> tuple[Any, Any]:
    """Two inputs with n rows that have nothing in common.

    Parameters
    ----------
    domain
        "points": two Gaussian arrays with d columns. "outputs": the outputs of two
        classifiers with d classes and random true labels. "softmax": embeddings and
        unembeddings in d dimensions, with d + 3 labels.
    """
    if domain == "points":
        return rng.normal(size=(n, d)), rng.normal(size=(n, d))
    if domain == "outputs":
        targets = rng.integers(d, size=n)
        logits = [rng.normal(size=(n, d)) for _ in range(2)]
        first, second = (
            Outputs(log_softmax(z, axis=1), z.argmax(axis=1), targets) for z in logits
        )
        return first, second
    if domain == "softmax":
        shapes = (n, d), (d + 3, d)
        f, g, other_f, other_g = (rng.normal(size=shape) for shape in shapes * 2)
        return SoftmaxModel(f, g), SoftmaxModel(other_f, other_g)
    raise InvalidInput(f"there is no noise of the kind {domain!r}.")
