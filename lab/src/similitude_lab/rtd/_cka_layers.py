"""CKA and RTD between layers: noise, large directions, untrained networks."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

import similitude as sim

from ..study import Config, Figures, StudyResult, cells, described, table_of
from ..training._digits_networks import digits, dissimilarity, layers_of, trained
from ._cloud_figures import draw_layers

WIDTHS = (64, 64, 64, 64)
MEASURES = ("cka", "rtd")


@dataclass(frozen=True)
class Setting:
    """Rows and units of the layers of noise; networks and their training."""

    rows: int
    units: int
    seeds: int
    epochs: int


def noise_layers(n: int, d: int, rng: np.random.Generator) -> dict[str, float]:
    """CKA of two independent layers of noise."""
    x, y = (rng.standard_normal((n, d), dtype=np.float32) for _ in range(2))
    return {
        "noise_cka_biased": float(sim.cka(x, y, estimator="biased")),
        "noise_cka_unbiased": float(sim.cka(x, y)),
    }


def large_direction(
    rng: np.random.Generator,
) -> dict[str, float]:
    """Two clouds of 300 points in ten clusters, each with one large direction.

    `shared`: the clusters are unrelated, but one direction of large variance is the
    same. `hidden`: the second cloud contains the first one unchanged, and has a large
    direction in addition.
    """
    x, y = (_clusters(rng) for _ in range(2))
    direction = 30 * rng.normal(size=(len(x), 1))
    with_x, with_y = np.hstack([x, direction]), np.hstack([y, direction])
    return {
        "unrelated_cka": float(sim.cka(x, y)),
        "shared_cka": float(sim.cka(with_x, with_y)),
        "hidden_cka": float(sim.cka(x, with_x)),
        "hidden_regression": float(sim.linear_regression(with_x, x)),
        "unrelated_rtd": float(sim.rtd(x, y)),
        "shared_rtd": float(sim.rtd(with_x, with_y)),
        "hidden_rtd": float(sim.rtd(x, with_x)),
        "hidden_mutual_knn": float(sim.mutual_knn(x, with_x)),
        "unrelated_mutual_knn": float(sim.mutual_knn(x, y)),
    }


def _clusters(rng: np.random.Generator) -> np.ndarray:
    centers = 3 * rng.normal(size=(10, 32))
    return centers[rng.integers(10, size=300)] + rng.normal(size=(300, 32))


def layer_tables(networks: list[dict[str, np.ndarray]], name: str) -> dict[str, Any]:
    """Mean score of layers i and j, within one network and between networks.

    `identified` is the share of layers whose most similar layer in another network is
    the layer at the same depth.
    """
    compare = dissimilarity(name)
    sign = -1.0 if name == "cka" else 1.0  # the scores themselves, not dissimilarities
    layers = [layers_of(network) for network in networks]
    depth = np.arange(len(layers[0]))
    within = [_table(compare, own, own) for own in layers]
    between = [_table(compare, *pair) for pair in itertools.permutations(layers, 2)]
    right = [table.argmin(axis=1) == depth for table in between]
    return {
        "within": sign * np.mean(within, axis=0),
        "between": sign * np.mean(between, axis=0),
        "identified": np.mean(right),
    }


def _table(compare: Any, rows: list[np.ndarray], columns: list[np.ndarray]) -> Any:
    return np.array([[compare(a, b) for b in columns] for a in rows])


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(2 + 2 * setting.seeds)
    train, held_out = digits()
    first, second = rng.spawn(2)
    keep = config.parts.keep
    noise = keep("noise", noise_layers, setting.rows, setting.units, first)
    parts = noise | keep("directions", large_direction, second)
    values = {name: float(value) for name, value in parts.items()}
    rows: list[dict[str, Any]] = []
    for state, epochs in (("untrained", 0), ("trained", setting.epochs)):
        networks = [
            keep(f"{state}-{seed}", trained, train, held_out, WIDTHS, epochs, seed)
            for seed in range(setting.seeds)
        ]
        for name in MEASURES:
            found = layer_tables(networks, name)
            values[f"identified_{name}_{state}"] = float(found["identified"])
            for kind in ("within", "between"):
                names = {"measure": name, "state": state, "kind": kind}
                rows += [names | cell for cell in cells(found[kind])]
            if name == "cka":
                values[f"first_last_cka_{state}"] = float(found["within"][0, -1])
                neighbors = np.diagonal(found["within"], 1)
                values[f"neighbors_cka_{state}"] = float(neighbors.mean())
    tables = {
        "values": table_of({"quantity": k, "value": v} for k, v in values.items()),
        "layers": table_of(rows),
    }
    return StudyResult(values=values, tables=tables)


def draw(result: StudyResult) -> Figures:
    return {"layers": draw_layers(result.frame("layers"))}


STUDY = described("rtd/cka-layers", run, draw, Setting)
