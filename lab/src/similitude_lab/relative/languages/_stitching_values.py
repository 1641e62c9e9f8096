"""The numbers of stitching across languages."""

from pathlib import Path

import numpy as np

from ._table import LanguageTables, pooled_difference, scores, stitching_cost

#: Name of the arm to that of the poster. The poster scales the vanilla transform.
ON_THE_POSTER = {
    "absolute": "absolute",
    "scaled_vanilla": "vanilla",
    "robust": "robust",
}
DIFFERENCES = (
    ("robust", "absolute"),
    ("robust", "scaled_vanilla"),
    ("robust", "vanilla"),
    ("robust", "centered"),
    ("robust", "whitened"),
    ("robust", "procrustes"),
    ("robust", "inverse_relative"),
    ("procrustes", "vanilla"),
    ("vanilla", "scaled_vanilla"),
)
COMPARED = (("robust", "vanilla"), ("robust", "procrustes"))  # in one sentence


def all_values(tables: LanguageTables, *, data: Path | None) -> dict[str, float]:
    values = tables.values(data=data)
    for network, table in tables.tables.items():
        for name in table.transforms:
            for word, is_stitched in (("stitched", True), ("own", False)):
                by_seed = scores(table, name, stitched=is_stitched)
                mean = float(np.mean(list(by_seed.values()) or [np.nan]))
                values[f"{word}_{network}_{name}"] = mean
        values[f"absolute_above_majority_{network}"] = (
            values[f"stitched_{network}_absolute"] - values[f"majority_{network}"]
        )
        values[f"cost_robust_{network}"] = stitching_cost(table, "robust").mean
        for one, other in DIFFERENCES:
            gap = pooled_difference(table, one, other)
            values |= gap.named(f"{one}_minus_{other}_{network}")
    return values
