"""All pairs of trained models: d_LLV bounds the distance of representations."""

import numpy as np

from ...study import Config, Figures, StudyResult, described, short
from ._bounds import DIMENSION, bound_values, draw_bounds
from ._models import Setting
from ._pairs import Pairs, model_pairs

INFORMATIVE = 1 / (2 * DIMENSION)  # the published bound is below 1 for smaller d_LLV
FEW = 100
WIDTHS = (16, 64)  # with published accuracies
SEEDS = range(5)  # of the authors' models


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    return summarize(model_pairs(config, rng))


def summarize(pairs: Pairs) -> StudyResult:
    """Both bounds over all pairs, and accuracies next to those of the authors."""
    table, models = pairs.distances, pairs.accuracies
    values = bound_values(table)
    close = table["d_llv"] < INFORMATIVE
    values["pairs_below_0.25"] = float(close.sum())
    values["largest_d_fg_below_0.25"] = (
        float(table["d_fg"][close].max()) if close.any() else float("nan")
    )
    for width in WIDTHS:
        free = models.where(classes=4, width=width, fix_length_f=0, fix_length_g=0)
        accuracy = free.where(seed=SEEDS)["accuracy"]
        values[f"accuracy_4_{width}"] = (
            float(np.median(accuracy)) if len(accuracy) else float("nan")
        )
    swapped = (
        f"The distance of embeddings d_f exceeds 2 t2² in "
        f"{values['violations_swapped']:.0f} of {values['pairs']:.0f} pairs; the bound "
        f"on d_f is 2 t1²."
    )
    tables = {"distances": short(table), "accuracies": models}
    return StudyResult(
        values=values,
        tables=tables,
        notes=(*pairs.notes, swapped),
        complete=(len(table["d_llv"]), max(pairs.expected, len(table["d_llv"]))),
    )


def draw(result: StudyResult) -> Figures:
    table = result.frame("distances")
    few = len(table["d_llv"]) <= FEW  # of many pairs, only those below 0.25 are drawn
    return {"bounds": draw_bounds(table, "width", "W", all_pairs=few)}


STUDY = described("closeness/trained-synthetic", run, draw, Setting, trains=True)
