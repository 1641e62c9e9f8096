"""The noise floor of each layer: how much a repeat of the same model differs."""

import sys
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from ..._base._parallel import torch_threads
from ...measures import COORDINATES
from ...representation import Representation
from ..extraction import LayerOptions
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

    The repeats also use one and two threads of PyTorch. Layers are keyed by name.
    Models that depend on the batch, such as those with dynamic quantization, have a
    large floor.
    """
    largest = max(first.batches)
    known = {rep.layer: rep for rep in first.reps if rep.model == side}
    found = dict.fromkeys(map(str, known), 0.0)
    seen = set()
    for threads, part in ((1, 2), (2, 7)):
        size = max(1, largest // part)
        again = replace(options, batch_size=size, seed=1000 * threads)
        with torch_threads(threads) if _has_torch() else nullcontext():
            repeat = run({side: model}, data, again, sample, rng)
        seen.add(max(repeat.batches))
        for rep in repeat.reps:
            change = relative_change(known[rep.layer], rep) or 0.0
            found[str(rep.layer)] = max(found[str(rep.layer)], change)
    listed = " and ".join(map(str, sorted(seen)))
    repeated = "repeats" if side == "before" else f"repeats of {side}"
    threads_text = ", 1 and 2 threads" if _has_torch() else ""
    random = ", with other seeds" if first.natures[side].random else ""
    return found, f"{repeated} in batches of {listed}{threads_text}{random}"


def _has_torch() -> bool:
    return "torch" in sys.modules


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
