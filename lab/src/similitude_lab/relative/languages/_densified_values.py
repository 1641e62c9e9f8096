"""The numbers and notes of densification."""

from collections.abc import Mapping
from typing import Any

from similitude.training import StitchingTable

from .._poster_cells import LANGUAGES as CELLS
from .._poster_cells import METRICS, cell
from ._death_tables import distances_to_beta, overlaps
from ._densified_arms import DENSE, PLAIN, SUGGESTED, Arms, Setting
from ._setting import MARGIN
from ._table import Tables, cell_differences, pooled_difference, sentence, statement


def published(row: Mapping[str, Any]) -> tuple[float, float]:
    """Mean and deviation on the poster; NaN for cells that it does not have."""
    place = row["decoder"], row["encoder"]
    if row["transform"] not in {PLAIN, DENSE} or place not in CELLS:
        return float("nan"), float("nan")
    return cell(*place, row["transform"]).best[METRICS.index(row["metric"])]


def sweep_rows(networks: Mapping[str, Arms], tables: Tables) -> list[dict[str, Any]]:
    """Densified - plain for each beta: mean of stitched cells, and at home."""
    rows = []
    for network, arms in networks.items():
        for arm, beta in arms.betas.items():
            for stitched in (True, False):
                mean, low, high = pooled_difference(
                    tables[network], arm, PLAIN, stitched=stitched
                )
                rows.append(
                    {
                        "network": network,
                        "beta": beta,
                        "suggested": arm == DENSE,
                        "cells": "stitched" if stitched else "home",
                        "mean": mean,
                        "low": low,
                        "high": high,
                    }
                )
    return rows


def all_values(
    networks: Mapping[str, Arms],
    tables: Tables,
    judged: Mapping[str, bool],
    *,
    reviews: bool,
) -> dict[str, float]:
    values: dict[str, float] = {"reviews": float(reviews)}
    for network, table in tables.items():
        arms = networks[network]
        values[f"majority_{network}"] = table.chance()
        values[f"learned_{network}"] = float(judged[network])
        values[f"beta_{network}"] = arms.beta
        for s in table.summary("accuracy"):
            place = f"{s.transform}_{s.decoder}_{s.encoder}"
            values[f"accuracy_{network}_{place}"] = s.mean
        for word, stitched in (("stitched", True), ("home", False)):
            mean, low, high = pooled_difference(table, DENSE, PLAIN, stitched=stitched)
            name = f"gain_{word}_{network}"
            values |= {name: mean, f"{name}_low": low, f"{name}_high": high}
        for arm in (PLAIN, DENSE):
            found = arms.found[arm]
            distance = distances_to_beta(found, arms.beta)
            values[f"distance_to_beta_{network}_{arm}"] = distance
            values[f"overlap_{network}_{arm}"] = overlaps(found)
    return values


def notes(
    setting: Setting,
    networks: Mapping[str, Arms],
    tables: Tables,
    judged: Mapping[str, bool],
) -> tuple[str, ...]:
    task = next(iter(networks.values())).task
    home = cell_differences(tables, DENSE, PLAIN, judged, stitched=False)
    at_home = statement(home, DENSE, PLAIN, "cells at home")
    swept = "; ".join(
        f"{row['network']}, beta = {row['beta']:.2g}: {row['mean']:+.1f} "
        f"({row['low']:+.1f} to {row['high']:+.1f})"
        for row in sweep_rows(networks, tables)
        if row["cells"] == "stitched"
    )
    own = "; ".join(
        f"{network}: {_home(table)} for the robust transform, and "
        f"{table.chance():.1f} for the most frequent class"
        for network, table in tables.items()
    )
    overlap = "; ".join(
        f"{network}: {overlaps(arms.found[PLAIN]):.2f} without and "
        f"{overlaps(arms.found[DENSE]):.2f} with densification"
        for network, arms in networks.items()
    )
    unclear = [network for network in tables if not judged[network]]
    tuning, texts = setting.tuning, task.draw(0)[task.languages[0]]
    listed = [
        sentence(tables, ((DENSE, PLAIN),), judged),
        f"With the decoder of their own language, {at_home}. The intervals are 95 % t "
        f"intervals of differences over {setting.texts.seeds} seeds, paired: both arms "
        f"start from the same encoder and see the same batches.",
        f"Points gained in stitched cells, by beta: {swept}. Beta is the same for both "
        f"languages, and before and after the relative layer. The suggestion is "
        f"{SUGGESTED:g} times the mean largest death after the relative layer, without "
        f"densification, on validation texts.",
        f"Overlap of death times before and after the relative layer: {overlap}.",
        f"The texts are {task.about}; {len(texts.train)} training texts and "
        f"{len(texts.test)} test texts per language. Accuracy at home: {own}.",
        f"The poster fine-tunes pretrained encoders on reviews in 40 epochs, with the "
        f"weight 0.02 of the loss and beta = 3. Here encoders are trained from random "
        f"weights, then fine-tuned through the robust layer in {tuning.epochs[0]} "
        f"(ngrams) and {tuning.epochs[1]} (transformer) epochs with the weight "
        f"{tuning.weight:g}, chosen in a trial with one seed: with 0.02, so few "
        f"steps hardly change death times. The transformer reads the first "
        f"{setting.texts.encoders.tokens} words. So only orders are judged.",
    ]
    if unclear:
        listed.append(
            f"No verdict for {', '.join(unclear)}: its accuracy at home is not "
            f"{MARGIN:g} points above the most frequent class."
        )
    return tuple(listed)


def _home(table: StitchingTable) -> str:
    return ", ".join(
        f"{s.encoder} {s.mean:.1f} ± {s.sd or 0:.1f}"
        for s in table.summary("accuracy")
        if s.transform == PLAIN and s.encoder == s.decoder
    )
