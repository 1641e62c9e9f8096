"""Are good models similar, and are their latent spaces isometric up to scale?"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

import similitude as sim
from similitude.plots import COLORS

from ..study import Config, Figures, StudyResult, described, table_of
from ..study.panels import subplots
from ..training._digits_networks import digits, trained

WIDTHS = (64, 32)


@dataclass(frozen=True)
class Setting:
    """Seeds of each number of epochs; training stops early or late."""

    seeds: int
    epochs: tuple[int, ...]


def residuals(x: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Shares of the variance of y that a scaled rotation, or an affine map, misses."""
    x, y = (z - z.mean(axis=0) for z in (x.astype(float), y.astype(float)))
    whole = np.square(y).sum()
    nuclear = np.linalg.svd(x.T @ y, compute_uv=False).sum()
    u, s, _ = np.linalg.svd(x, full_matrices=False)
    u = u[:, s > max(x.shape) * np.finfo(float).eps * s[0]]
    missed = y - u @ (u.T @ y)
    return {
        "residual": float(1 - nuclear**2 / (np.square(x).sum() * whole)),
        "affine": float(np.square(missed).sum() / whole),
    }


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    train, held_out = digits()
    plan = list(itertools.product(setting.epochs, range(setting.seeds)))
    config.parts.expect(len(plan))
    networks = [
        config.parts.keep(f"epochs-{n}-{i}", trained, train, held_out, WIDTHS, n, seed)
        for (n, i), seed in zip(
            plan, rng.integers(2**31, size=len(plan)).tolist(), strict=True
        )
    ]
    rows = [network[f"layer_{len(WIDTHS)}"] for network in networks]
    accuracy = [float(network["accuracy"]) for network in networks]
    pairs = [
        {
            "a": a,
            "b": b,
            "accuracy": round((accuracy[a] + accuracy[b]) / 2, 4),
            "similarity": round(float(sim.cka(rows[a], rows[b])), 4),
        }
        for a, b in itertools.combinations(range(len(rows)), 2)
    ]
    latest, order = rows[-setting.seeds :], rng.permutation(len(held_out[1]))
    isometry = [
        {"pair": i, "rows": name, **residuals(latest[2 * i], latest[2 * i + 1][chosen])}
        for i in range(setting.seeds // 2)
        for name, chosen in (("paired", slice(None)), ("shuffled", order))
    ]
    models = {"epochs": [n for n, _ in plan], "accuracy": accuracy}
    tables: dict[str, Any] = {"models": models, "pairs": table_of(pairs)}
    return StudyResult(values={}, tables=tables | {"isometry": table_of(isometry)})


def draw(result: StudyResult) -> Figures:
    figure, (left, right) = subplots(1, 2, figsize=(9.0, 3.6))
    pairs, isometry = result.frame("pairs"), result.frame("isometry")
    left.scatter(pairs["accuracy"], pairs["similarity"], s=5, color=COLORS[0])
    left.set(xlabel="mean accuracy of both networks", ylabel="CKA of last layers")
    for at, name in enumerate(isometry.unique("rows")):
        own = isometry.where(rows=name)
        for column, marker in (("residual", "o"), ("affine", "x")):
            label = f"{name}, {'scaled rotation' if column == 'residual' else 'affine'}"
            right.plot(own["pair"], own[column], marker, color=COLORS[at], label=label)
    right.set(xlabel="pair of seeds", ylabel="share of variance missed", ylim=(0, 1.1))
    right.legend(fontsize=7)
    return {"models": figure}


STUDY = described("relative/similar-models", run, draw, Setting)
