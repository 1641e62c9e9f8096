"""Two models with losses near 0 whose embeddings are not linearly related."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from similitude.identifiability import kl, m_cca, theorem2
from similitude.inputs import SoftmaxModel

from ..study import Config, Figures, StudyResult, Table, described, table_of
from ._length import h
from ._pair_figures import draw_embeddings, draw_lengths, draw_sweep
from ._workshop import STEP, noisy_copy, workshop_models, workshop_sweep

Seed = np.random.SeedSequence
#: Steps between labels as shares of the published step, and the length for small ones.
SMALLER = {"published": (1.0,) * 3, "uneven": (0.5, 0.05, 0.5), "equal": (0.35,) * 3}
LONG, ANGLE_DRAWS = 440_000.0, 5
SHORT = 575.0  # length of unembeddings at which the ratios of means are as printed


@dataclass(frozen=True)
class Setting:
    """Number of random draws of the pair; divisors of the angle in the sweep."""

    seeds: int
    divisors: tuple[int, ...]


def pair_values(seed: Seed) -> dict[str, float]:
    """All reported numbers of one draw of the pair."""
    models = workshop_models(seed.spawn(1)[0])
    prime, star, square = models.prime, models.star, models.square
    labels, own = models.labels, np.arange(len(models.labels))
    differences = np.abs(prime.log_probs() - star.log_probs())
    right = differences[own, labels]
    found = {
        "nll_prime": prime.nll(labels),
        "nll_star": star.nll(labels),
        "nll_square": square.nll(labels),
        "max_difference": right.max(),
        "max_wrong_difference": differences[np.arange(4) != labels[:, None]].max(),
        "m_cca_f": m_cca(prime.embeddings, star.embeddings),
        "m_cca_f_square": m_cca(prime.embeddings, square.embeddings),
        "m_cca_g": m_cca(prime.unembeddings, star.unembeddings),
        "m_cca_g_square": m_cca(prime.unembeddings, square.unembeddings),
        "kl_prime_star": kl(prime, star),
        "kl_star_prime": kl(star, prime),
    }
    for factor in (2, 4):
        noisy = noisy_copy(prime.embeddings, factor, seed.spawn(1)[0])
        found[f"m_cca_noise_{factor}"] = m_cca(prime.embeddings, noisy)
    return (
        {name: float(value) for name, value in found.items()}
        | _maps(models)
        | _ratio_of_means(workshop_models(seed.spawn(1)[0], prime_length=SHORT))
        | _singular(models)
    )


def _decomposed(models: Any, prime: SoftmaxModel) -> tuple[Any, float]:
    """Theorem 2 for theta* and another model, and the error of its reconstruction."""
    inputs = [int(np.flatnonzero(models.labels == y)[0]) for y in (0, 1, 3)]
    maps = theorem2(models.star, prime, models.diversity_labels, inputs)
    rebuilt = prime.embeddings @ maps.a.T + maps.h_f
    worst = np.abs(rebuilt - models.star.embeddings).max()
    return maps, float(worst / np.abs(models.star.embeddings).max())


def _maps(models: Any) -> dict[str, float]:
    """The linear maps of Theorem 2: their reconstruction and their error ratios."""
    maps, error = _decomposed(models, models.prime)
    return {
        "reconstruction": error,
        "error_ratio_1": float(maps.relative_error_f[0]),
        "error_ratio_2": float(maps.relative_error_f[1]),
        "rank_a": float(maps.spreads["A"].rank),
        "rank_e": float(maps.spreads["E"].rank),
    }


def _ratio_of_means(models: Any) -> dict[str, float]:
    """Mean |epsilon| over mean |L''f'|, a candidate for the printed ratios."""
    maps, _ = _decomposed(models, models.prime)
    first, *others = (models.prime.unembeddings[y] for y in models.diversity_labels)
    images = models.prime.embeddings @ (np.array(others) - first).T
    ratio = np.abs(maps.epsilon_f).mean(axis=0) / np.abs(images).mean(axis=0)
    return {"ratio_of_means_1": float(ratio[0]), "ratio_of_means_2": float(ratio[1])}


