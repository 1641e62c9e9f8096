"""Time R-Cross-Barcodes and other packages on the published matrix, in the same run.

    python benchmarks/topology.py [--json] [--quick] [--threads 2]

Kernels are already compiled. Times are processor seconds, which other processes hardly
affect. Inputs are distance matrices in units of their 0.9 quantile. Our time includes
checking them; ripser.py, and gudhi and giotto-ph if they are installed, get their
2N x 2N float32 matrix ready-made. Results are compared as well: bar by bar up to
N = 1000, and with the lower bound MST(w) - MST(min) beyond.

Against other packages: one thread, medians of five runs (others: three, one at 1000).
Large inputs, each in its own process: all threads, one run from 5,000 points on, also
from points instead of distances, where the time includes the distances. The elapsed
time is meaningful only without other jobs. Memory is the peak beyond the inputs.

- clusters: a Gaussian in the plane, and the same points moved to 12 places on a circle
  of radius 10;
- gauss64: two independent Gaussians in 64 dimensions;
- noise64: a Gaussian in 64 dimensions, and the same points with noise of half its size.
"""

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform
from threadpoolctl import threadpool_limits

import similitude as sim
from common.harness import command, cost, medians, peak_over, report
from similitude.topology import Barcode, minimum_spanning_tree
from similitude.topology import r_cross_barcode as r_cross_barcode_of_points
from similitude.topology import r_cross_barcode_from_distances as r_cross_barcode
from similitude.topology._divergence import rtd_barcodes
from similitude.topology._edge_weights import MatrixWeights
from similitude.topology._filtration import checked_pair

KINDS = ("clusters", "gauss64", "noise64")
TARGETS = {1000: 0.2, 2000: 1.2, 5000: 30.0, 10000: 25.0}  # elapsed seconds


