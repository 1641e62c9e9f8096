"""The planar point clouds of the paper: clusters and rings."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import similitude as sim

from ..study import table_of


def clusters(counts: tuple[int, ...]) -> dict[int, np.ndarray]:
    """One cloud of 300 points at 0, and the same points moved apart into k clusters.

    60 groups of five Gaussian points, drawn with the legacy seed 7 of the authors. In
    the cloud of k clusters, group g moves to position g mod k on a circle of radius 10.
    """
    state = np.random.RandomState(7)
    groups = [state.multivariate_normal([0, 0], np.eye(2), 5) for _ in range(60)]
    base = np.concatenate(groups)
    number = np.repeat(np.arange(60), 5)
    found = {0: base}
    for k in counts:
        angle = 2 * np.pi * (number % k) / k
        found[k] = base + 10 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return found


def rings(counts: tuple[int, ...]) -> dict[int, np.ndarray]:
    """Clouds of five rings of 100 points, k of which have radius 1.

    The other rings have radii 1.25, 0.75, 1.5 and 0.5, in this order. With k = 1 all
    radii differ; with k = 5 all rings coincide.
    """
    angle = 2 * np.pi * np.arange(100) / 100
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    others = (1.25, 0.75, 1.5, 0.5)
    return {
        k: np.concatenate([r * circle for r in (1.0,) * k + others[: 5 - k]])
        for k in counts
    }


def cloud_table(clouds: Mapping[int, np.ndarray]) -> dict[str, Any]:
    """The points of all clouds as columns; `cloud` is the number of the cloud."""
    return {
        "cloud": np.repeat(list(clouds), [len(cloud) for cloud in clouds.values()]),
        "x": np.concatenate([cloud[:, 0] for cloud in clouds.values()]),
        "y": np.concatenate([cloud[:, 1] for cloud in clouds.values()]),
    }


def barcode_table(base: np.ndarray, clouds: Mapping[int, np.ndarray]) -> dict[str, Any]:
    """Bars of degree 1 of the R-Cross-Barcodes of both directions, as columns."""
    rows = []
    for k, cloud in clouds.items():
        for way, pair in (("base to k", (base, cloud)), ("k to base", (cloud, base))):
            bars = sim.topology.r_cross_barcode(*pair, compat="reference")[1]
            ends = zip(bars.births.tolist(), bars.deaths.tolist(), strict=True)
            where = {"cloud": k, "direction": way}
            rows += [where | {"birth": birth, "death": death} for birth, death in ends]
    return table_of(rows)
