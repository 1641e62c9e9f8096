"""Time R-Cross-Barcodes and ripser.py on the published matrix, in the same run.

    python benchmarks/topology.py [--json] [--quick]

One thread, kernels already compiled, medians of five runs (ripser.py: three). Times are
processor seconds, which other processes hardly affect. Inputs are distance matrices in
units of their 0.9 quantile. Our time includes checking them; ripser.py gets its 2N x 2N
float32 matrix ready-made. Results are compared as well: bar by bar up to N = 1000, and
with the lower bound MST(w) - MST(min) beyond.

- clusters: a Gaussian in the plane, and the same points moved to 12 places on a circle
  of radius 10;
- gauss64: two independent Gaussians in 64 dimensions;
- noise64: a Gaussian in 64 dimensions, and the same points with noise of half its size.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform
from threadpoolctl import threadpool_limits

from common.harness import command, cost, medians, peak_gib, report
from similitude.topology import Barcode, minimum_spanning_tree
from similitude.topology import r_cross_barcode_from_distances as r_cross_barcode
from similitude.topology._divergence import rtd_barcodes
from similitude.topology._edge_weights import MatrixWeights
from similitude.topology._filtration import checked_pair

KINDS = ("clusters", "gauss64", "noise64")
TARGETS = {1000: 0.2, 2000: 1.2, 5000: 30.0}  # seconds


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

    found = ripser(matrix, distance_matrix=True, maxdim=1)["dgms"][1].astype(float)
    return found[np.lexsort((found[:, 1], found[:, 0]))]


def check_bars(found: Barcode, theirs: np.ndarray) -> None:
    """Compare bar by bar; ripser's bars are our bars rounded to float32."""
    ours = np.stack([found.births, found.deaths], axis=1).astype(np.float32)
    ours = ours[np.lexsort((ours[:, 1], ours[:, 0]))]
    np.testing.assert_array_equal(ours, theirs)


def check_bound(found: Barcode, w: np.ndarray, v: np.ndarray) -> None:
    trees = [minimum_spanning_tree(m)[1].sum() for m in (w, np.minimum(w, v))]
    if not found.total_persistence >= trees[0] - trees[1]:
        raise AssertionError("RTD is below its lower bound from spanning trees")


def against_ripser(kind: str, n: int, peer_runs: int) -> dict[str, Any]:
    w, v = distances(kind, n)
    matrix = published_matrix(w, v)
    found = r_cross_barcode(w, v)[1]
    check_bars(found, ripser_bars(matrix))
    one, both = medians(
        lambda: r_cross_barcode(w, v),
        lambda: rtd_barcodes(*map(MatrixWeights, checked_pair(w, v))),
    )
    peer = statistics.median(
        cost(lambda: ripser_bars(matrix))[0] for _ in range(peer_runs)
    )
    return {
        "input": kind,
        "n": n,
        "bars": len(found),
        "ms": 1e3 * one,
        "both_directions": both / one,
        "ripser_ms": 1e3 * peer,
        "times_faster": peer / one,
    }


def large(n: int, repeats: int) -> dict[str, Any]:
    """One large case; run it in a separate process to measure its peak memory."""
    w, v = distances("gauss64", n)
    found = r_cross_barcode(w, v)[1]
    check_bound(found, w, v)
    return {
        "input": "gauss64",
        "n": n,
        "bars": len(found),
        "s": medians(lambda: r_cross_barcode(w, v), repeats=repeats)[0],
        "target_s": TARGETS[n],
        "peak_gib": peak_gib(),
    }


def in_another_process(n: int, repeats: int) -> dict[str, Any]:
    code = f"import json, topology; print(json.dumps(topology.large({n}, {repeats})))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=os.path.dirname(os.path.abspath(__file__)),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout.splitlines()[-1])


def first_call() -> dict[str, float]:
    """Seconds of the first call without a cache, and of the first call with it."""
    code = (
        "import time; import numpy as np; import numba\n"
        "from similitude.topology import r_cross_barcode\n"
        "x = np.random.default_rng(0).normal(size=(2, 20, 3))\n"
        "t = time.process_time(); r_cross_barcode(*x); print(time.process_time() - t)"
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
    options = parser.parse_args()
    quick = options.quick
    with threadpool_limits(1):
        peers = [against_ripser(kind, 500, 1 if quick else 3) for kind in KINDS]
        if not quick:
            peers.append(against_ripser("gauss64", 1000, 1))
        sizes = (1000, 2000) if quick else tuple(TARGETS)
        growth = [in_another_process(n, 5 if n < 5000 else 1) for n in sizes]
        start = first_call()
    found = {"peers": peers, "growth": growth, "first_call": start}
    report(found, show, as_json=options.json)


def show(found: dict[str, Any]) -> None:
    start = found["first_call"]
    print("input         n  bars        ms   both  ripser.py ms  times faster")
    for r in found["peers"]:
        print(
            f"{r['input']:8} {r['n']:6,} {r['bars']:5,} {r['ms']:9.1f} "
            f"{r['both_directions']:5.2f}x {r['ripser_ms']:13,.0f} "
            f"{r['times_faster']:12.0f}x"
        )
    print("\ninput         n    bars         s  target s  peak GiB")
    for r in found["growth"]:
        print(
            f"{r['input']:8} {r['n']:6,} {r['bars']:7,} {r['s']:9.3f} "
            f"{r['target_s']:9.1f} {r['peak_gib']:9.2f}"
        )
    print(
        f"\nfirst call on a machine {start['compiling_s']:.1f} s, first call in later "
        f"processes {start['cached_s']:.2f} s"
    )


if __name__ == "__main__":
    main()
