"""The noise floor of each layer: how much a repeat of the same model differs."""

from dataclasses import replace
from typing import Any

import numpy as np

from ...extraction import LayerOptions
from ...measures import COORDINATES
from ...representation import Representation
from ._sides import Passed, run

#: A layer differs if its change is more than this many noise floors.
FLOORS = 3.0


def noise_floors(
    side: str,
    model: Any,
    data: Any,
    options: LayerOptions,
    *,
    first: Passed,
    sample: int,
    rng: Any,
) -> tuple[dict[str, float], str]:
    """The largest change of each layer in repeats with other batch sizes, and a note.

    Layers are keyed by name. Models that depend on the batch, such as those with
    dynamic quantization, have a large floor.
    """
    largest = max(first.batches)
    sizes = sorted({max(1, largest // 2), max(1, largest // 7)} - {largest})
    found: dict[str, float] = {}
    seen = set()
    for size in sizes:
        again = run({side: model}, data, replace(options, batch_size=size), sample, rng)
        seen.add(max(again.batches))
        known = {rep.layer: rep for rep in first.reps if rep.model == side}
        for rep in again.reps:
            change = relative_change(known[rep.layer], rep)
            name = str(rep.layer)
            found[name] = max(found.get(name, 0.0), change or 0.0)
    if seen <= {largest}:
        note = "repeats with the same batches, because the data fix them"
    else:
        listed = " and ".join(map(str, sorted(seen)))
        note = f"repeats of {side} with batches of {listed} instead of {largest}"
    return found, note


def rounding(*reps: Representation) -> float:
    """The rounding of the values: epsilon of the coarser dtype."""
    dtypes = [np.asarray(rep.load()[:1]).dtype for rep in reps]
    return max(
        float(np.finfo(dtype if dtype.kind == "f" else np.float64).eps)
        for dtype in dtypes
    )


def relative_change(x: Representation, y: Representation) -> float | None:
    """The size of the change, relative to the values; None if it does not exist."""
    if x.d != y.d or x.domain != "points":
        return None
    if not np.any(x.load()):
        return 0.0 if not np.any(y.load()) else None
    return float(COORDINATES[0](x.load(), y.load()))
