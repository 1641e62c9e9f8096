"""Scores of single stimuli: which inputs do two networks represent differently?"""

from typing import Any

import numpy as np

from .._base._seed import Rng
from ..errors import InvalidInput
from ..measures import MEASURES, Measure, find_measure


def per_stimulus(
    x: Any, y: Any, measure: Measure | str, *, rng: Rng | None = None
) -> np.ndarray:
    """One score per stimulus.

    `Claims.per_stimulus` says how these scores give the score of the measure. "mean":
    it is their mean. "influence": each is the score minus the score without the
    stimulus. "residual": each is a distance between the two rows of a stimulus.

    Parameters
    ----------
    x, y
        As for the measure. Row i of both is the same stimulus.
    measure
        A measure, its name or its label.
    rng
        Seed or generator, if the measure draws random numbers.

    Returns
    -------
    numpy array of n scores
        A high score means similar if it does for the measure.

    Raises
    ------
    InvalidInput
        If the measure has no scores of single stimuli.

    Examples
    --------
    Three points on a line. When the last point moves next to the first, only the middle
    point keeps its nearest neighbor.

    >>> before, after = [[0.0], [1.0], [2.5]], [[0.0], [1.0], [-0.5]]
    >>> per_stimulus(before, after, "mutual_knn(k=1, metric=euclidean)")
    array([0., 1., 0.])
    """
    found = stimulus_measure(measure)
    return found.per_stimulus(*found.prepare_both(x, y, rng))


def stimulus_measure(measure: Measure | str) -> Measure:
    """Find a measure that has scores of single stimuli, or raise `InvalidInput`."""
    found = find_measure(measure)
    if not found.offers("per_stimulus"):
        offered = [m.name for m in MEASURES.values() if m.offers("per_stimulus")]
        raise InvalidInput(
            f"{found.label} has no scores of single stimuli. Choose one of "
            f"{', '.join(sorted(offered))}."
        )
    return found
