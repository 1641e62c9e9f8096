"""Time the CKA family at large sizes.

    python benchmarks/cka.py [--json] [all_pairs | many | null | rbf ...]

One thread. Each row compares our time with another time of the same run: pair by pair,
one evaluation, the plain formula, or the matrix product alone. The ratio says how many
times faster ours is. In rows with "cost", it says how many times the other it takes.

* all_pairs: K = 60 representations, n = 1000, d = 256
* many: 500 representations, 124,750 pairs, with peak memory
* null: 200 permutations, and the moments over all permutations, n = 2000, d = 512
* rbf: n = 10,000, d = 512, compared with the plain formula, which needs n x n arrays
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import similitude as sim
from common.harness import command, cost, peak_gib, report, seconds

RNG = np.random.default_rng(0)


def representations(count: int, n: int, d: int) -> list[np.ndarray]:
    shared = RNG.normal(size=(n, 16))
    return [
        shared @ RNG.normal(size=(16, d)) + RNG.normal(size=(n, d))
        for _ in range(count)
    ]


def all_pairs() -> list[dict[str, Any]]:
    rows = []
    reps = representations(60, 1000, 256)
    pairs = 60 * 59 // 2
    for estimator in ("unbiased", "biased"):
        measure = sim.measures.CKA(estimator=estimator)

        def together(measure: sim.measures.CKA = measure) -> Any:
            return measure.compare_all([measure.prepare(x) for x in reps])

        def sample(measure: sim.measures.CKA = measure) -> None:
            for x, y in zip(reps[:20], reps[20:40], strict=True):
                measure(x, y)

        ps = [measure.prepare(x) for x in reps]

        def prepared(measure: sim.measures.CKA = measure, ps: list = ps) -> None:
            for p, q in zip(ps[:20], ps[20:40], strict=True):
                measure.compare(p, q)

        ours = min(seconds(together, repeats=3))
        calls = min(seconds(sample, repeats=2)) / 20 * pairs
        steps = min(seconds(prepared, repeats=2)) / 20 * pairs
        rows.append(row(f"60 x 60, {estimator}, cka(x, y) of each pair", ours, calls))
        rows.append(row(f"60 x 60, {estimator}, compare(p, q) of each", ours, steps))
    return rows


def many() -> list[dict[str, Any]]:
    measure = sim.measures.CKA()
    reps = representations(500, 1000, 256)
    before = peak_gib()
    took = cost(lambda: measure.compare_all([measure.prepare(x) for x in reps]))[0]
    found = row("500 x 500, 124,750 pairs, limit 300 s", took, 300.0)
    return [found | {"peak_gib": peak_gib(), "peak_before_gib": before}]


def null() -> list[dict[str, Any]]:
    rows, (x, y) = [], representations(2, 2000, 512)
    orders = RNG.permuted(np.tile(np.arange(2000), (200, 1)), axis=1)
    for dtype in ("float64", "float32"):
        x, y = x.astype(dtype), y.astype(dtype)
        for estimator in ("unbiased", "biased"):
            measure = sim.measures.CKA(estimator=estimator)
            p, q = measure.prepare(x), measure.prepare(y)
            measure.null(p, q, orders[:50])  # compiles
            one = min(seconds(lambda: measure(x, y)))  # noqa: B023
            many = min(seconds(lambda: measure.null(p, q, orders), repeats=3))  # noqa: B023

            def fresh(
                measure: sim.measures.CKA = measure, x: Any = x, y: Any = y
            ) -> float:
                # Prepared again, since prepared objects cache their sums.
                p, q = measure.prepare(x), measure.prepare(y)
                return cost(lambda: measure.null_moments(p, q))[0]

            closed = min(fresh() for _ in range(5))
            name = f"{estimator}, {dtype}"
            rows.append(row(f"200 orders, {name}: cost", many, one, costs=True))
            rows.append(row(f"moments, {name}: cost", closed, one, costs=True))
    return rows


def rbf() -> list[dict[str, Any]]:
    n, d = 10_000, 512
    x, y = representations(2, n, d)
    ours = cost(lambda: sim.cka(x, y, kernel="rbf"))[0]
    plain = cost(lambda: plain_rbf(x, y))[0]
    half = sum(  # only the products, in panels of half of the matrix
        cost(lambda a=a: x[a : a + 256] @ x[a:].T)[0] for a in range(0, n, 256)
    )
    return [
        row("rbf, n = 10,000: the plain formula", ours, plain),
        row("rbf, n = 10,000: cost in its products", ours, 2 * half, costs=True),
    ]


def plain_rbf(x: np.ndarray, y: np.ndarray) -> float:
    """The plain formula in numpy, with n x n arrays and np.median."""

    def centered(x: np.ndarray) -> np.ndarray:
        n, squares = len(x), np.sum(x * x, axis=1)
        d = np.maximum(squares[:, None] + squares[None, :] - 2 * x @ x.T, 0)
        sigma = np.sqrt(np.median(d[np.triu(np.ones((n, n), dtype=bool), k=1)]))
        k = np.exp(-d / (2 * sigma**2))
        np.fill_diagonal(k, 0)
        effects = k.sum(axis=1) / (n - 2)
        k = k - effects[:, None] - effects[None, :] + effects.sum() / (n - 1)
        np.fill_diagonal(k, 0)
        return k

    k, l = centered(x), centered(y)  # noqa: E741
    return float(np.vdot(k, l) / np.sqrt(np.vdot(k, k) * np.vdot(l, l)))


def row(what: str, ours: float, other: float, *, costs: bool = False) -> dict[str, Any]:
    """Both times, and other / ours; with `costs`, ours / other."""
    ratio = ours / other if costs else other / ours
    return {"what": what, "seconds": ours, "compared_with": other, "ratio": ratio}


PARTS: dict[str, Callable[[], list[dict[str, Any]]]]
PARTS = {"all_pairs": all_pairs, "many": many, "null": null, "rbf": rbf}


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=" | ".join(PARTS))
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(
            f"unknown part {', '.join(sorted(unknown))}; choose from {', '.join(PARTS)}"
        )
    with threadpool_limits(1):
        found = {name: PARTS[name]() for name in options.parts or PARTS}
    report(found, show, as_json=options.json)


def show(found: dict[str, Any]) -> None:
    print(f"{'what':<52}{'ours s':>9}{'other s':>9}{'ratio':>9}")
    for r in (r for rows in found.values() for r in rows):
        print(
            f"{r['what']:<52}{r['seconds']:>9.3f}{r['compared_with']:>9.3f}"
            f"{r['ratio']:>9.1f}"
        )
        if "peak_gib" in r:
            print(
                f"  memory: {r['peak_gib']:.2f} GiB, {r['peak_before_gib']:.2f} before"
            )


if __name__ == "__main__":
    main()
