"""Two questions about each stimulus: is it alike in both networks, and has it moved?

They are different. A stimulus is alike if its score is higher than by chance. It has
moved if its score is lower than its scores between networks of one population, such as
other seeds. A stimulus can be alike and moved.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import inputs
from .._base._seed import Rng, as_seed
from ..errors import InvalidInput, SimilitudeError
from ..measures import MEASURES, Measure
from ._multiple_comparisons import benjamini_hochberg
from ._null import orders
from ._stimuli import stimulus_measure

LEAST_BASELINES = 4  # they make six pairs; with fewer than five, ranks are too coarse
_BINS = 10  # of stimuli with similar baseline means


@dataclass(frozen=True, eq=False)
class Alike:
    """Scores of stimuli against random partners; see `similitude.stats.alike`.

    `chance` is the mean score of a stimulus over all random orders. `p` and `q` are
    small if the score is higher than by chance.
    """

    scores: np.ndarray
    chance: np.ndarray
    p: np.ndarray
    q: np.ndarray


@dataclass(frozen=True, eq=False)
class Moved:
    """Scores of stimuli against baselines; see `similitude.stats.moved`.

    `baseline` is the mean score of a stimulus over all pairs of baselines. `shift` is
    the median change from it over all stimuli. `p` and `q` are small if a stimulus
    changed more than the others.
    """

    scores: np.ndarray
    baseline: np.ndarray
    shift: float
    pairs: int
    p: np.ndarray
    q: np.ndarray


def alike(
    x: Any, y: Any, measure: Measure | str, *, draws: int = 199, rng: Rng = 0
) -> Alike:
    """Compare each stimulus with its partner, and with random partners.

    A small q says that a stimulus is represented more alike than by chance. It says
    nothing about a difference: use `moved`.

    Parameters
    ----------
    x, y
        As for the measure. Row i of both is the same stimulus.
    measure
        A measure with scores of single stimuli.
    draws
        Number of random orders of the rows of y.
    rng
        Seed or generator.
    """
    found = stimulus_measure(measure)
    if not found.offers("permute"):
        able = [
            name
            for name, known in MEASURES.items()
            if known.offers("per_stimulus") and known.offers("permute")
        ]
        raise InvalidInput(
            f"{found.label} cannot reorder prepared rows, so it has no random "
            f"partners. Use one of {', '.join(able)}."
        )
    seed = as_seed(rng)
    p, q = found.prepare_both(x, y, seed)
    sign, scores = _sign(found), found.per_stimulus(p, q)
    above, total = np.zeros(len(scores)), np.zeros(len(scores))
    for order in orders(len(scores), draws, seed):
        chance = found.per_stimulus(p, found.permute(q, order))
        # Scores that differ only by rounding count as at least as similar.
        slack = 1e-12 * np.maximum(np.abs(scores), np.abs(chance))
        above += sign * chance >= sign * scores - slack
        total += chance
    values = (1 + above) / (draws + 1)
    return Alike(scores, total / draws, values, benjamini_hochberg(values))


def moved(
    x: Any,
    y: Any,
    baselines: Sequence[Any],
    measure: Measure | str,
    *,
    rng: Rng | None = None,
) -> Moved:
    """Compare each stimulus with its own scores between baselines.

    Parameters
    ----------
    x, y
        As for the measure. Row i of both is the same stimulus.
    baselines
        At least four representations of the same stimuli from one population, such as
        other seeds or repeats. All of their pairs are compared.
    measure
        A measure with scores of single stimuli.
    rng
        Seed or generator, if the measure draws random numbers.

    Returns
    -------
    Moved
        The stimuli with q < 0.05 have changed more than two baselines differ. Among
        them, about 5 % or fewer are false discoveries.

    Notes
    -----
    The change of a stimulus is its score minus its mean over pairs of baselines, minus
    the median change of all stimuli. It is divided by the spread of changes between
    baselines at the same baseline mean. Each pair of baselines in turn gives such
    changes, with the pairs that share no network with it as its baselines. The rank
    among all of these is the p-value. If most stimuli changed more than between
    baselines, all changes are divided by that ratio, because moved stimuli also change
    the neighborhoods of the others. See `benjamini_hochberg` for q.
    """
    found = stimulus_measure(measure)
    if len(baselines) < LEAST_BASELINES:
        raise InvalidInput(
            f"baselines: got {len(baselines)}. To say which stimuli moved, at least "
            f"{LEAST_BASELINES} are needed (other seeds or repeats), which are 6 pairs."
        )
    seed = None if rng is None else as_seed(rng)
    scores = found.per_stimulus(*found.prepare_both(x, y, seed))
    sides = []
    for i, baseline in enumerate(baselines):
        try:
            _, valid = inputs.admit(found.domain, x, baseline)
            sides.append(found.prepare(valid, seed))
        except SimilitudeError as error:
            raise type(error)(f"baseline {i} (here y): {error}") from None
    pairs = list(itertools.combinations(range(len(baselines)), 2))
    between = [found.per_stimulus(sides[a], sides[b]) for a, b in pairs]
    return moved_scores(scores, np.stack(between), pairs, found)


def moved_scores(
    scores: np.ndarray,
    between: np.ndarray,
    pairs: Sequence[tuple[int, int]],
    measure: Measure,
) -> Moved:
    """`moved` from n scores and pairs x n scores between baselines."""
    sign, baseline = _sign(measure), np.mean(between, axis=0)
    means, changes = [], []
    for m, pair in enumerate(pairs):
        others = [k for k, other in enumerate(pairs) if not set(pair) & set(other)]
        means.append(np.mean(between[others], axis=0))
        changes.append(_change(sign * between[m], sign * means[-1]))
    null_means, null_changes = np.stack(means), np.stack(changes)
    change = _change(sign * scores, sign * baseline)
    # The spread of changes depends on the baseline mean: it is small near the ends of
    # the range of a score.
    edges = np.quantile(null_means, np.linspace(0, 1, _BINS + 1)[1:-1])
    bins = np.searchsorted(edges, null_means)
    squares = np.bincount(bins.ravel(), null_changes.ravel() ** 2, _BINS)
    spread = np.sqrt(squares / np.maximum(np.bincount(bins.ravel(), None, _BINS), 1))
    spread = np.where(spread > 0, spread, 1.0)
    nulls = null_changes / spread[bins]
    standard = change / spread[np.searchsorted(edges, baseline)]
    usual = np.median([_quartile_range(null) for null in nulls])
    if usual > 0:
        standard = standard / max(1.0, _quartile_range(standard) / usual)
    # Changes that differ only by rounding count as at least as large.
    below = np.searchsorted(np.sort(nulls, axis=None), standard + 1e-9, side="right")
    p = (1 + below) / (1 + nulls.size)
    shift = float(np.median(scores - baseline))
    return Moved(scores, baseline, shift, len(pairs), p, benjamini_hochberg(p))


def _change(scores: np.ndarray, baseline: np.ndarray) -> np.ndarray:
    """Change of each stimulus, relative to the median change; negative if it moved."""
    change = scores - baseline
    return change - np.median(change)


def _quartile_range(values: np.ndarray) -> float:
    low, high = np.quantile(values, [0.25, 0.75])
    return float(high - low)


def _sign(measure: Measure) -> float:
    return 1.0 if measure.claims().kind == "similarity" else -1.0
