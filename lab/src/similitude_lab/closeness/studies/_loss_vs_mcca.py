"""Equal losses do not make equal embeddings: loss differences against m_CCA."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from similitude.errors import InvalidInput
from similitude.plots import new_figure

from ...study import Config, Figures, StudyResult, correlation, described
from ..plots import plot_loss_differences
from ..results import existing_rows, measure_accuracies, measure_mcca
from ._image_models import SMALL_NETWORKS, ImageSetting, image_models
from ._models import Rows
from ._pairs import joined

STRONG = 0.5  # a rank correlation


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: ImageSetting = config.setting
    dims = [dim for dim, _ in setting.seeds]
    config.parts.expect(len(dims))
    parts = {dim: config.parts.keep(f"dim-{dim}", _pairs, config, dim) for dim in dims}
    return summarize(parts, [] if config.scale == "paper" else [SMALL_NETWORKS])


def summarize(
    parts: Mapping[int, Mapping[str, np.ndarray]], notes: Sequence[str] = ()
) -> StudyResult:
    """Rank correlations of m_CCA with differences of losses, for each M."""
    values: dict[str, float] = {}
    tables = []
    for dim, part in parts.items():
        seeds, loss = part["seed"].tolist(), part["loss"]
        pairs = [part[name].tolist() for name in ("seed_a", "seed_b")]
        index = np.array([[seeds.index(seed) for seed in side] for side in pairs])
        rho, low, high = _jackknife_interval(part["m_cca"], loss, index)
        values |= {
            f"low_{dim}": low,
            f"high_{dim}": high,
            **strength(dim, low, high),
            f"pairs_{dim}": float(index.shape[1]),
            f"rank_correlation_{dim}": rho,
            f"smallest_m_cca_{dim}": float(part["m_cca"].min()),
            f"largest_m_cca_{dim}": float(part["m_cca"].max()),
            f"mean_accuracy_{dim}": float(part["accuracy"].mean()),
        }
        table = {
            "dim": np.full(index.shape[1], dim),
            "seed_a": part["seed_a"],
            "seed_b": part["seed_b"],
            "m_cca": part["m_cca"],
            "loss_a": loss[index[0]],
            "loss_b": loss[index[1]],
            "loss_difference": np.abs(loss[index[0]] - loss[index[1]]),
        }
        tables.append(table)
    interval = (
        f"The 95 % interval of the rank correlation is from a jackknife over seeds, "
        f"because pairs that share a seed are dependent; strongest is the end that is "
        f"farther from 0. An interval with 0 and with correlations beyond {STRONG} "
        f"decides nothing."
    )
    return StudyResult(
        values=values, tables={"pairs": joined(tables)}, notes=(*notes, interval)
    )


def strength(dim: int, low: float, high: float) -> dict[str, float]:
    """The strongest correlation of an interval, and whether the interval decides.

    It does if it has only weak correlations, or not 0.
    """
    strongest = max(abs(low), abs(high))
    decided = strongest < STRONG or low > 0 or high < 0
    return {f"strongest_{dim}": strongest, f"decided_{dim}": float(decided)}


def _pairs(config: Config, dim: int) -> dict[str, np.ndarray]:
    if config.results is not None:
        part = existing_part(config.results, config.setting.network, dim)
        if len(part["m_cca"]):
            return part
    with image_models(config, dim) as found:
        where = (found.experiment, found.checkpoints)
        pairs = measure_mcca(*where, date=found.date).to_dicts()
        models = measure_accuracies(*where, date=found.date).to_dicts()
    return as_part(pairs, models)


def existing_part(
    results: Path, network: str, dim: int, date: str | None = None
) -> dict[str, np.ndarray]:
    """The correlations and losses in a results folder; it may have none."""
    wanted: dict[str, list[Any]] = {"model_type": [network], "dim": [dim]}
    wanted |= {"split": ["test"], "status": ["ok"]}
    wanted |= {} if date is None else {"date": [date]}
    pairs = existing_rows(results, "mcca", wanted)
    models = existing_rows(results, "losses", wanted)
    known = {row["seed"] for row in models}
    for row in pairs:
        if not {row["seed_a"], row["seed_b"]} <= known:
            raise InvalidInput(
                f"{results} has no loss of the pair {row['seed_a']}vs{row['seed_b']} "
                f"({network}, M = {dim}); measure it with `similitude closeness "
                f"accuracies`."
            )
    return as_part(pairs, models)


def as_part(pairs: Rows, models: Rows) -> dict[str, np.ndarray]:
    """Columns of pairs and of models; the authors' losses have no accuracies."""
    return {
        "seed": np.array([row["seed"] for row in models]),
        "loss": np.array([row["nll"] for row in models]),
        "accuracy": np.array([row.get("accuracy", math.nan) for row in models]),
        "seed_a": np.array([row["seed_a"] for row in pairs]),
        "seed_b": np.array([row["seed_b"] for row in pairs]),
        "m_cca": np.array([row["m_cca_f"] for row in pairs]),
    }


def _jackknife_interval(
    m_cca: np.ndarray, loss: np.ndarray, index: np.ndarray
) -> tuple[float, float, float]:
    """Spearman's correlation with loss differences, and its t interval over seeds.

    Fewer than three pairs have no correlation, and fewer than four seeds no interval.
    """
    gaps = np.abs(loss[index[0]] - loss[index[1]])
    few = len(gaps) < 3
    rho = math.nan if few else correlation("spearman", m_cca, gaps)
    n = len(loss)
    if n < 4:
        return rho, math.nan, math.nan
    without = [
        correlation("spearman", m_cca[kept], gaps[kept])
        for kept in ((index != seed).all(axis=0) for seed in range(n))
    ]
    half = float(stats.t.ppf(0.975, n - 1)) * math.sqrt((n - 1) * np.var(without))
    low, high = np.clip([rho - half, rho + half], -1.0, 1.0).tolist()
    return rho, low, high


def draw(result: StudyResult) -> Figures:
    table = result.frame("pairs")
    dims = table.unique("dim")
    figure = new_figure(4.2 * len(dims), 4.0)
    axes = figure.subplots(1, len(dims), sharex=True, sharey=True, squeeze=False)[0]
    for ax, dim in zip(axes, dims, strict=True):
        own = table.where(dim=dim)
        names = ("rank_correlation", "low", "high")
        rho, low, high = (result.values[f"{name}_{dim}"] for name in names)
        plot_loss_differences(
            own["m_cca"],
            own["loss_difference"],
            title=f"M = {dim}: {len(own['dim'])} pairs, "
            f"ρ = {rho:.2f} ({low:.2f} to {high:.2f})",
            ax=ax,
        )
        ax.label_outer()
    return {"losses": figure}


STUDY = described(
    "closeness/loss-vs-mcca",
    run,
    draw,
    ImageSetting,
    trains=True,
    version=3,
)
