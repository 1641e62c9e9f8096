"""Correlations of the curves of two measures with disagreement and error rate."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...study import Frame, correlation, mean_interval, table_of

KINDS = ("pearson", "spearman")
MEASURES = ("rtd", "cka")
TARGETS = ("disagreement", "error")
TIE = 1e-9  # largest difference of two equal correlations

#: Of one network: RTD, 1 - CKA, disagreement and error rate, points x batches.
Curves = Mapping[str, np.ndarray]


def over_seeds(values: Sequence[float]) -> dict[str, float]:
    """Mean and its 95 % interval, from one value per seed."""
    found = mean_interval(values)
    return {**found.limits, "seeds": found.n}


def defined(curves: Curves) -> np.ndarray:
    """The points at which all four curves exist in all batches."""
    scores = np.array([curves[name] for name in (*MEASURES, *TARGETS)])
    return np.asarray(np.isfinite(scores).all(axis=(0, 2)))


def correlations(curves: Curves) -> dict[str, float]:
    """Correlations of both measures with both targets, by measure, target and kind.

    The curves are means over batches. Points at which a curve does not exist are left
    out. A constant curve has no correlation: NaN.
    """
    chosen = defined(curves)
    means = {name: curves[name][chosen].mean(axis=1) for name in (*MEASURES, *TARGETS)}
    return {
        f"{measure}_{target}_{kind}": correlation(kind, means[measure], means[target])
        for measure, target, kind in itertools.product(MEASURES, TARGETS, KINDS)
    }


def correlation_table(networks: Mapping[str, Sequence[Curves]]) -> dict[str, list[Any]]:
    """One row per experiment, target and kind: both measures and their difference.

    `networks` has the curves of several seeds for each experiment. Each cell is the
    mean over seeds of the correlations within one seed. `difference` is RTD minus
    1 - CKA, paired by seed; `low` and `high` are 95 % t intervals over seeds.
    """
    rows = []
    for name, seeds in networks.items():
        found = [correlations(curves) for curves in seeds]
        for target, kind in itertools.product(TARGETS, KINDS):
            rtd, cka = (
                np.array([one[f"{measure}_{target}_{kind}"] for one in found])
                for measure in MEASURES
            )
            row: dict[str, Any] = {"experiment": name, "target": target, "kind": kind}
            row["seeds"] = len(seeds)
            row |= mean_interval(rtd).named("rtd") | mean_interval(cka).named("cka")
            rows.append(row | mean_interval(rtd - cka).named("difference"))
    return table_of(rows)


def correlation_values(table: Mapping[str, list[Any]]) -> dict[str, float]:
    """The Pearson correlations of the table, as ``rtd_disagreement_noise``."""
    found = {}
    for row in Frame(table).rows():
        before = "" if row["kind"] == "pearson" else f"{row['kind']}_"
        for measure in MEASURES:
            name = f"{measure}_{row['target']}_{row['experiment']}".replace("-", "_")
            found[f"{before}{name}"] = row[measure]
    return found


def count_better(table: Mapping[str, list[Any]], *, kind: str) -> int:
    """Experiments in which RTD has the larger mean correlation with disagreement.

    Differences up to 1e-9 are ties, which rank correlations often have.
    """
    return int((_differences(table, kind) > TIE).sum())


def count_equal(table: Mapping[str, list[Any]], *, kind: str) -> int:
    """Experiments in which both measures have the same mean correlation."""
    return int((np.abs(_differences(table, kind)) <= TIE).sum())


def _differences(table: Mapping[str, list[Any]], kind: str) -> np.ndarray:
    return Frame(table).where(target="disagreement", kind=kind)["difference"]


def curve_table(
    experiments: Mapping[str, Sequence[Curves]],
    points: Mapping[str, Sequence[float]],
    *,
    names: tuple[str, str],
) -> dict[str, list[Any]]:
    """One row per experiment, seed and point: mean and deviation over batches.

    `points` are the levels or epochs of each experiment. `names` are the names of the
    columns of experiments and points.
    """
    rows = []
    for experiment, seeds in experiments.items():
        for seed, curves in enumerate(seeds):
            for at, point in enumerate(points[experiment]):
                row: dict[str, Any] = {names[0]: experiment, "seed": seed}
                row[names[1]] = point
                for curve in (*MEASURES, *TARGETS):
                    scores = curves[curve][at]
                    row[curve] = float(np.mean(scores))
                    row[f"{curve}_sd"] = float(np.std(scores, ddof=1))
                rows.append(row)
    return table_of(rows)
