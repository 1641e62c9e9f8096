"""A store of representations, and the table of one process."""

from pathlib import Path

import numpy as np

import similitude as sim
from similitude.store import open_store

MEASURES = "cka,procrustes,linear_regression,rsa,mutual_knn"


def write_store(path: Path, count: int = 6, n: int = 60) -> Path:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 4))
    store = open_store(path, create=True)
    for i in range(count):
        x = z @ rng.normal(size=(4, 6)) + rng.normal(size=(n, 6))
        store.put(sim.Representation(f"r{i}", x, model=f"m{i // 2}"))
    return path
