"""Score a base cloud against a row of clouds, and rank the scores."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

import similitude as sim

from ..study import Config, Parts, StudyResult, table_of
from ..training._digits_networks import point_measures, score_or_nan
from ._clouds import barcode_table, cloud_table

Clouds = Mapping[int, np.ndarray]


@dataclass(frozen=True)
class Setting:
    """Runs of the noisy IMD; whether all measures of the library are scored."""

    imd_runs: int
    library: bool


#: Rows of the paper's figures, and corrected forms of the same measures.
PUBLISHED = ("rtd", "cka", "svcca", "imd")
CORRECTED = ("svcca_singular_values", "svcca_variance", "imd_exact")
RANKS = {"kendall": stats.kendalltau, "spearman": stats.spearmanr}


def rtd_of_authors(x: np.ndarray, y: np.ndarray) -> float:
    """Half the sum of both directions, with the rounding of the authors' code."""
    pairs = ((x, y), (y, x))
    bars = [
        sim.topology.r_cross_barcode(*pair, compat="reference")[1] for pair in pairs
    ]
    return float(sum(h1.total_persistence for h1 in bars) / 2)


def imd_of_authors(
    base: np.ndarray, clouds: Clouds, runs: int, seed: np.random.SeedSequence
) -> dict[str, np.ndarray]:
    """Scores of the published code, averaged over runs; sides draw independently."""
    measure = sim.measures.IMD(estimator="stochastic")
    scores = np.zeros((runs, len(clouds)))
    for run, child in enumerate(seed.spawn(runs)):
        seeds = child.spawn(1 + len(clouds))
        fixed = measure.prepare(base, seeds[0])
        for at, (cloud, own) in enumerate(zip(clouds.values(), seeds[1:], strict=True)):
            scores[run, at] = measure.compare(fixed, measure.prepare(cloud, own))
    return {"scores": scores.mean(axis=0), "sd": scores.std(axis=0, ddof=1)}


def one_by_one(score: Callable[..., Any]) -> Callable[[np.ndarray, Clouds], dict]:
    """Scores of the base cloud against each cloud; NaN where a score is undefined."""

    def scores(base: np.ndarray, clouds: Clouds) -> dict[str, list[float]]:
        return {"scores": [score_or_nan(score, base, one) for one in clouds.values()]}

    return scores


def published_scores(
    config: Config, rng: np.random.Generator, base: np.ndarray, clouds: Clouds
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Scores of the measures in the paper's figures, by name, one per cloud.

    Then the deviations of IMD and RTD over runs, as shares of their scores.
    """
    seed = np.random.SeedSequence(rng.integers(2**32, size=4).tolist())
    fixed: dict[str, Callable[..., Any]] = {
        "rtd": rtd_of_authors,
        "cka": partial(sim.cka, estimator="biased"),
        "svcca": partial(sim.svcca, variant="as_published"),
        "svcca_singular_values": partial(sim.svcca, by="singular_values"),
        "svcca_variance": sim.svcca,
        "imd_exact": partial(sim.imd, estimator="exact"),
    }
    keep = config.parts.keep
    kept = {name: keep(name, one_by_one(fixed[name]), base, clouds) for name in fixed}
    runs = config.setting.imd_runs
    kept["imd"] = keep("imd", imd_of_authors, base, clouds, runs, seed)
    kept["rtd, again"] = keep("rtd-again", one_by_one(rtd_of_authors), base, clouds)
    scores = {name: kept[name]["scores"] for name in (*PUBLISHED, *CORRECTED)}
    twice = np.array([kept["rtd"]["scores"], kept["rtd, again"]["scores"]])
    spreads = {"imd": kept["imd"]["sd"], "rtd": twice.std(axis=0, ddof=1)}
    return scores, {
        name: np.divide(sd, scores[name], np.zeros(len(sd)), where=scores[name] > 0)
        for name, sd in spreads.items()
    }


def library_scores(
    parts: Parts, base: np.ndarray, clouds: Clouds, names: tuple[str, ...]
) -> dict[str, np.ndarray]:
    """Scores of measures of the library, at their defaults, one per cloud."""
    found = {}
    for name in names:
        score = partial(sim.MEASURES[name], rng=0)
        kept = parts.keep(f"library-{name}", one_by_one(score), base, clouds)
        found[name] = kept["scores"]
    return found


def rank_correlations(
    counts: tuple[int, ...], scores: Mapping[str, np.ndarray]
) -> dict[str, float]:
    """Kendall and Spearman correlations of dissimilarities with the counts.

    Similarities keep their sign, as in the paper. Constant scores have no correlation.
    """
    found = {}
    for name, row in scores.items():
        usable = np.isfinite(row).all() and np.ptp(row) > 0
        for kind, test in RANKS.items():
            value = float(test(counts, row).statistic) if usable else float("nan")
            found[f"{kind}_{name}"] = value
    return found


def library_table(
    counts: tuple[int, ...], scores: Mapping[str, np.ndarray]
) -> dict[str, dict[str, list[Any]]]:
    """One row per measure: its correlations, and its score of each cloud."""
    if not scores:
        return {}
    ranks = rank_correlations(counts, scores)
    rows = (
        {"measure": name, **{kind: ranks[f"{kind}_{name}"] for kind in RANKS}}
        | {f"score_{k}": float(score) for k, score in zip(counts, row, strict=True)}
        for name, row in scores.items()
    )
    return {"library": table_of(rows)}


def rank_clouds(
    config: Config,
    rng: np.random.Generator,
    points: Clouds,
    counts: tuple[int, ...],
    unit: str,
) -> StudyResult:
    """Score the first cloud of `points` against those of `counts`, which count units.

    The tables have all points, and the bars of all clouds but the first.
    """
    base = next(iter(points.values()))
    clouds = {k: points[k] for k in counts}
    names: tuple[str, ...] = ()
    if config.setting.library:
        names = point_measures(base[:20], undefined=False)
    config.parts.expect(1 + len(PUBLISHED) + len(CORRECTED) + len(names))
    scores, spreads = published_scores(config, rng, base, clouds)
    others = library_scores(config.parts, base, clouds, names)
    values = rank_correlations(counts, scores)
    values |= {f"rtd_{k}": v for k, v in zip(counts, scores["rtd"], strict=True)}
    tables: dict[str, Any] = {
        "scores": {unit: counts, **scores},
        "runs": table_of(
            {unit: k, "measure": name, "spread": float(spread)}
            for name, row in spreads.items()
            for k, spread in zip(counts, row, strict=True)
        ),
        "clouds": cloud_table(points),
        "barcodes": barcode_table(base, dict(list(points.items())[1:])),
        **library_table(counts, others),
    }
    return StudyResult(values=values, tables=tables)
