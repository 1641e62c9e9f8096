"""Wider networks have closer distributions and more similar representations."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from similitude.plots import new_figure

from ...study import Config, Figures, Frame, Number, Order, Study, StudyResult, table_of
from ..plots import plot_width_means
from ._models import Setting
from ._pairs import Pairs, accurate, model_pairs, short
from ._trained_synthetic import SETTINGS as ALL_NORMS

#: Width -> mean d_LLV and mean d_fg of the authors' five models with K = 4, over pairs
#: of models with an accuracy above 0.9.
AUTHORS = {
    16: (0.4525, 0.0895),
    32: (0.4428, 0.0757),
    64: (0.2520, 0.0332),
    128: (0.1719, 0.0141),
}
SEEDS = 5
PLOTTED = {"d_llv": "$d_{LLV}$", "d_fg": "$d_{f,g}$"}
COLUMNS = ("classes", "width", "seed_a", "seed_b", *PLOTTED)

# Only models with free norms are in the figure.
SETTINGS = {scale: replace(one, norms=(0,)) for scale, one in ALL_NORMS.items()}


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    return summarize(model_pairs(config, rng), config.setting)


def summarize(pairs: Pairs, setting: Setting) -> StudyResult:
    """Means over the pairs of accurate models, for each width."""
    kept = accurate(pairs, setting)
    means = _means(kept)
    values = {}
    for name in PLOTTED:
        for width in AUTHORS:
            values[f"{name}_4_{width}"] = _mean(kept, name, 4, width)
        values[f"worst_ratio_{name}"] = _worst_ratio(means, name)
    return StudyResult(
        values=values,
        tables={
            "means": means,
            "pairs": short({name: kept[name] for name in COLUMNS}),
            "accuracies": pairs.accuracies,
        },
        notes=(
            *pairs.notes,
            *_left_out(pairs.distances, means, setting),
            *_authors_seeds(kept, setting),
        ),
    )


def _mean(table: Mapping[str, Any], name: str, classes: int, width: int) -> float:
    chosen = (table["classes"] == classes) & (table["width"] == width)
    return float(table[name][chosen].mean()) if chosen.any() else float("nan")


def _means(kept: Mapping[str, np.ndarray]) -> dict[str, list[Any]]:
    """Mean and standard deviation over pairs, for each number of classes and width."""
    rows = []
    frame = Frame(kept)
    for k, width in sorted(set(frame.unique("classes", "width"))):
        own = frame.where(classes=k, width=width)
        row = {"classes": k, "width": width, "pairs": len(own["classes"])}
        for name in PLOTTED:
            row[f"mean_{name}"] = float(own[name].mean())
            row[f"sd_{name}"] = float(own[name].std())
        rows.append(row)
    statistics = [f"{kind}_{name}" for name in PLOTTED for kind in ("mean", "sd")]
    return table_of(rows, ("classes", "width", "pairs", *statistics))


def _worst_ratio(means: Mapping[str, list[Any]], name: str) -> float:
    """The largest ratio over K of the mean at the widest to that at the narrowest."""
    ratios = []
    for k in sorted(set(means["classes"])):
        rows = [i for i, other in enumerate(means["classes"]) if other == k]
        if len(rows) > 1:
            column = means[f"mean_{name}"]
            ratios.append(column[rows[-1]] / column[rows[0]])
    return max(ratios, default=float("nan"))


def _left_out(
    distances: Mapping[str, np.ndarray], means: Mapping[str, list[Any]], setting: Any
) -> list[str]:
    shown = set(zip(means["classes"], means["width"], strict=True))
    present = zip(
        distances["classes"].tolist(), distances["width"].tolist(), strict=True
    )
    return [
        f"K = {k}, W = {width} is left out: fewer than {setting.models} models have an "
        f"accuracy above {setting.accuracy:g}."
        for k, width in sorted(set(present) - shown)
    ]


def _authors_seeds(kept: Mapping[str, np.ndarray], setting: Any) -> list[str]:
    """The means of the authors' seeds 0 to 4, if there are more."""
    if setting.seeds <= SEEDS:
        return []
    chosen = (kept["seed_a"] < SEEDS) & (kept["seed_b"] < SEEDS)
    few = {name: column[chosen] for name, column in kept.items()}
    listed = "; ".join(
        f"W = {width}: {_mean(few, 'd_llv', 4, width):.3f} and "
        f"{_mean(few, 'd_fg', 4, width):.3f}"
        for width in AUTHORS
    )
    return [
        f"Mean d_LLV and d_fg of the authors' seeds 0 to {SEEDS - 1} alone, with "
        f"K = 4: {listed}."
    ]


def draw(result: StudyResult) -> Figures:
    table = result.tables["pairs"]
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


def _published() -> tuple[Number, ...]:
    """Means of the authors' models; the tolerance is two standard errors of both."""
    found = []
    for width, means in AUTHORS.items():
        scales = ("small", "paper") if width in {16, 64} else ("paper",)
        for name, mean, tolerance in zip(PLOTTED, means, (0.1, 0.03), strict=True):
            found.append(
                Number(
                    f"{name}_4_{width}",
                    mean,
                    tolerance,
                    where="five models of the authors",
                    scales=scales,
                    note="the authors' models have the seeds 0 to 4",
                )
            )
    return tuple(found)


STUDY = Study(
    name="closeness/width",
    title="distances against the width of the networks",
    paper="nielsen2025when",
    where="figure 3, right, and appendix F.7",
    claim="Wider networks have closer distributions and more similar representations.",
    settings=SETTINGS,
    seconds={"smoke": 2, "small": 120, "paper": 30_000},
    checks=(
        Order("worst_ratio_d_llv", "<", 1.0, where="figure 3, right"),
        Order("worst_ratio_d_fg", "<", 1.0, where="figure 3, right"),
        *_published(),
    ),
    run=run,
    draw=draw,
)
