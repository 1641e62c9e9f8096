"""Sensitivity and specificity of measures, in the style of Ding et al., on digits."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import similitude as sim

from ..study import Config, Figures, StudyResult, correlation, described, table_of
from ..training._digits_networks import (
    digits,
    dissimilarity,
    layers_of,
    point_measures,
    trained,
)
from ._sensitivity_figures import draw_deletions, draw_measures

WIDTHS = (64, 64, 64, 64)
JUDGED = ("cka", "procrustes", "pwcca", "mean_cca")


@dataclass(frozen=True)
class Setting:
    """Networks; numbers of principal components to keep; all measures, or a few."""

    seeds: int
    epochs: int
    kept: tuple[int, ...]
    every_measure: bool


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    names = point_measures() if setting.every_measure else JUDGED
    config.parts.expect(setting.seeds + len(names) + 1)
    train, held_out = digits()
    keep = config.parts.keep
    networks = [
        keep(f"network-{at}", trained, train, held_out, WIDTHS, setting.epochs, seed)
        for at, seed in enumerate(rng.integers(2**31, size=setting.seeds).tolist())
    ]
    labels = train[1], held_out[1]
    deleted = keep("probes", probe_accuracies, networks, setting.kept, *labels)
    given = networks, setting.kept, deleted["drop"]
    rows = {name: keep(name, judge_measure, name, *given) for name in names}
    columns = ("sensitivity", "share_deleted", "specificity", "layers_identified")
    values = {
        f"{column}_{name}": float(rows[name][column])
        for name in names
        for column in columns
    }
    values["accuracy"] = float(np.mean([net["accuracy"] for net in networks]))
    tables = {
        "measures": table_of(
            {"measure": name, **{c: float(rows[name][c]) for c in columns}}
            for name in names
        ),
        "deletions": {
            "kept": setting.kept,
            "accuracy": deleted["accuracy"].mean(axis=0),
            **{name: rows[name]["curve"] for name in names},
        },
    }
    return StudyResult(values=values, tables=tables)


def without_components(
    rows: np.ndarray, train_rows: np.ndarray, kept: int
) -> np.ndarray:
    """The rows projected onto the first principal components of the training rows."""
    mean = train_rows.mean(axis=0)
    axes = np.linalg.svd(train_rows - mean, full_matrices=False)[2][:kept]
    return (rows - mean) @ axes.T @ axes + mean


def probe_accuracies(
    networks: Sequence[Mapping[str, np.ndarray]],
    kept: tuple[int, ...],
    train_labels: np.ndarray,
    labels: np.ndarray,
) -> dict[str, np.ndarray]:
    """Accuracy of linear probes of the last layer, one row per network."""
    table = []
    for network in networks:
        rows, held_out = network["train_rows"], layers_of(network)[-1]
        accuracy = []
        for k in (WIDTHS[-1], *kept):
            head = sim.latent.stitching.LogisticHead(iterations=300).train(
                without_components(rows, rows, k), train_labels, seed=0
            )
            found = head(without_components(held_out, rows, k))
            accuracy.append(float(np.mean(found == labels)))
        table.append(accuracy)
    whole, reduced = np.split(np.array(table), [1], axis=1)
    return {"accuracy": reduced, "drop": whole - reduced}


def judge_measure(
    name: str,
    networks: Sequence[Mapping[str, np.ndarray]],
    kept: tuple[int, ...],
    drop: np.ndarray,
) -> dict[str, Any]:
    """The two tests of sensitivity and the two tests of specificity."""
    compare = dissimilarity(name)
    layers = [layers_of(network) for network in networks]
    depth = len(layers[0])
    pairs = list(itertools.permutations(layers, 2))
    apart, distance, identified = [], [], []
    for one, two in pairs:
        others = two
        table = np.array([[compare(a, b) for b in others] for a in one])
        identified += (table.argmin(axis=1) == np.arange(depth)).tolist()
        apart += [abs(i - j) for i in range(depth) for j in range(depth)]
        distance += table.ravel().tolist()
    between = np.mean([compare(one[-1], two[-1]) for one, two in pairs])
    scores = []
    for own, network in zip(layers, networks, strict=True):
        reduced = (without_components(own[-1], network["train_rows"], k) for k in kept)
        scores.append([compare(own[-1], rows) for rows in reduced])
    damage = np.array(scores)
    shares = 1 - np.array(kept) / WIDTHS[-1]
    noticed = [
        shares[above.argmax()] if above.any() else 1.0 for above in damage > between
    ]
    return {
        "sensitivity": correlation("spearman", damage.ravel(), drop.ravel()),
        "share_deleted": np.mean(noticed),
        "specificity": correlation("spearman", np.array(distance), np.array(apart)),
        "layers_identified": np.mean(identified),
        "curve": damage.mean(axis=0),
    }


def draw(result: StudyResult) -> Figures:
    return {
        "measures": draw_measures(result.frame("measures")),
        "deletions": draw_deletions(result.frame("deletions"), JUDGED, WIDTHS[-1]),
    }


STUDY = described("measures/sensitivity", run, draw, Setting)
