"""The numbers and notes of densification."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ._death_tables import distances_to_beta, overlaps
from ._densified_arms import DENSE, PLAIN, SUGGESTED, Arms, Setting
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


def notes(
    setting: Setting, networks: Mapping[str, Arms], tables: LanguageTables
) -> tuple[str, ...]:
    task = next(iter(networks.values())).task
    at_home = tables.statement(DENSE, PLAIN, stitched=False)
    swept = "; ".join(
        f"{row['network']}, beta = {row['beta']:.2g}: {row['mean']:+.1f} "
        f"({row['low']:+.1f} to {row['high']:+.1f})"
        for row in sweep_rows(networks, tables)
        if row["cells"] == "stitched"
    )
    own = tables.at_home(" for the robust transform")
    overlap = "; ".join(
        f"{network}: {overlaps(arms.found[PLAIN]):.2f} without and "
        f"{overlaps(arms.found[DENSE]):.2f} with densification"
        for network, arms in networks.items()
    )
    tuning, texts = setting.tuning, task.draw(0)[task.languages[0]]
    listed = [
        tables.sentence(((DENSE, PLAIN),)),
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
        f"weight 0.02 of the loss and beta = 3. Here encoders are trained from "
        f"{task.start}, then fine-tuned through the robust layer in {tuning.epochs[0]} "
        f"(ngrams) and {tuning.epochs[1]} (transformer) epochs with the weight "
        f"{tuning.weight:g}, chosen in a trial with one seed: with 0.02, so few "
        f"steps hardly change death times. The transformer reads the first "
        f"{setting.texts.encoders.tokens} words. So only orders are judged.",
    ]
    return (*listed, *tables.unclear_note())
