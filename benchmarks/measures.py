"""Every measure of arrays against its bound on this machine, and its naive formula.

    python benchmarks/measures.py [--json] [--quick] [NAME ...]

{1k, 10k, 50k} stimuli of {64, 512, 2048} columns, float64, one thread, processor time,
where the bound is below five seconds; --quick is 1k x {64, 512}. A bound is the time of
the leading operations (bounds.py) at the rate of a product, a sort or a read that
this machine reaches in the same run; 100 % would be a measure that costs nothing else.
Naive formulas (naive.py) run at 1k; their value is compared. Ends with headlines.py.
"""

import json
import sys
import time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import similitude as sim
from bounds import BOUNDS
from headlines import headlines, show
from limits import limits
from naive import NAIVE

SIZES, WIDTHS = (1_000, 10_000, 50_000), (64, 512, 2048)
PATIENCE = 5.0  # seconds that a bound may be for a case to be run
BUDGET = 4 * 2**30


def data(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Two representations that share half of their variance, of falling spectra."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, d)) * np.linspace(1.5, 0.5, d) + 0.5
    return x, x + rng.standard_normal((n, d))


def timed(call: Any, budget: float = 1.0) -> tuple[float, Any]:
    """Best of up to five runs, of as many as a budget of seconds allows."""
    best, spent, value = float("inf"), 0.0, None
    for _ in range(5):
        start = time.process_time()
        value = call()
        took = time.process_time() - start
        best, spent = min(best, took), spent + took
        if spent > budget:
            break
    return best, value


def case(name: str, n: int, d: int, machine: dict[str, Any]) -> dict[str, Any]:
    """One row: its time, the bound and what that is of, and the naive formula."""
    work = BOUNDS[name](n, d)
    bound, start = work.seconds(machine), {"measure": name, "n": n, "d": d}
    start |= {"bound_seconds": bound, "bound": work.met(machine)}
    if bound > PATIENCE:
        return start | {"skipped": f"the bound alone is {bound:.0f} s"}
    measure = sim.MEASURES[name]
    seed = 0 if measure.claims().stochastic else None
    x, y = data(n, d)
    try:
        measure(x[:64], y[:64], rng=seed)  # what is compiled or imported on first use
    except sim.SimilitudeError:
        pass
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
    names = [a for a in sys.argv[1:] if not a.startswith("--")] or sorted(BOUNDS)
    quick = "--quick" in sys.argv[1:]
    sizes, widths = (SIZES[:1], WIDTHS[:2]) if quick else (SIZES, WIDTHS)
    machine = limits()
    with threadpool_limits(1), sim.config(memory_budget=BUDGET):
        rows = [
            case(name, n, d, machine) for name in names for n in sizes for d in widths
        ]
        promised = headlines(machine, quick=quick)
    elsewhere = sorted(set(sim.MEASURES) - set(BOUNDS))
    if "--json" in sys.argv[1:]:
        found = {"machine": machine, "measures": rows, "headlines": promised}
        print(json.dumps(found | {"not_here": elsewhere}, indent=2))
        return
    table(rows)
    print(f"\nnot here: {', '.join(elsewhere)}\n")
    show(promised)
    print(f"\nimport similitude: {machine['import_seconds']:.3f} s")


if __name__ == "__main__":
    main()
