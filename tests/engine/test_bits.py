"""Tables are bit-identical for any number of workers and threads."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import similitude as sim

# Products large enough that BLAS would use several threads if allowed.
CODE = """
import json, sys
import numpy as np
import similitude as sim
from similitude.engine.statistics import _nulls

_nulls.LONG_PERMUTATION = 0  # permutations of one pair use threads
rng = np.random.default_rng(0)
z = rng.normal(size=(320, 8))
reps = {
    f"r{i}": z @ rng.normal(size=(8, 150)) + rng.normal(size=(320, 150))
    for i in range(5)
}
names = ["cka", "procrustes", "mean_cca", "mutual_knn", "linear_regression"]
found = sim.compare(reps, names, permutations=2)
many = sim.compare(reps, ["cka", "distance_correlation"])
rows = [row.to_dict() for results in (found, many) for row in results.rows]
for row in rows:
    del row["seconds"]
print(json.dumps(rows))
"""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def rows(workers: int, threads: int | None) -> list[dict[str, object]]:
    environment = {k: v for k, v in os.environ.items() if k not in THREADS}
    environment["SIMILITUDE_WORKERS"] = str(workers)
    if threads is not None:
        environment |= dict.fromkeys(THREADS, str(threads))
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def single() -> list[dict[str, object]]:
    return rows(1, 1)


@pytest.mark.parametrize(("workers", "threads"), [(1, 4), (2, None), (3, 2)])
def test_tables_are_bit_identical_for_any_workers_and_threads(
    workers, threads, single
) -> None:
    assert len(single) == 4 * 10 + 20 + 2 * 10
    assert sum(row["p"] is not None for row in single) == len(single)
    assert rows(workers, threads) == single


def test_order_of_the_inputs_changes_scores_by_rounding_only() -> None:
    """s(a, b) and s(b, a) are sums of the same terms in another order."""
    rng = np.random.default_rng(0)
    reps = {f"r{i}": rng.normal(size=(80, 6)) for i in range(5)}
    reverse = dict(reversed(reps.items()))
    names = ["cka", "procrustes", "mean_cca", "rsa", "mutual_knn"]
    forward, backward = (sim.compare(r, names, permutations=0) for r in (reps, reverse))
    scores = {(row.label, row.b, row.a): row.score for row in backward.rows}
    for row in forward.rows:
        expected = scores[row.label, row.a, row.b]
        np.testing.assert_allclose(row.score, expected, rtol=1e-13, atol=1e-14)
