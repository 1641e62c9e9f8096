"""The poster's two tables as data: misprints, missing seeds, and a paired test."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..study import Config, Figures, StudyResult, described, table_of
from ._poster_cells import CELLS, METRICS, cell, densification
from ._poster_figures import draw_accuracies, draw_differences


@dataclass(frozen=True)
class Setting:
    """Coverage of the intervals of differences. There is nothing to scale."""

    confidence: float = 0.95


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    """Nothing is drawn: `rng` is not used."""
    differences = densification(config.setting.confidence)
    values = _values(differences)
    tables = {"cells": _cells(), "densification": differences}
    return StudyResult(values=values, tables=tables)


def _cells() -> dict[str, list[Any]]:
    """One row per cell and metric: what is printed, and the mean over all seeds."""
    return table_of(
        {
            **{"decoder": c.decoder, "encoder": c.encoder, "transform": c.transform},
            **{"metric": metric, "printed_mean": printed[0], "printed_sd": printed[1]},
            **{"printed_seeds": c.seeds, "mean": ours[0], "sd": ours[1]},
        }
        for c in CELLS
        for metric, printed, ours in zip(METRICS, c.printed, c.best, strict=True)
    )


def _values(differences: Mapping[str, list[Any]]) -> dict[str, float]:
    def mean(decoder: str, encoder: str, transform: str, at: int = 0) -> float:
        return cell(decoder, encoder, transform).best[at][0]

    values = {
        f"{metric}_{transform}_en_en": mean("en", "en", transform, at)
        for transform in ("absolute", "vanilla", "robust")
        for at, metric in enumerate(METRICS)
    }
    values["f1_sd_vanilla_fr_fr"] = cell("fr", "fr", "vanilla").best[1][1]
    values["fewest_seeds_in_a_cell"] = float(min(c.seeds for c in CELLS))
    stitched = (("en", "fr"), ("fr", "en"))
    for transform in ("absolute", "vanilla", "robust", "densified"):
        values[f"stitched_{transform}"] = float(
            np.mean([mean(*pair, transform) for pair in stitched])
        )
    values["stitching_cost_robust"] = max(
        abs(mean(d, e, "robust") - mean(e, e, "robust")) for d, e in stitched
    )
    tests = int(np.isfinite(differences["paired_p"]).sum())
    smallest = float(np.nanmin(differences["paired_p"]))
    return values | {
        "smallest_paired_p": smallest,
        "smallest_paired_p_corrected": min(1.0, tests * smallest),
        "smallest_welch_q": float(min(differences["welch_q"])),
    }


def draw(result: StudyResult) -> Figures:
    return {
        "accuracies": draw_accuracies(result.tables["cells"]),
        "densification": draw_differences(result.tables["densification"]),
    }


STUDY = described("relative/poster-tables", run, draw, Setting, version=2)
