"""Time measures of arrays and of outputs, with bounds and naive implementations.

    python benchmarks/measures.py [--json] [--quick] [--n ROWS ...] [--d COLUMNS ...]
                                  [-- NAME ...]

By default {1k, 10k, 50k} stimuli and {64, 512, 2048} columns (classes, for outputs), in
float64 with one thread. Cases with a bound above ten seconds are skipped. Times are
processor seconds. A bound is the time of the leading operations (common/bounds.py) at
the rate of a matrix product, a sort or a read, measured in the same run. A share of
100 % means no other costs. Naive implementations (common/naive.py) run at 1k, and
values are compared. Measures that whiten are also timed with QR only, as before Gram
matrices were used, on the same and on ill-conditioned columns (common/routes.py).
Without names and sizes, headlines.py runs at the end.
"""

import contextlib
from typing import Any

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

import similitude as sim
from common.bounds import BOUNDS
from common.harness import command, cost, report
from common.naive import NAIVE
from common.routes import ROUTED, ill_conditioned, route_times, show_routes
from headlines import headlines
from headlines import show as show_headlines
from limits import limits

SIZES, WIDTHS = (1_000, 10_000, 50_000), (64, 512, 2048)
MAX_BOUND = 10.0  # seconds; cases with a larger bound are skipped
BUDGET = 4 * 2**30


def data(domain: str, n: int, d: int) -> tuple[Any, Any]:
    """Two arrays that share half of their variance; or outputs of d classes."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, d)) * np.linspace(1.5, 0.5, d) + 0.5
    pair = x, x + rng.standard_normal((n, d))
    if domain == "points":
        return pair
    targets = rng.integers(d, size=n)
    a, b = (scipy.special.log_softmax(v, axis=1) for v in pair)
    return sim.Outputs(a, targets=targets), sim.Outputs(b, targets=targets)


def timed(call: Any, budget: float = 1.0) -> tuple[float, Any]:
    """Best of up to five runs, within a budget of seconds."""
    best, spent, value = float("inf"), 0.0, None
    for _ in range(5):
        took, value = cost(call)
        best, spent = min(best, took), spent + took
        if spent > budget:
            break
    return best, value


def case(name: str, n: int, d: int, machine: dict[str, Any]) -> dict[str, Any]:
    """One row: its time, its bound with the bottleneck, and the naive time."""
    work = BOUNDS[name](n, d)
    bound, start = work.seconds(machine), {"measure": name, "n": n, "d": d}
    start |= {"bound_seconds": bound, "bound": work.bottleneck(machine)}
    if bound > MAX_BOUND:
        return start | {"skipped": f"the bound alone is {bound:.0f} s"}
    measure = sim.find_measure(name)
    seed = 0 if measure.claims().stochastic else None
    with contextlib.suppress(sim.SimilitudeError):  # loads modules on first use
        measure(*data(measure.domain, 64, 8), rng=seed)
    x, y = data(measure.domain, n, d)
    try:
        took, value = timed(lambda: measure(x, y, rng=seed))
    except sim.SimilitudeError as error:
        return start | {"skipped": f"{type(error).__name__}: {error}"}
    found = start | {"seconds": took, "share_of_bound": bound / took}
    if name in NAIVE and n == SIZES[0]:
        naive, expected = timed(lambda: NAIVE[name](x, y))
        gap = abs(float(value) - float(expected)) / max(1.0, abs(float(expected)))
        found |= {"naive_seconds": naive, "over_naive": naive / took, "gap": gap}
    return found


def routes(
    names: list[str], n: int, d: int, machine: dict[str, Any]
) -> list[dict[str, Any]]:
    """Times by QR and by Gram matrices, if a QR decomposition is not too slow."""
    chosen = [name for name in ROUTED if name in names]
    if not chosen or n < 4 * d or n * d * d > 5e10:
        return []
    x, y = data("points", n, d)
    pairs = {"well": (x, y), "ill": (ill_conditioned(x), ill_conditioned(y))}
    return [route_times(name, pairs, machine) for name in chosen]


def table(rows: list[dict[str, Any]]) -> None:
    print("measure                              n     d        ms  bound ms  share  of")
    for r in rows:
        head = f"{r['measure']:<30}{r['n']:>8,}{r['d']:>6}"
        if "skipped" in r:
            print(f"{head}  -- {r['skipped'].split('. ')[0]}")
            continue
        naive = f"  naive x {r['over_naive']:.1f}" if "over_naive" in r else ""
        print(
            f"{head}{1e3 * r['seconds']:>10.1f}{1e3 * r['bound_seconds']:>10.1f}"
            f"{r['share_of_bound']:>7.0%}  {r['bound']}{naive}"
        )


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--quick", action="store_true", help="1,000 x {64, 512} only")
    parser.add_argument("--n", type=int, nargs="+", default=SIZES, metavar="ROWS")
    parser.add_argument("--d", type=int, nargs="+", default=WIDTHS, metavar="COLUMNS")
    parser.add_argument("names", nargs="*", metavar="NAME", help="names of measures")
    options = parser.parse_args()
    if unknown := set(options.names) - set(BOUNDS):
        parser.error(f"unknown or without a bound: {', '.join(sorted(unknown))}")
    sizes, widths = options.n, options.d
    if options.quick:
        sizes, widths = SIZES[:1], WIDTHS[:2]
    machine = limits()
    with threadpool_limits(1), sim.config(memory_budget=BUDGET):
        rows = [
            case(name, n, d, machine)
            for name in options.names or sorted(BOUNDS)
            for n in sizes
            for d in widths
        ]
        names = options.names or sorted(BOUNDS)
        by_route = [
            row for n in sizes for d in widths for row in routes(names, n, d, machine)
        ]
        whole = not options.names and (sizes, widths) == (SIZES, WIDTHS)
        headline_rows = []
        if whole or options.quick:
            headline_rows = headlines(machine, quick=options.quick)
    found = {"machine": machine, "measures": rows, "routes": by_route}
    found["headlines"] = headline_rows
    found["not_here"] = sorted(set(sim.MEASURES) - set(BOUNDS))
    report(found, show, as_json=options.json)


def show(found: dict[str, Any]) -> None:
    table(found["measures"])
    if found["routes"]:
        print()
        show_routes(found["routes"])
    print(f"\nin other benchmarks: {', '.join(found['not_here'])}\n")
    show_headlines(found["headlines"])
    print(f"\nimport similitude: {found['machine']['import_similitude']:.3f} s")


if __name__ == "__main__":
    main()
