"""Time spanning trees (degree 0) of this and other libraries, and reading the matrix.

    python benchmarks/trees.py [--json]

One thread, kernels already compiled, medians of five runs. All functions get the same
distances in float64. Our time includes checks (NaN, sign, symmetry, diagonal). The peer
for one large cloud is Prim's algorithm of hdbscan, as compiled in scikit-learn. The
peer for many small clouds is a loop over scipy's sparse tree.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster._hdbscan._linkage import mst_from_mutual_reachability
from threadpoolctl import threadpool_limits

from common.harness import command, medians, report
from similitude.topology import batched_spanning_trees, minimum_spanning_tree
from similitude.topology._trees._spanning_trees import spanning_tree


def median(func: Callable[[], object]) -> float:
    return medians(func)[0]


def one_cloud(n: int, d: int) -> dict[str, Any]:
    pairs = pdist(np.random.default_rng(0).normal(size=(n, d)))
    w = squareform(pairs)
    ours = minimum_spanning_tree(w)[1]
    theirs = np.sort(mst_from_mutual_reachability(w)["distance"])
    np.testing.assert_array_equal(ours, theirs)
    return {
        "n": n,
        "ours_ms": 1e3 * median(lambda: minimum_spanning_tree(w)),
        "unchecked_ms": 1e3 * median(lambda: spanning_tree(w)),
        "hdbscan_ms": 1e3 * median(lambda: mst_from_mutual_reachability(w)),
        "single_linkage_ms": 1e3 * median(lambda: linkage(pairs, "single")),
        "read_ms": 1e3 * median(w.sum),
    }


def many_clouds(count: int, n: int, d: int) -> dict[str, Any]:
    clouds = np.random.default_rng(0).normal(size=(count, n, d))
    distances = np.stack([squareform(pdist(x)) for x in clouds])
    sparse = scipy.sparse.csgraph.minimum_spanning_tree
    ours = batched_spanning_trees(distances)[1]
    np.testing.assert_allclose(ours.sum(axis=1), [sparse(w).sum() for w in distances])
    return {
        "clouds": count,
        "n": n,
        "ours_ms": 1e3 * median(lambda: batched_spanning_trees(distances)),
        "scipy_loop_ms": 1e3 * median(lambda: [sparse(w) for w in distances]),
        "linkage_loop_ms": 1e3
        * median(lambda: [linkage(squareform(w), "single") for w in distances]),
    }


def main() -> None:
    options = command(__doc__).parse_args()
    with threadpool_limits(1):
        large = [one_cloud(n, 16) for n in (500, 5000)]
        small = [many_clouds(*shape, 16) for shape in ((40, 16), (8, 256))]
    found = {"one_cloud": large, "many_clouds": small}
    report(found, show, as_json=options.json)


def show(found: dict[str, Any]) -> None:
    print("     n   ours ms  unchecked  hdbscan  single linkage  reading it   ratio")
    for r in found["one_cloud"]:
        print(
            f"{r['n']:6,} {r['ours_ms']:9.2f} {r['unchecked_ms']:10.2f} "
            f"{r['hdbscan_ms']:8.2f} {r['single_linkage_ms']:15.2f} "
            f"{r['read_ms']:11.2f} {r['ours_ms'] / r['hdbscan_ms']:6.2f}x"
        )
    print(
        "\nclouds     n   ours ms  scipy's tree, looped  single linkage  times faster"
    )
    for r in found["many_clouds"]:
        print(
            f"{r['clouds']:6} {r['n']:5} {r['ours_ms']:9.3f} "
            f"{r['scipy_loop_ms']:18.2f} {r['linkage_loop_ms']:15.2f} "
            f"{r['scipy_loop_ms'] / r['ours_ms']:12.0f}x"
        )


if __name__ == "__main__":
    main()