def clouds(kind: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 2 if kind == "clusters" else 64))
    if kind == "gauss64":
        return x, rng.normal(size=x.shape)
    if kind == "noise64":
        return x, x + 0.5 * rng.normal(size=x.shape)
    angles = 2 * np.pi * (np.arange(n) % 12) / 12
    return x, x + 10 * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def distances(kind: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    pairs = [pdist(x) for x in clouds(kind, n)]
    w, v = (squareform(d / np.quantile(d, 0.9)) for d in pairs)
    return w, v


def published_matrix(w: np.ndarray, v: np.ndarray) -> np.ndarray:
    m = np.block([[np.zeros_like(w), w], [w, np.minimum(w, v)]])
    return m.astype(np.float32)


def ripser_bars(matrix: np.ndarray) -> np.ndarray:
    from ripser import ripser

    return _sorted(ripser(matrix, distance_matrix=True, maxdim=1)["dgms"][1])


def gudhi_bars(matrix: np.ndarray) -> np.ndarray:
    """Its fastest way. Trees of simplices take 150 times as long at N = 200."""
    from gudhi.sklearn.rips_persistence import RipsPersistence

    kind = "full distance matrix"
    rips = RipsPersistence(homology_dimensions=1, input_type=kind)
    return _sorted(rips.fit_transform([matrix.astype(float)])[0])


def giotto_bars(matrix: np.ndarray) -> np.ndarray:
    """One thread. Collapsing edges takes 150 times as long at N = 200."""
    from gph import ripser_parallel

    found = ripser_parallel(matrix, metric="precomputed", maxdim=1, n_threads=1)
    return _sorted(found["dgms"][1])


def _sorted(bars: np.ndarray) -> np.ndarray:
    bars = np.asarray(bars, dtype=float).reshape(-1, 2)
    return bars[np.lexsort((bars[:, 1], bars[:, 0]))]


def peers() -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    found = {"ripser.py": ripser_bars}
    for module, name, bars_of in (
        ("gudhi", "gudhi", gudhi_bars),
        ("gph", "giotto-ph", giotto_bars),
    ):
        if importlib.util.find_spec(module):
            found[name] = bars_of
    return found


def check_bars(found: Barcode, theirs: np.ndarray) -> None:
    """Compare bar by bar; ripser's bars are our bars rounded to float32."""
    ours = np.stack([found.births, found.deaths], axis=1).astype(np.float32)
    ours = ours[np.lexsort((ours[:, 1], ours[:, 0]))]
    np.testing.assert_array_equal(ours, theirs)


def check_bound(found: Barcode, w: np.ndarray, v: np.ndarray) -> None:
    trees = [minimum_spanning_tree(m)[1].sum() for m in (w, np.minimum(w, v))]
    if not found.total_persistence >= trees[0] - trees[1]:
        raise AssertionError("RTD is below its lower bound from spanning trees")


def against_peers(kind: str, n: int, peer_runs: int) -> list[dict[str, Any]]:
    w, v = distances(kind, n)
    matrix = published_matrix(w, v)
    found = r_cross_barcode(w, v)[1]
    one, both = medians(
        lambda: r_cross_barcode(w, v),
        lambda: rtd_barcodes(*map(MatrixWeights, checked_pair(w, v))),
    )
    rows = []
    for name, bars_of in peers().items():
        runs = [cost(lambda f=bars_of: f(matrix)) for _ in range(peer_runs)]  # type: ignore[misc]
        check_bars(found, runs[0][1])
        theirs = statistics.median(seconds for seconds, _ in runs)
        rows.append(
            {
                "input": kind,
                "n": n,
                "bars": len(found),
                "ms": 1e3 * one,
                "both_directions": both / one,
                "peer": name,
                "peer_ms": 1e3 * theirs,
                "times_faster": theirs / one,
            }
        )
    return rows


def large(n: int, source: str, threads: int) -> dict[str, Any]:
    """One large case; run it in a separate process to measure its peak memory."""
    r_cross_barcode(*distances("gauss64", 20))
    if source == "distances":
        inputs, barcode = distances("gauss64", n), r_cross_barcode
    else:
        inputs, barcode = clouds("gauss64", n), r_cross_barcode_of_points
    repeats = 3 if n < 5000 else 1
    with sim.config(threads=threads):
        peak, (elapsed, (seconds, found)) = peak_over(
            lambda: timed(lambda: cost(lambda: barcode(*inputs)[1]))
        )
        more = [cost(lambda: barcode(*inputs))[0] for _ in range(repeats - 1)]
    if source == "distances":
        check_bound(found, *inputs)
    return {
        "input": "gauss64",
        "n": n,
        "source": source,
        "threads": threads,
        "bars": len(found),
        "s": statistics.median([seconds, *more]),
        "elapsed_s": elapsed,
        "target_s": TARGETS.get(n) if source == "distances" else None,
        "peak_gib": peak,
    }


def timed(func: Callable[[], Any]) -> tuple[float, Any]:
    """Elapsed seconds, and the result."""
    start = time.perf_counter()
    result = func()
    return time.perf_counter() - start, result


def in_another_process(n: int, source: str, threads: int) -> dict[str, Any]:
    call = f"topology.large({n}, {source!r}, {threads})"
    run = subprocess.run(
        [sys.executable, "-c", f"import json, topology; print(json.dumps({call}))"],
        cwd=os.path.dirname(os.path.abspath(__file__)),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout.splitlines()[-1])


def first_call() -> dict[str, float]:
    """Seconds of the first `rtd` without a cache, and of the first `rtd` with it."""
    code = (
        "import time; import numpy as np; import numba; import similitude as sim\n"
        "x = np.random.default_rng(0).normal(size=(2, 20, 3))\n"
        "t = time.process_time(); sim.rtd(*x); print(time.process_time() - t)"
    )
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        runs = [
            subprocess.run(
                [sys.executable, "-c", code],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            for _ in range(2)
        ]
    compiling, cached = (float(run.stdout) for run in runs)
    return {"compiling_s": compiling, "cached_s": cached}


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--quick", action="store_true", help="up to 2,000 points")
    parser.add_argument("--threads", type=int, default=2, help="for large inputs")
    options = parser.parse_args()
    quick, threads = options.quick, options.threads
    with threadpool_limits(1), sim.config(threads=1):
        runs = 1 if quick else 3
        rows = [r for kind in KINDS for r in against_peers(kind, 500, runs)]
        if not quick:
            rows += against_peers("gauss64", 1000, 1)
        sizes = (1000, 2000) if quick else tuple(TARGETS)
        cases = [(n, "distances") for n in sizes] + [(sizes[-1], "points")]
        growth = [in_another_process(*case, threads) for case in cases]
        start = first_call()
    found = {"peers": rows, "growth": growth, "first_call": start}
    report(found, show, as_json=options.json)


def show(found: dict[str, Any]) -> None:
    start = found["first_call"]
    print("input         n  bars        ms   both  peer          peer ms  times faster")
    for r in found["peers"]:
        print(
            f"{r['input']:8} {r['n']:6,} {r['bars']:5,} {r['ms']:9.1f} "
            f"{r['both_directions']:5.2f}x  {r['peer']:9} {r['peer_ms']:11,.0f} "
            f"{r['times_faster']:12.0f}x"
        )
    print("\ninput         n  from      threads    bars    CPU s elapsed  target   GiB")
    for r in found["growth"]:
        target = f"{r['target_s']:.1f}" if r["target_s"] else "-"
        print(
            f"{r['input']:8} {r['n']:6,}  {r['source']:9} {r['threads']:7} "
            f"{r['bars']:7,} {r['s']:8.2f} {r['elapsed_s']:7.1f} {target:>7} "
            f"{r['peak_gib']:5.2f}"
        )
    print(
        f"\nfirst call on a machine {start['compiling_s']:.1f} s, first call in later "
        f"processes {start['cached_s']:.2f} s"
    )


if __name__ == "__main__":
    main()
