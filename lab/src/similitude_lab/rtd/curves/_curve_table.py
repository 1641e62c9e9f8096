"""The table of all curves, from which the figures are drawn."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...study import table_of
from ._correlations import Curves
from ._snapshots import CURVES


def curve_table(
    experiments: Mapping[str, Sequence[Curves]],
    points: Mapping[str, Sequence[float]],
    *,
    names: tuple[str, str],
) -> dict[str, list[Any]]:
    """One row per experiment, seed and point: mean and deviation over batches.

    `points` are the levels or epochs of each experiment. `names` are the names of the
    columns of experiments and points.
    """
    rows = []
    for experiment, seeds in experiments.items():
        for seed, curves in enumerate(seeds):
            for at, point in enumerate(points[experiment]):
                row: dict[str, Any] = {names[0]: experiment, "seed": seed}
                row[names[1]] = point
                for curve in CURVES:
                    scores = curves[curve][at]
                    row[curve] = float(np.mean(scores))
                    row[f"{curve}_sd"] = float(np.std(scores, ddof=1))
                rows.append(row)
    return table_of(rows)
