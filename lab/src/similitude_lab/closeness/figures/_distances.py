"""Figures of trained models on radial data: bounds, and distances against width."""

from collections import Counter
from typing import Any

import numpy as np

from similitude.errors import InvalidInput
from similitude.plots import new_figure

from ..plots import plot_term_bound, plot_width_means
from ..results import measure_accuracies, measure_distances
from ._collect import accuracies_in, distances_in, key
from ._found import experiments_in
from ._request import Request

TERMS = (("d_LLV", "d_llv", "d_fg"), ("t1", "t1", "d_f"), ("t2", "t2", "d_g"))
COLUMNS = (
    "classes",
    "width",
    "fix_length_f",
    "fix_length_g",
    "seed_a",
    "seed_b",
    "d_llv",
    "t1",
    "t2",
    "d_fg",
    "d_f",
    "d_g",
    "kl_ab",
)
WIDTH_GROUPS = ((4, 6), (10,), (18,))
MIN_ACCURACY, MIN_SEEDS = 0.9, 5


def draw_trained(request: Request) -> None:
    """d_LLV_train_synthetic: distances of all pairs, with both bounds."""
    rows = _distances(request)
    present = "_".join(str(k) for k in sorted({row["classes"] for row in rows}))
    stem = f"all_model_distances{_options(request)}_SmallMLP_all_cls{present}"
    figure = new_figure(13.5, 4.8)
    _panels(figure.subplots(1, 3), rows, grouped=True)
    request.save(figure, f"{stem}_d_prob_vs_d_rep", _csv(rows))
    if not request.each_setting:
        return
    names = ("classes", "width", "fix_length_g", "fix_length_f")
    for setting in dict.fromkeys(key(row, names) for row in rows):
        chosen = [row for row in rows if key(row, names) == setting]
        figure = new_figure(17, 4.8)
        axes = figure.subplots(1, 4)
        _panels(axes[:3], chosen, grouped=False)
        ordered = np.sort([row["d_llv"] for row in chosen])
        axes[3].scatter(np.arange(len(ordered)), ordered, s=6, color="#002347")
        axes[3].set_xlabel("rank of the pair (count)")
        axes[3].set_ylabel("$d_{LLV}$, of distributions (no unit)")
        k, width, g, f = setting
        norms = (f"_g_{g:g}" if g else "") + (f"_f_{f:g}" if f else "")
        name = f"{chosen[0]['date']}_model_distances{_options(request)}_SmallMLP"
        stem = f"{name}{norms}_{width}_cls{k}_d_prob_vs_d_rep"
        request.save(figure, stem, _csv(chosen))


def draw_widths(request: Request) -> None:
    """d_LLV_vs_width: means over pairs of models with free norms."""
    rows = [
        row
        for row in _distances(request)
        if row["fix_length_f"] == 0 and row["fix_length_g"] == 0
    ]
    accuracies = accuracies_in(request.results, split=request.split, date=request.date)
    names = ("classes", "width", "fix_length_f", "fix_length_g")
    if not accuracies:
        raise InvalidInput(
            f"{request.results} has no accuracies. Make them with `similitude "
            f"closeness accuracies`, or use --compute."
        )
    good = {
        (*key(row, names), row["seed"])
        for row in accuracies
        if row["accuracy"] > MIN_ACCURACY
    }
    seeds = Counter(model[:-1] for model in good)
    kept = []
    for setting in dict.fromkeys(key(row, names) for row in rows):
        number = seeds[setting]
        if number < MIN_SEEDS:
            request.say(
                f"K = {setting[0]}, W = {setting[1]} is left out: {number} models have "
                f"an accuracy above {MIN_ACCURACY}, and {MIN_SEEDS} are needed."
            )
            continue
        kept += [
            row
            for row in rows
            if key(row, names) == setting
            and (*setting, row["seed_a"]) in good
            and (*setting, row["seed_b"]) in good
        ]
    if not kept:
        raise InvalidInput(
            f"{request.results} has no width with {MIN_SEEDS} models above an accuracy "
            f"of {MIN_ACCURACY}. Train more seeds or more steps."
        )
    for classes in WIDTH_GROUPS:
        chosen = [row for row in kept if row["classes"] in classes]
        if not chosen:
            request.say(f"no results for K = {', '.join(map(str, classes))}.")
            continue
        present = sorted({row["classes"] for row in chosen})
        figure = new_figure(9.5, 4.2)
        axes = figure.subplots(1, 2)
        for ax, name, label in zip(
            axes, ("d_llv", "d_fg"), ("$d_{LLV}$", "$d_{f,g}$"), strict=True
        ):
            plot_width_means(
                [row["width"] for row in chosen],
                [row[name] for row in chosen],
                groups=[row["classes"] for row in chosen],
                label=f"mean {label} ± sd (no unit)",
                ax=ax,
            )
        numbers = "_".join(map(str, present))
        stem = f"d_prob_d_rep_vs_width{_options(request)}_SmallMLP_cls{numbers}"
        request.save(figure, stem, _means(chosen))


def _distances(request: Request) -> list[dict[str, Any]]:
    """The distances of models on radial data; with --compute, missing ones are made."""
    if request.compute:
        for date, experiment in experiments_in(
            request.checkpoints, "radial_classification", request.date
        ):
            where = (experiment, request.checkpoints, request.results)
            options: dict[str, Any] = {
                "date": date,
                "split": request.split,
                "progress": request.progress,
                "say": request.say,
            }
            if len(experiment.variations.random_seeds) > 1:
                measure_distances(
                    *where, **options, weight=request.weight, seed=request.seed
                )
            measure_accuracies(*where, **options)
    rows = distances_in(
        request.results,
        dataset_types="MLP",
        weight=request.weight,
        split=request.split,
        date=request.date,
    )
    if not rows:
        raise InvalidInput(
            f"{request.results} has no distances of models on radial data with the "
            f"weight {request.weight:g} (max, max, {request.split}). Make them with "
            f"`similitude closeness distances`, or use --compute."
        )
    return rows


def _panels(axes: Any, rows: list[dict[str, Any]], *, grouped: bool) -> None:
    for ax, (which, x, y) in zip(axes, TERMS, strict=True):
        plot_term_bound(
            [row[x] for row in rows],
            [row[y] for row in rows],
            dimension=rows[0]["dim"],
            which=which,  # type: ignore[arg-type]
            groups=[row["classes"] for row in rows] if grouped else None,
            group_name="K =",
            ax=ax,
        )


def _csv(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: row[name] for name in COLUMNS} for row in rows]


def _means(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    names = ("classes", "width")
    for setting in sorted({key(row, names) for row in rows}):
        chosen = [row for row in rows if key(row, names) == setting]
        line: dict[str, Any] = dict(zip(names, setting, strict=True))
        line["pairs"] = len(chosen)
        line["models"] = len({row[s] for row in chosen for s in ("seed_a", "seed_b")})
        for name in ("d_llv", "d_fg"):
            values = [row[name] for row in chosen]
            line[f"mean_{name}"] = float(np.mean(values))
            line[f"sd_{name}"] = float(np.std(values))
        found.append(line)
    return found


def _options(request: Request) -> str:
    weight = str(request.weight).replace(".", "_")
    return f"_{request.split}_maxmax_w{weight}"
