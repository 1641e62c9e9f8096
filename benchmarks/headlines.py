"""Time the four headline cases, each compared with its peers.

    python benchmarks/headlines.py [--json] [--quick]

One thread, processor seconds, since wall-clock time on a shared machine includes other
processes. Our runs and those of the peers are interleaved, and the best run counts.
Ranking with scipy and plain RBF CKA take a minute at full size, so they run once.
"""

from typing import Any

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

import similitude as sim
from common import naive
from common.harness import command, interleaved, report
from limits import limits
from similitude import _linalg
from similitude._base._validate import points


def data(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, d)) + 0.5
    return x, x + rng.standard_normal((n, d))


def row(name: str, times: dict[str, float], bound: float, kind: str) -> dict[str, Any]:
    peers = dict(times)
    ours = peers.pop("ours")
    return {
        "what": name,
        "seconds": ours,
        "peers": peers,
        "times_faster": {k: v / ours for k, v in peers.items()},
        "bound_seconds": bound,
        "bound": kind,
    }


def spearman(machine: dict[str, Any], n: int) -> dict[str, Any]:
    """Time RSA including distances, compared with only the ranking by scipy."""
    x, y = data(n, 64)
    vectors = []
    for v in (x, y):
        rows = _linalg.metric_rows(points(v), "correlation")
        vectors.append(
            np.concatenate(list(_linalg.pair_distances(rows, "correlation")))
        )

    def by_scipy() -> float:
        a, b = (scipy.stats.rankdata(v) for v in vectors)
        return np.corrcoef(a, b)[0, 1]

    times = interleaved({"ours": lambda: sim.rsa(x, y), "scipy ranks": by_scipy}, 1)
    bound = n * n / machine["sort_values"] + 2 * n * n * 64 / machine["gemm_float64"]
    return row(f"rsa(outer=spearman), {n} x 64", times, bound, "sort")


def rbf(machine: dict[str, Any], n: int) -> dict[str, Any]:
    x, y = data(n, 512)
    measure = sim.measures.CKA(kernel="rbf")
    times = interleaved(
        {"ours": lambda: measure(x, y), "plain formula": lambda: naive.rbf_cka(x, y)}, 1
    )
    bound = 2 * n * n * 512 / machine["gemm_float64"]
    return row(f"cka(kernel=rbf), {n} x 512", times, bound, "GEMM, half of each Gram")


def neighbors(machine: dict[str, Any], n: int) -> dict[str, Any]:
    from sklearn.neighbors import NearestNeighbors

    x, y = data(n, 512)

    def by_sklearn(metric: str) -> list[np.ndarray]:
        search = NearestNeighbors(
            n_neighbors=10, algorithm="brute", metric=metric, n_jobs=1
        )
        rows = (naive.unit(v) if metric == "euclidean" else v for v in (x, y))
        return [search.fit(v).kneighbors(return_distance=False) for v in rows]

    times = interleaved(
        {
            "ours": lambda: sim.mutual_knn(x, y),
            "sklearn, cosine": lambda: by_sklearn("cosine"),
            "sklearn, euclidean of unit rows": lambda: by_sklearn("euclidean"),
        },
        3,
    )
    bound = 4 * n * n * 512 / machine["gemm_float32"]
    return row(f"mutual_knn, {n} x 512", times, bound, "GEMM, float32")


def all_pairs(machine: dict[str, Any], count: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    shared = rng.standard_normal((1000, 256))
    measure = sim.measures.CKA()
    ps = [
        measure.prepare(shared + rng.standard_normal(shared.shape))
        for _ in range(count)
    ]
    times = interleaved(
        {
            "ours": lambda: measure.compare_all(ps),
            "pair by pair": lambda: [[measure.compare(p, q) for q in ps] for p in ps],
        },
        3,
    )
    grams = count * 1000**2 * 256 + count**2 * 1000**2 / 2
    bound = grams / machine["gemm_float64"]
    return row(f"compare_all, cka, K = {count}, 1000 x 256", times, bound, "GEMM")


def headlines(machine: dict[str, Any], *, quick: bool) -> list[dict[str, Any]]:
    n = 2_000 if quick else 10_000
    return [
        spearman(machine, n),
        rbf(machine, n),
        neighbors(machine, n),
        all_pairs(machine, 12 if quick else 60),
    ]


def show(rows: list[dict[str, Any]]) -> None:
    for r in rows:
        print(
            f"{r['what']:<40}{r['seconds']:>8.2f} s, bound {r['bound_seconds']:.2f} s "
            f"({r['bound']})"
        )
        for peer, times in r["times_faster"].items():
            print(f"    {times:5.1f} x faster than {peer} ({r['peers'][peer]:.2f} s)")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--quick", action="store_true", help="2,000 rows, not 10,000")
    options = parser.parse_args()
    machine = limits()
    with threadpool_limits(1), sim.config(memory_budget=4 * 2**30):
        rows = headlines(machine, quick=options.quick)
    found = {"machine": machine, "headlines": rows}
    report(found, lambda found: show(found["headlines"]), as_json=options.json)


if __name__ == "__main__":
    main()
