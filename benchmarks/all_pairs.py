"""Time all pairs of K representations: prepared once, or pair by pair.

    python benchmarks/all_pairs.py [--json] [K]

One thread, n = 1000 rows, d = 256 columns, K = 60 by default. `together` is
`compare_all` with its preparation. `apart` calls the function for each of the
K (K - 1) / 2 pairs; its time is extrapolated from a sample of the pairs. `bound` is the
time of the product X'Y of every pair and of the singular values of a d x d matrix by
LAPACK. Linear CKA of all pairs needs neither, and SVCCA needs smaller ones. Times are
processor seconds of this process, which other processes hardly affect.
"""

import itertools
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import similitude as sim
from common.harness import command, cost, report, seconds

N, D, SAMPLE = 1000, 256, 30
MEASURES = (
    sim.measures.CKA(),
    sim.measures.Procrustes(),
    sim.measures.MeanCCA(),
    sim.measures.SVCCA(),
    sim.measures.PWCCA(),
    sim.measures.ShapeMetric(),
    sim.measures.SizeAndShape(),
)


def representations(count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(N, 64))
    return [
        shared @ rng.normal(size=(64, D)) + rng.normal(size=(N, D))
        for _ in range(count)
    ]


def table(
    measure: sim.Measure, xs: list[np.ndarray], pair_bound: float | None
) -> dict[str, Any]:
    """Seconds for all pairs, together and apart; both must give the same scores."""
    pairs = list(itertools.combinations(range(len(xs)), 2))
    sample = pairs[:: max(1, len(pairs) // SAMPLE)]

    def together() -> Any:
        return measure.compare_all([measure.prepare(x) for x in xs])

    def apart() -> list[Any]:
        return [measure.func(xs[i], xs[j]) for i, j in sample]

    measure.func(xs[0], xs[1])  # loads modules on first use
    quick, scores = cost(together)
    slow, some = cost(apart)
    slow *= len(pairs) / len(sample)
    np.testing.assert_allclose([scores[i, j] for i, j in sample], some, rtol=1e-9)
    return {
        "measure": measure.label,
        "pairs": len(pairs),
        "together": quick,
        "apart": slow,
        "times_faster": slow / quick,
        "bound": None if pair_bound is None else pair_bound * len(pairs),
    }


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("count", type=int, nargs="?", default=60, metavar="K")
    options = parser.parse_args()
    count = options.count
    with threadpool_limits(1):
        xs = representations(count)
        square = xs[0].T @ xs[1]
        product = min(seconds(lambda: xs[0].T @ xs[1], 9))
        values = min(seconds(lambda: np.linalg.svdvals(square), 9))
        rows = [
            table(m, xs, None if m.name in {"cka", "svcca"} else product + values)
            for m in MEASURES
        ]
    three = {key: sum(row[key] for row in rows[:3]) for key in ("together", "apart")}
    three["times_faster"] = three["apart"] / three["together"]
    rows.append(
        {"measure": "the first three", "pairs": rows[0]["pairs"], "bound": None} | three
    )
    found = {"n": N, "d": D, "K": count, "tables": rows}
    report(found, show, as_json=options.json)


def show(found: dict[str, Any]) -> None:
    rows = found["tables"]
    print(f"K = {found['K']}, n = {N}, d = {D}: seconds for {rows[0]['pairs']} pairs")
    print("measure            together    apart   faster    bound")
    for r in rows:
        print(
            f"{r['measure']:<18}{r['together']:>9.2f}{r['apart']:>9.2f}"
            f"{r['times_faster']:>8.1f}x"
            + ("        -" if r["bound"] is None else f"{r['bound']:>9.2f}")
        )


if __name__ == "__main__":
    main()
