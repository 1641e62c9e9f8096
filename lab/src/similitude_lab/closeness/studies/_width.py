"""Wider networks have closer distributions and more similar representations."""

from collections.abc import Mapping

import numpy as np

from similitude.plots import new_figure

from ...study import Config, Figures, Frame, StudyResult, described, short, table_of
from ..plots import plot_width_means
from ._models import Setting
from ._pairs import Pairs, accurate, model_pairs

WIDTHS = (16, 32, 64, 128)  # of the authors' models with K = 4
SEEDS = range(5)
PLOTTED = {"d_llv": "$d_{LLV}$", "d_fg": "$d_{f,g}$"}
COLUMNS = ("classes", "width", "seed_a", "seed_b", *PLOTTED)


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    return summarize(model_pairs(config, rng), config.setting)


def summarize(pairs: Pairs, setting: Setting) -> StudyResult:
    """Means over the pairs of accurate models, for each width."""
    kept = accurate(pairs, setting)
    means = _means(kept)
    few = kept.where(seed_a=SEEDS, seed_b=SEEDS)
    values = {}
    for name in PLOTTED:
        for width in WIDTHS:
            values[f"{name}_4_{width}"] = _mean(few, name, 4, width)
            values[f"{name}_4_{width}_all"] = _mean(kept, name, 4, width)
        values |= _steps(means, name)
    return StudyResult(
        values=values,
        tables={
            "means": means,
            "pairs": short({name: kept[name] for name in COLUMNS}),
            "accuracies": pairs.accuracies,
        },
        notes=(
            *pairs.notes,
            *_left_out(pairs, means, setting),
            *_all_seeds(values, setting),
        ),
    )


def _mean(table: Frame, name: str, classes: int, width: int) -> float:
    values = table.where(classes=classes, width=width)[name]
    return float(values.mean()) if len(values) else float("nan")


def _means(kept: Frame) -> Frame:
    """Mean and standard deviation over pairs, for each number of classes and width."""
    rows = []
    for k, width in sorted(kept.unique("classes", "width")):
        own = kept.where(classes=k, width=width)
        row = {"classes": k, "width": width, "pairs": len(own["classes"])}
        for name in PLOTTED:
            row[f"mean_{name}"] = float(own[name].mean())
            row[f"sd_{name}"] = float(own[name].std())
        rows.append(row)
    statistics = [f"{kind}_{name}" for name in PLOTTED for kind in ("mean", "sd")]
    return Frame(table_of(rows, ("classes", "width", "pairs", *statistics)))


def _steps(means: Frame, name: str) -> dict[str, float]:
    """Steps to the next width at which the mean rises, and the largest ratio of ends.

    Both are over all numbers of classes; NaN if there is a single width.
    """
    by_classes = [means.where(classes=k) for k in means.unique("classes")]
    curves = [own[f"mean_{name}"] for own in by_classes if len(own["classes"]) > 1]
    rises = [float((np.diff(curve) > 0).sum()) for curve in curves]
    ratios = [float(curve[-1] / curve[0]) for curve in curves]
    return {
        f"rises_{name}": sum(rises) if rises else float("nan"),
        f"worst_ratio_{name}": max(ratios, default=float("nan")),
    }


def _left_out(pairs: Pairs, means: Frame, setting: Setting) -> list[str]:
    """Widths without enough accurate models, or without accuracies."""
    shown, present, measured = (
        set(table.unique("classes", "width"))
        for table in (means, pairs.distances, pairs.accuracies)
    )
    few = (
        f"fewer than {setting.models} models have an accuracy above "
        f"{setting.accuracy:g}."
    )
    none = (
        "its accuracies were not measured; measure them with `similitude closeness "
        "accuracies`."
    )
    return [
        f"K = {k}, W = {width} is left out: {few if (k, width) in measured else none}"
        for k, width in sorted(present - shown)
    ]


def _all_seeds(values: Mapping[str, float], setting: Setting) -> list[str]:
    """The means of all seeds, if there are more than the authors'."""
    if setting.seeds <= len(SEEDS):
        return []
    listed = "; ".join(
        f"W = {width}: {values[f'd_llv_4_{width}_all']:.3f} and "
        f"{values[f'd_fg_4_{width}_all']:.3f}"
        for width in WIDTHS
        if np.isfinite(values[f"d_llv_4_{width}_all"])
    )
    if not listed:
        return []
    return [
        f"Judged means are those of the authors' seeds 0 to {SEEDS[-1]}. Mean d_LLV "
        f"and d_fg of all {setting.seeds} seeds, with K = 4: {listed}."
    ]


def draw(result: StudyResult) -> Figures:
    table = result.tables["pairs"]
    if not len(table["width"]):
        return {}  # no width has enough accurate models; the notes say so
    figure = new_figure(9.0, 4.0)
    for panel, (name, label) in zip(
        figure.subplots(1, 2), PLOTTED.items(), strict=True
    ):
        plot_width_means(
            table["width"],
            table[name],
            groups=table["classes"],
            label=f"mean {label} ± sd (no unit)",
            ax=panel,
        )
    return {"width": figure}


STUDY = described(
    "closeness/width",
    run,
    draw,
    Setting,
    trains=True,
    version=2,
)
