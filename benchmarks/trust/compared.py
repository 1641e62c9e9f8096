"""One score by the library, in numpy and torch, and by all independent routes."""

from dataclasses import replace
from typing import Any

import numpy as np

from similitude import Measure, Outputs, SoftmaxModel, Undefined

from .cases import pair
from .formulas import ROUTES
from .formulas.routes import SEED, NotDefined
from .tolerance import delta, tolerance

UNDEFINED, ABSENT = "undefined", "not installed"


def compared(measure: Measure, case: str, seed: int) -> dict[str, Any]:
    """The line of one variant, case and seed, as JSON."""
    found = ROUTES[measure.name]
    same = measure.claims().same_columns
    given = pair(measure.domain, case, seed, same_columns=same, small=found.small)
    x, y = (in_float64(side) for side in given)
    routes = {}
    for route in found.of(measure):
        value = _by_route(route.score, measure, x, y) if route.installed else ABSENT
        routes[route.label] = value
    library = _by_library(measure, *given)
    line = {"measure": measure.label, "case": case, "seed": seed, "library": library}
    line |= {"routes": routes, "torch": _by_library(measure, *map(in_torch, given))}
    allowed = _allowed(measure, given, x, y, library)
    coarse = {r.label: allowed[True] for r in found.of(measure) if r.single}
    return line | {"tolerance": allowed[False], "coarse": coarse}


def _by_library(measure: Measure, x: Any, y: Any) -> Any:
    rng = SEED if measure.claims().stochastic else None
    try:
        return float(measure(x, y, rng))
    except Undefined:
        return UNDEFINED


def _by_route(score: Any, measure: Measure, x: Any, y: Any) -> Any:
    try:
        return score(measure, x, y)
    except NotDefined:
        return UNDEFINED


def _allowed(
    measure: Measure, given: Any, x: Any, y: Any, value: Any
) -> dict[bool, float]:
    """The tolerance, and that of routes in float32; 0 for an undefined score."""
    if value == UNDEFINED:
        return {False: 0.0, True: 0.0}
    law = ROUTES[measure.name].law
    dtype, n, d = _shape(given[0], given[1])
    condition, size = law.condition(measure, x, y), law.size(measure, x, y)
    found = {}
    for single in (False, True):
        error = delta("float32" if single else dtype, n, d, condition)
        found[single] = tolerance(error, value, law.form(measure), size)
    return found


def _shape(*sides: Any) -> tuple[str, int, int]:
    first = sides[0]
    if isinstance(first, SoftmaxModel):
        arrays: Any = [side.embeddings for side in sides]
    else:
        arrays = [s.log_probs if isinstance(s, Outputs) else s for s in sides]
    return str(arrays[0].dtype), len(arrays[0]), max(a.shape[1] for a in arrays)


def in_float64(side: Any) -> Any:
    if isinstance(side, Outputs):
        return replace(side, log_probs=side.log_probs.astype(float))
    if isinstance(side, SoftmaxModel):
        f, g = side.embeddings, side.unembeddings
        return SoftmaxModel(f.astype(float), g.astype(float))
    return side.astype(float)


def in_torch(side: Any) -> Any:
    import torch

    if isinstance(side, Outputs):
        parts = (side.log_probs, side.labels, side.targets)
        return Outputs(*(torch.from_numpy(np.array(part)) for part in parts))
    if isinstance(side, SoftmaxModel):
        f, g = (np.array(part) for part in (side.embeddings, side.unembeddings))
        return SoftmaxModel(torch.from_numpy(f), torch.from_numpy(g))
    return torch.from_numpy(side.copy())
