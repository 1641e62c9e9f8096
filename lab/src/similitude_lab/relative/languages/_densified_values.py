"""The numbers of densification."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ._death_tables import distances_to_beta, overlaps
from ._densified_arms import DENSE, PLAIN, Arms
from ._table import LanguageTables, pooled_difference

CELLS = {"stitched": True, "home": False}


def sweep_rows(
    networks: Mapping[str, Arms], tables: LanguageTables
) -> Iterator[dict[str, Any]]:
    """Densified - plain for each beta: mean of stitched cells, and at home."""
    for network, table in tables.tables.items():
        for arm, beta in networks[network].betas.items():
            row = {"network": network, "beta": beta, "suggested": arm == DENSE}
            for cells, stitched in CELLS.items():
                gap = pooled_difference(table, arm, PLAIN, stitched=stitched)
                yield row | {"cells": cells} | gap.limits


def all_values(
    networks: Mapping[str, Arms], tables: LanguageTables, *, data: Path | None
) -> dict[str, float]:
    values = tables.values(data=data)
    for network, table in tables.tables.items():
        arms = networks[network]
        values[f"beta_{network}"] = arms.beta
        for cells, stitched in CELLS.items():
            gap = pooled_difference(table, DENSE, PLAIN, stitched=stitched)
            values |= gap.named(f"gain_{cells}_{network}")
        for arm in (PLAIN, DENSE):
            results = arms.found[arm]
            distance = distances_to_beta(results, arms.beta)
            values[f"distance_to_beta_{network}_{arm}"] = distance
            values[f"overlap_{network}_{arm}"] = overlaps(results)
    return values