def _singular(models: Any) -> dict[str, float]:
    """Appendix C with E != 0: all unembeddings of the second model are on one line."""
    flat = models.prime.unembeddings * np.array([1.0, 0.0])
    maps, error = _decomposed(models, SoftmaxModel(models.prime.embeddings, flat))
    return {"rank_a_on_line": float(maps.spreads["A"].rank), "error_on_line": error}


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(setting.seeds + 2)
    seeds = [
        Seed(child.integers(2**32, size=4).tolist())
        for child in rng.spawn(setting.seeds + 1)
    ]
    draws = [
        config.parts.keep(f"pair-{i}", pair_values, seed)
        for i, seed in enumerate(seeds[:-1])
    ]
    by_seed = {name: [float(draw[name]) for draw in draws] for name in draws[0]}
    values = {name: float(np.mean(column)) for name, column in by_seed.items()}
    divisors = setting.divisors
    sweep = config.parts.keep("sweep", _sweep, divisors, seeds[-1])
    angles = config.parts.keep("angles", _angles, seeds[:ANGLE_DRAWS])
    values |= {
        "m_cca_smallest_angle": float(sweep["m_cca"][-1]),
        "m_cca_published_angle": float(sweep["m_cca"][0]),
        "probability_at_600": math.exp(h(600.0)),
        "h_at_1100": float(h(1100.0)),
    }
    lengths = np.linspace(0.0, 1000.0, 251)
    tables: dict[str, Table] = {
        "seeds": {"seed": list(range(setting.seeds)), **by_seed},
        "sweep": sweep,
        "angles": angles,
        "lengths": {"length": lengths, "h": h(lengths)},
        "embeddings": _embeddings(seeds[0]),
    }
    return StudyResult(values=values, tables=tables)


def _sweep(divisors: tuple[int, ...], seed: Seed) -> dict[str, Any]:
    """Narrower labels and longer unembeddings, step by step."""
    sweep = zip(divisors, workshop_sweep(seed, divisors=divisors), strict=True)
    return table_of(
        {
            "divisor": float(divisor),
            "prime_length": float(models.prime_length),
            "star_length": float(models.star_length),
            "nll_prime": float(models.prime.nll(models.labels)),
            "nll_star": float(models.star.nll(models.labels)),
            "m_cca": m_cca(models.prime.embeddings, models.star.embeddings),
        }
        for divisor, models in sweep
    )


def _angles(seeds: Sequence[Seed]) -> dict[str, Any]:
    """m_CCA and loss at the published angles, and at two sets of smaller ones.

    The other model stays the same. The uneven set has one step much smaller than the
    others; the equal set has the same outer angles.
    """
    rows = []
    for draw, seed in enumerate(seeds):
        for arm, steps in SMALLER.items():
            length = 1100.0 if arm == "published" else LONG
            angles = tuple(STEP * one for one in steps)
            models = workshop_models(seed, step=angles, prime_length=length)
            score = m_cca(models.prime.embeddings, models.star.embeddings)
            row = {"draw": draw, "arm": arm, "m_cca": score}
            rows.append(row | {"nll": float(models.prime.nll(models.labels))})
    return table_of(rows)


def _embeddings(seed: Seed) -> dict[str, Any]:
    """Embeddings of the three models in the first draw, every fifth input."""
    models = workshop_models(seed.spawn(1)[0])
    chosen = np.arange(0, len(models.labels), 5)
    columns: dict[str, Any] = {"label": models.labels[chosen]}
    for name in ("prime", "star", "square"):
        embeddings = getattr(models, name).embeddings[chosen]
        columns |= {f"{name}_x": embeddings[:, 0], f"{name}_y": embeddings[:, 1]}
    return columns


def draw(result: StudyResult) -> Figures:
    return {
        "embeddings": draw_embeddings(result.tables["embeddings"]),
        "lengths": draw_lengths(result.tables["lengths"]),
        "sweep": draw_sweep(result.tables["sweep"]),
    }


STUDY = described("challenges/dissimilar-pair", run, draw, Setting, version=2)
