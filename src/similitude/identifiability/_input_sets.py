"""Sets of M + 1 inputs, given or drawn, and the set with the smallest t2."""

from typing import Any

import numpy as np

from .._base._seed import Rng, as_seed
from .._base._validate import check_at_least
from .._linalg._blocks import budget_rows, spans
from ..errors import InvalidInput, Undefined
from ._coordinates import over_labels
from ._pair import Pair, spectra
from ._terms import Reduce, input_terms, smallest_set


def best_inputs(
    pair: Pair, sets: np.ndarray, eps: float, reduce: Reduce, *, compat: bool
) -> tuple[np.ndarray, float, float]:
    """The set with the smallest t2, and its t2 and t4."""
    t2, t4 = np.empty(sets.shape[0]), np.empty(sets.shape[0])
    size = sets.shape[1] * (2 * pair.dimension + pair.dimension)
    inputs, where = np.unique(sets, return_inverse=True)
    first, second = over_labels(pair, inputs)
    for start, stop in spans(sets.shape[0], budget_rows(sets.shape[0], 8 * size)):
        block = where.reshape(sets.shape)[start:stop]
        terms = input_terms(first, second, block, eps, reduce)
        t2[start:stop], t4[start:stop] = terms.t2, terms.t4
        if not compat:
            for model in pair.models:
                rank = spectra(model.f, sets[start:stop], model.eps)[1]
                t2[start:stop][rank < pair.dimension] = np.inf
    best = smallest_set(t2, compat=compat)
    if not np.isfinite(t2[best]):
        tried = sets[[best]] if compat else sets
        conditions = [spectra(model.f, tried, model.eps)[2] for model in pair.models]
        which = "the first set" if compat else f"each of the {sets.shape[0]} sets"
        raise Undefined(
            f"{which} of inputs is degenerate: phi = 0, or N is singular at the "
            f"precision of storage (condition number "
            f"{np.max(conditions, axis=0).min():.3g} or more). Check that the "
            f"embeddings vary in all M = {pair.dimension} dimensions, or give other "
            f"input_sets."
        )
    return sets[best], float(t2[best]), float(t4[best])


def resolve_input_sets(
    pair: Pair, draws: int, input_sets: Any, rng: Rng | None
) -> np.ndarray:
    """The given sets of M + 1 distinct inputs after checks, or disjoint drawn sets."""
    size = pair.dimension + 1
    if input_sets is None:
        return draw_input_sets(pair.n, size, draws, rng)
    try:
        sets = np.asarray(input_sets)
    except ValueError as error:  # rows of different lengths
        raise InvalidInput(
            f"input_sets must be (S, M + 1) = (S, {size}) indices of inputs; got rows "
            f"of different lengths."
        ) from error
    if sets.ndim != 2 or sets.shape[1] != size or sets.dtype.kind not in "iu":
        raise InvalidInput(
            f"input_sets must be (S, M + 1) = (S, {size}) indices of inputs; got shape "
            f"{sets.shape} and dtype {sets.dtype}."
        )
    if sets.size == 0 or sets.min() < 0 or sets.max() >= pair.n:
        raise InvalidInput(
            f"input_sets must have at least one set, with indices in 0 ... "
            f"{pair.n - 1}."
        )
    ordered = np.sort(sets, axis=1)
    if np.any(ordered[:, 1:] == ordered[:, :-1]):
        raise InvalidInput("input_sets must not repeat an input within a set.")
    return sets.astype(np.int64)


def draw_input_sets(n: int, size: int, draws: int, rng: Rng | None) -> np.ndarray:
    """Draw `draws` disjoint sets of `size` inputs uniformly from n inputs."""
    check_at_least("draws", draws, 1)
    if n < size * draws:
        fewer = f", draws={n // size} or fewer, or give input_sets=" * (n >= size)
        raise Undefined(
            f"draws={draws} disjoint sets of M + 1 = {size} inputs need "
            f"{size * draws} inputs; there are {n}. Use more inputs{fewer}."
        )
    if rng is None:
        raise InvalidInput(
            "rng is needed to draw input sets. Pass rng=0, or pass input_sets= to "
            "identifiability.llv_distance."
        )
    draw = np.random.default_rng(as_seed(rng))
    return draw.choice(n, size * draws, replace=False).reshape(draws, size)
