"""Equal losses do not make equal embeddings: loss differences against m_CCA."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from similitude.errors import InvalidInput
from similitude.plots import new_figure

from ...study import Config, Figures, StudyResult, described
from ..plots import plot_loss_differences
from ..results import existing_rows, measure_accuracies, measure_mcca
from ._image_models import SMALL_NETWORKS, ImageSetting, image_models
from ._models import Rows
from ._pairs import joined

PERMUTATIONS = 9999


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: ImageSetting = config.setting
    dims = [dim for dim, _ in setting.seeds]
    config.parts.expect(len(dims))
    parts = {dim: config.parts.keep(f"dim-{dim}", _pairs, config, dim) for dim in dims}
    if config.control:
        parts = {dim: part | _related(part) for dim, part in parts.items()}
    return summarize(parts, rng, [] if config.scale == "paper" else [SMALL_NETWORKS])


def _related(part: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Similarities that the differences of losses determine, for the control."""
    loss = dict(zip(part["seed"].tolist(), part["loss"].tolist(), strict=True))
    pairs = zip(part["seed_a"].tolist(), part["seed_b"].tolist(), strict=True)
    return {"m_cca": np.array([1 - abs(loss[a] - loss[b]) for a, b in pairs])}


def summarize(
    parts: Mapping[int, Mapping[str, np.ndarray]],
    rng: np.random.Generator,
    notes: Sequence[str] = (),
) -> StudyResult:
    """Rank correlations of m_CCA with differences of losses, for each M."""
    values: dict[str, float] = {}
    tables = []
    for (dim, part), generator in zip(
        parts.items(), rng.spawn(len(parts)), strict=True
    ):
        seeds, loss = part["seed"].tolist(), part["loss"]
        pairs = [part[name].tolist() for name in ("seed_a", "seed_b")]
        index = np.array([[seeds.index(seed) for seed in side] for side in pairs])
        rho, p = _seed_permutation_test(part["m_cca"], loss, index, generator)
        low, high = _jackknife_interval(part["m_cca"], loss, index)
        values |= {
            f"low_{dim}": low,
            f"high_{dim}": high,
            f"strongest_{dim}": max(abs(low), abs(high)),
            f"pairs_{dim}": float(index.shape[1]),
            f"rank_correlation_{dim}": rho,
            f"p_{dim}": p,
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
    permuted = (
        f"p is from {PERMUTATIONS:,} permutations of the losses over seeds (fewer if "
        f"the seeds have fewer orders), because pairs that share a seed are dependent. "
        f"The test is two-sided. The 95 % interval of the correlation is from a "
        f"jackknife over seeds; strongest is the end that is farther from 0."
    )
    return StudyResult(
        values=values, tables={"pairs": joined(tables)}, notes=(*notes, permuted)
    )


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


def _seed_permutation_test(
    m_cca: np.ndarray, loss: np.ndarray, index: np.ndarray, rng: np.random.Generator
) -> tuple[float, float]:
    """Spearman correlation with loss differences, and p if losses are permuted.

    Both are NaN for fewer than three pairs, which have no order.
    """
    if len(m_cca) < 3:
        return math.nan, math.nan
    ranks = stats.zscore(stats.rankdata(m_cca))

    def correlation(losses: np.ndarray, axis: int) -> np.ndarray:
        losses = np.moveaxis(losses, axis, -1)
        difference = np.abs(losses[..., index[0]] - losses[..., index[1]])
        ordered = stats.zscore(stats.rankdata(difference, axis=-1), axis=-1)
        return np.asarray(ordered @ ranks / len(ranks))

    result = stats.permutation_test(
        (loss,),
        correlation,
        permutation_type="pairings",
        n_resamples=PERMUTATIONS,
        vectorized=True,
        batch=1000,
        rng=rng,
    )
    return float(result.statistic), float(result.pvalue)


def _jackknife_interval(
    m_cca: np.ndarray, loss: np.ndarray, index: np.ndarray
) -> tuple[float, float]:
    """The correlation with a t interval over seeds; NaN for fewer than four seeds."""
    n = len(loss)
    if n < 4:
        return math.nan, math.nan
    gaps = np.abs(loss[index[0]] - loss[index[1]])
    without = [
        stats.spearmanr(m_cca[kept], gaps[kept]).statistic
        for kept in ((index != seed).all(axis=0) for seed in range(n))
    ]
    error = math.sqrt((n - 1) * np.var(without))
    half = float(stats.t.ppf(0.975, n - 1)) * error
    rho = float(stats.spearmanr(m_cca, gaps).statistic)
    return max(-1.0, rho - half), min(1.0, rho + half)


def draw(result: StudyResult) -> Figures:
    table = result.frame("pairs")
    dims = table.unique("dim")
    figure = new_figure(4.2 * len(dims), 4.0)
    axes = figure.subplots(1, len(dims), sharex=True, sharey=True, squeeze=False)[0]
    for ax, dim in zip(axes, dims, strict=True):
        own = table.where(dim=dim)
        rho, p = (result.values[f"{name}_{dim}"] for name in ("rank_correlation", "p"))
        plot_loss_differences(
            own["m_cca"],
            own["loss_difference"],
            title=f"M = {dim}: {len(own['dim'])} pairs, ρ = {rho:.2f} (p = {p:.2g})",
            ax=ax,
        )
        ax.label_outer()
    return {"losses": figure}


STUDY = described(
    "closeness/loss-vs-mcca", run, draw, ImageSetting, trains=True, version=2
)
