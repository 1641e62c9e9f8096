"""All pairs of trained models: d_LLV bounds the distance of representations."""

import numpy as np

from ...study import Config, Figures, Number, Order, Study, StudyResult, scales
from ._bounds import DIMENSION, bound_values, draw_bounds
from ._models import Setting
from ._pairs import Pairs, model_pairs, short

INFORMATIVE = 1 / (2 * DIMENSION)  # the published bound is below 1 for smaller d_LLV
FEW = 100
#: Width -> median test accuracy of the authors' models with K = 4.
ACCURACY = {16: 0.9915, 64: 0.9935}


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    return summarize(model_pairs(config, rng))


def summarize(pairs: Pairs) -> StudyResult:
    """Both bounds over all pairs, and accuracies beside those of the authors."""
    table, models = pairs.distances, pairs.accuracies
    values = bound_values(table)
    close = table["d_llv"] < INFORMATIVE
    values["pairs_below_0.25"] = float(close.sum())
    values["largest_d_fg_below_0.25"] = (
        float(table["d_fg"][close].max()) if close.any() else float("nan")
    )
    for width in ACCURACY:
        chosen = (models["classes"] == 4) & (models["width"] == width)
        chosen &= (models["fix_length_f"] == 0) & (models["fix_length_g"] == 0)
        accuracy = models["accuracy"][chosen]
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


SETTINGS = scales(
    Setting(classes=(4,), widths=(16, 64), seeds=5, models=3),
    smoke={
        **{"widths": (8, 16), "seeds": 3, "points": 640, "steps": 10},
        **{"accuracy": 0.0, "models": 2},
    },
    paper={
        **{"classes": (4, 6, 10, 18), "widths": (16, 32, 64, 128, 256)},
        **{"seeds": 20, "norms": (0, 20), "models": 5},
    },
)

STUDY = Study(
    name="closeness/trained-synthetic",
    title="pairs of models trained on the synthetic data",
    paper="nielsen2025when",
    where="figure 16, right, and appendix F.7",
    claim="Also for trained models, the distance of representations d_fg is at most "
    "2 M d_LLV, and models with a smaller d_LLV have more similar representations.",
    settings=SETTINGS,
    seconds={"smoke": 2, "small": 120, "paper": 120_000},
    checks=(
        Order("violations_published", "<=", 0.0, where="figure 16", theorem=True),
        Order(
            "violations_square",
            "<=",
            0.0,
            note="2 d_LLV² is our bound, not one of the paper",
            theorem=True,
        ),
        Order(
            "rank_correlation",
            ">",
            0.0,
            where="figure 16",
            note="a sign; the bound suggests it",
            theorem=True,
        ),
        *(
            Number(
                f"accuracy_4_{width}",
                accuracy,
                0.01,
                where="median of the authors' five models",
                scales=("small", "paper"),
            )
            for width, accuracy in ACCURACY.items()
        ),
    ),
    lesson="Trained models stay below the bound, as proved, and reach the accuracies "
    "of the authors' models.",
    trains=True,
    run=run,
    draw=draw,
    errata=(
        "The authors' auxiliary plots pair t1 with the unembeddings and t2 with the "
        "embeddings, which is not a bound.",
    ),
)
