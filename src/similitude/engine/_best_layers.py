"""The most similar layers of two models, with a p-value for the maximum."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import stats
from .._base import _parallel
from .._base._seed import Rng, as_seed
from ..errors import InvalidInput
from ..measures import DEFAULT, Measure
from ..representation import Representation, gather
from ._prepared import Failure, prepare
from ._scores import compare
from .question._join import Join, check_values, common_blocks, join
from .question._question import chosen_measures
from .statistics import PERMUTING, Resampling


@dataclass(frozen=True)
class BestLayers:
    """The most similar pair of layers of two models.

    Attributes
    ----------
    model_a, model_b
        The two models.
    a, b
        The names of the two most similar layers.
    score
        Their score.
    calibrated
        (score - tau) / (self - tau), where tau is the 95 % quantile of the *best* score
        over all pairs of layers when rows are paired at random. It is 0 for a score at
        tau, and 1 for identity.
    p
        (1 + number of random pairings whose best score is at least as similar) /
        (B + 1).
    pairs
        The number of pairs of layers over which the best is taken.
    permutations
        B, the number of random pairings.
    """

    model_a: str
    model_b: str
    a: str
    b: str
    score: float
    calibrated: float
    p: float
    pairs: int
    permutations: int


def best_layers(
    reps: Any,
    measure: Measure | str = DEFAULT[0],
    *,
    permutations: int = 199,
    rng: Rng = 0,
    join_ids: Join = "exact",
) -> tuple[BestLayers, ...]:
    """The most similar layers of every two models, tested against random pairings.

    A maximum over layers rises with their number: even between unrelated deep networks,
    some pair of layers looks similar. The null here is the maximum over the same
    layers, with the same random pairing of stimuli for all of them. Depth then does not
    count as similarity. As with every row permutation, a small p only shows that both
    models saw the same inputs. To see the effect of training, compare with untrained
    twins.

    Parameters
    ----------
    reps
        `Representation` objects with `model` set, several per model; or a mapping of
        models to mappings of layers to arrays.
    measure
        A measure that pairs rows, or its name. An asymmetric measure is computed from
        the layers of the first model to those of the second.
    permutations
        The number of random pairings of the stimuli, the same for all layers.
    rng, join_ids
        As in `compare`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(50, 4))
    >>> a = {"one": rng.normal(size=(50, 3)), "two": x}
    >>> b = {"one": x @ rng.normal(size=(4, 4)), "two": rng.normal(size=(50, 5))}
    >>> (best,) = best_layers({"a": a, "b": b})
    >>> best.a, best.b, best.p
    ('a/two', 'b/one', 0.005)
    """
    (chosen,) = chosen_measures(measure)
    if not chosen.claims().paired:
        raise InvalidInput(
            f"{chosen.name} does not pair rows, so random pairings do not change it. "
            f"Choose a measure that pairs rows."
        )
    layers = join(_layers(reps), join_ids)
    check_values(layers)
    models: dict[str, list[Representation]] = {}
    for rep in layers:
        models.setdefault(str(rep.model), []).append(rep)
    if len(models) < 2:
        raise InvalidInput(
            f"all representations are of the model {next(iter(models))!r}; give two or "
            f"more models, by Representation(..., model=...) or a mapping of models to "
            f"their layers."
        )
    seed = as_seed(rng)
    resampling = Resampling(seed, layers[0].n, common_blocks(layers))
    stream = resampling.stream(PERMUTING)
    orders = stats.orders(resampling.n, permutations, stream, resampling.blocks)
    found = []
    with _parallel.one_thread():
        ready = {rep.name: _prepared(chosen, seed, rep) for rep in layers}
        for first, second in itertools.combinations(models, 2):
            pairs = list(itertools.product(models[first], models[second]))
            found.append(_best(chosen, pairs, ready, orders, seed))
    return tuple(found)


def _layers(reps: Any) -> list[Representation]:
    """The representations without baselines; each must have a model."""
    found = [rep for rep in gather(reps) if rep.baseline is None]
    if missing := [rep.name for rep in found if rep.model is None]:
        raise InvalidInput(
            f"{missing[0]} does not have a model; give a mapping of models to their "
            f"layers, or Representation(..., model=...)."
        )
    return found


def _prepared(measure: Measure, seed: Any, rep: Representation) -> Any:
    """Prepare a layer, or raise: a maximum without it would be another statistic."""
    found = prepare(measure, seed, rep)
    if isinstance(found, Failure):
        raise InvalidInput(f"{rep.name}: {found.outcome.reason} Remove this layer.")
    return found


def _best(
    measure: Measure,
    pairs: Sequence[tuple[Representation, Representation]],
    ready: dict[str, Any],
    orders: np.ndarray,
    seed: Any,
) -> BestLayers:
    scores, nulls = [], []
    for a, b in pairs:
        p, q = ready[a.name], ready[b.name]
        outcome = compare(measure, p, q)
        if outcome.score is None:
            raise InvalidInput(f"{a.name} and {b.name}: {outcome.reason}")
        scores.append(outcome.score)
        y = None if measure.offers("permute") else b.load()
        nulls.append(stats.null_scores(measure, p, q, orders, y=y, seed=seed))
    similar = measure.claims().kind == "similarity"
    best = int(np.argmax(scores) if similar else np.argmin(scores))
    a, b = pairs[best]
    selves = [compare(measure, ready[r.name], ready[r.name]).score for r in (a, b)]
    self_score = float(np.mean([s for s in selves if s is not None]))
    tested = stats.calibrated_maximum(
        np.array(scores), np.stack(nulls, axis=1), self_score, similarity=similar
    )
    sides = str(a.model), str(b.model), a.name, b.name
    return BestLayers(*sides, *tested, len(pairs), len(orders))
