"""A store of representations, and the table of one process."""

from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim
from similitude.store import open_store

MEASURES = "cka,procrustes,linear_regression,rsa,mutual_knn"
MEASURES_OF_TASKS = ["cka", "procrustes", "linear_regression", "rsa"]


def write_store(path: Path, count: int = 6, n: int = 60) -> Path:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 4))
    store = open_store(path, create=True)
    for i in range(count):
        x = z @ rng.normal(size=(4, 6)) + rng.normal(size=(n, 6))
        store.put(sim.Representation(f"r{i}", x, model=f"m{i // 2}"))
    return path


def reps(n: int = 60) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 4))
    return {f"r{i}": z @ rng.normal(size=(4, 5)) + i for i in range(4)}


def options() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    twins = {f"r{i}": rng.normal(size=(60, 3)) for i in range(4)}
    inputs = rng.normal(size=(60, 3))
    seed = np.random.SeedSequence([1, 2], spawn_key=(3,))
    blocks = np.arange(60) // 2
    given = [sim.Representation(k, x, blocks=blocks) for k, x in reps().items()]
    return {
        "reps": given,
        "measures": MEASURES_OF_TASKS,
        "permutations": 5,
        "baselines": {"untrained": twins},
        "inputs": inputs,
        "rng": seed,
        "rows": "2:58",
        "keep": lambda a, b: (a.name, b.name) != ("r0", "r3"),
    }
