"""Measures of arrays and of outputs against their bounds, and naive formulas.

    python benchmarks/measures.py [--json] [--quick] [NAME ...]

{1k, 10k, 50k} stimuli of {64, 512, 2048} columns (classes, for outputs), float64, one
thread, where the bound is below ten seconds; --quick is 1k x {64, 512}. Processor
seconds. A bound is the time of the leading operations (bounds.py) at the rate of a
matrix product, a sort or a read that this machine reaches in the same run; 100 % would
be a measure that costs nothing else. Naive formulas (naive.py) run at 1k, and their
value is compared. Without names it ends with headlines.py.
"""

import contextlib
import json
import sys
import time
from typing import Any

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

import similitude as sim
from bounds import BOUNDS
from headlines import headlines, show
from limits import limits
from naive import NAIVE

SIZES, WIDTHS = (1_000, 10_000, 50_000), (64, 512, 2048)
PATIENCE = 10.0  # seconds that a bound may be for a case to be run
BUDGET = 4 * 2**30


def data(domain: str, n: int, d: int) -> tuple[Any, Any]:
    """Two that share half of their variance, of falling spectra; or d classes."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, d)) * np.linspace(1.5, 0.5, d) + 0.5
    pair = x, x + rng.standard_normal((n, d))
    if domain == "points":
        return pair
    targets = rng.integers(d, size=n)
    a, b = (scipy.special.log_softmax(v, axis=1) for v in pair)
    return sim.Outputs(a, targets=targets), sim.Outputs(b, targets=targets)


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
    with contextlib.suppress(sim.SimilitudeError):  # what is loaded on first use
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
        whole = names == sorted(BOUNDS)
        promised = headlines(machine, quick=quick) if whole else []
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
