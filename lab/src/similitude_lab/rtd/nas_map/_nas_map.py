"""A map of recurrent architectures by the RTD of their word embeddings."""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import stats
from scipy.spatial.distance import squareform

import similitude as sim

from ...study import Config, Figures, Frame, StudyResult, described, table_of
from ._cells import Setting
from ._map_figures import draw_map, draw_pairs
from ._word_embeddings import read_benchmark, train_cells


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    origin = f"random cells, trained on {setting.text}"
    if config.data is None:
        models, about = train_cells(config, rng)
    else:
        models = read_benchmark(config.data, setting.cells, rng)
        about, origin = list(models), "random models of NAS-Bench-NLP"
    config.parts.expect(1)
    given = models, setting.batches, setting.words
    found = config.parts.keep("pairs", compare_all, *given)
    numbers = [float(model["log_perplexity"]) for model in models.values()]
    log_perplexity = np.array(numbers)
    a, b = np.triu_indices(len(models), 1)
    apart = np.abs(log_perplexity[a] - log_perplexity[b])
    points, stress = sim.plots.metric_mds(squareform(found["rtd"]))
    values = judged(found, apart, log_perplexity) | {"stress": stress}
    tables = {
        "models": {
            "model": list(models),
            "cell": about,
            "log_perplexity": log_perplexity,
            "x": points[:, 0],
            "y": points[:, 1],
        },
        "pairs": {"a": a, "b": b, **found, "perplexity_difference": apart},
    }
    note = f"The map has {len(models)} {origin}."
    return StudyResult(values=values, tables=tables, notes=(note,))


def compare_all(
    models: Mapping[str, Mapping[str, Any]], batches: int, words: int
) -> dict[str, np.ndarray]:
    """RTD (sum of both directions), its standard error and CKA of all pairs.

    All pairs are compared on the same random batches of words.
    """
    embeddings = [np.asarray(model["embeddings"]) for model in models.values()]
    rtd, seed = sim.measures.RTD(batch=words, draws=batches), np.random.SeedSequence(0)
    cka = sim.measures.CKA()
    sides = [(rtd.prepare(e, seed), cka.prepare(e, seed)) for e in embeddings]
    rows = []
    for one, two in itertools.combinations(sides, 2):
        details = rtd.details(one[0], two[0])
        error = details["standard_error"] or 0.0  # None: all words are in one batch
        rows.append(
            {
                "rtd": 2 * float(rtd.compare(one[0], two[0])),
                "standard_error": 2 * float(error),
                "cka": float(cka.compare(one[1], two[1])),
            }
        )
    return dict(Frame(table_of(rows)))


def violations(distances: np.ndarray) -> float:
    """Share of triples in which one distance exceeds the sum of the two others."""
    broken = [
        2 * max(sides) > sum(sides)
        for i, j, k in itertools.combinations(range(len(distances)), 3)
        for sides in [(distances[i, j], distances[i, k], distances[j, k])]
    ]
    return float(np.mean(broken))


def judged(
    found: Mapping[str, np.ndarray], apart: np.ndarray, log_perplexity: np.ndarray
) -> dict[str, float]:
    distances = squareform(found["rtd"])
    spearman, p = sim.stats.mantel(distances, squareform(apart))
    return {
        "pearson": float(stats.pearsonr(found["rtd"], apart).statistic),
        "spearman": spearman,
        "p_mantel": p,
        "spearman_cka": float(stats.spearmanr(1 - found["cka"], apart).statistic),
        "triangle_violations": violations(distances),
        "relative_error": float(np.mean(found["standard_error"] / found["rtd"])),
        "rtd_mean": float(found["rtd"].mean()),
        "rtd_sd": float(found["rtd"].std()),
        "perplexity_low": float(np.exp(log_perplexity.min())),
        "perplexity_high": float(np.exp(log_perplexity.max())),
    }


def draw(result: StudyResult) -> Figures:
    return {
        "map": draw_map(result.tables["models"], result.values["stress"]),
        "pairs": draw_pairs(result.tables["pairs"]),
    }


STUDY = described("rtd/nas-map", run, draw, Setting, trains=True)
