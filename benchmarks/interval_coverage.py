"""Coverage of the confidence intervals that the library prints.

Every case is a population whose true value is known. `compare` prints intervals of
`cka`, `linear_regression` (R^2), `disagreement` (share), `mutual_knn`, and of measures
with sampled queries; the engine computes them, and for the first sample
`similitude.compare` is run as well and must print the same interval. Differences are
those of `similitude.stats.difference` and of tables of stitching.
"covers" is the coverage of printed intervals, "s.e." its standard error, "above" the
share of intervals above the true value, "widened" the share of intervals that are wider
than Student's, and "withheld" the share that is not printed. Counts of rare events are
discrete, so their coverage jumps.

--only NAME ... runs cases whose name contains a NAME. --short uses 300 runs per case,
about 15 minutes on one core; --quick uses 40. --folder PATH keeps finished cases, and
the same command resumes; --finished runs no others.
"""

import argparse
import contextlib
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from threadpoolctl import threadpool_limits

import similitude as sim
from common.harness import command, cost
from common.interval_cases import (
    Case,
    cka_cases,
    regression_cases,
    share_cases,
    wide_cases,
)
from common.json_lines import add_line, read_lines
from common.mean_cases import Direct, difference_cases, stitching_cases
from common.neighbor_cases import neighbor_cases, query_cases
from similitude import Representation
from similitude._base import _parallel
from similitude._base._seed import as_seed
from similitude.engine._plan import Pairs, Plan
from similitude.engine._prepared import Prepared
from similitude.engine.question._join import common_blocks, join
from similitude.engine.statistics import Resampling, statistics

CASES = (
    *(cka_cases, regression_cases, share_cases, wide_cases),
    *(neighbor_cases, query_cases, difference_cases, stitching_cases),
)


def covered(case: Case | Direct, runs: int) -> dict[str, Any]:
    """Coverage of printed intervals, and the share of withheld intervals."""
    every = [_once(case, seed) for seed in range(runs)]
    truth = case.truth
    if truth is None:
        truth = float(np.mean([fields["score"] for fields in every]))
    printed = [fields for fields in every if "low" in fields]

    def share(holds: list[bool]) -> float | None:
        return round(float(np.mean(holds)), 4) if holds else None

    covers = share([f["low"] <= truth <= f["high"] for f in printed])
    error = None if covers is None else np.sqrt(covers * (1 - covers) / len(printed))
    return {
        "case": case.name,
        "truth": round(truth, 4),
        "covers": covers,
        "error": None if error is None else round(float(error), 4),
        "above": share([truth < f["low"] for f in printed]),
        "widened": share(["widened" in f["interval_method"] for f in printed]),
        "withheld": round(1 - len(printed) / runs, 4),
        "runs": runs,
    }


def _once(case: Case | Direct, seed: int) -> dict[str, Any]:
    if isinstance(case, Direct):
        return case.interval(seed)
    reps = join(case.draw(np.random.default_rng(seed)), "exact")
    fields = interval(case.measure, reps, seed)
    if seed == 0:
        row = sim.compare(reps, case.measure, permutations=0, rng=0).rows[0]
        assert (row.low, row.high) == (fields.get("low"), fields.get("high"))
    return fields


def interval(
    measure: sim.Measure, reps: list[Representation], seed: int
) -> dict[str, Any]:
    """The score and the interval fields of `compare`, without its other work."""
    resampling = Resampling(as_seed(seed), reps[0].n, common_blocks(reps))
    job = Plan(reps, [measure], Pairs(2), permutations=0).jobs[0]
    ready = Prepared(measure, reps, resampling.seed)
    held = ready.get((job.a, job.b))
    score = float(measure.compare(held[job.a], held[job.b]))
    ((_, fields),) = statistics(ready, [(job, score)], resampling)
    return {"score": score, **fields}


def results(options: argparse.Namespace, runs: int) -> Iterator[dict[str, Any]]:
    """The result of each case; finished cases of the folder are not run again."""
    kept = options.folder and options.folder / "cases.jsonl"
    lines = read_lines(kept) if kept else []
    done = {(line["case"], line["runs"]): line for line in lines}
    for generate in CASES:
        for case in generate():
            if not any(part in case.name for part in options.only):
                continue
            found = done.get((case.name, runs))
            if found is None:
                if options.finished:
                    continue
                spent, found = cost(partial(covered, case, runs))
                found["seconds"] = round(spent, 2)
                if kept:
                    add_line(kept, found)
            yield found


def line(result: dict[str, Any]) -> str:
    covers, error, above = (
        "-" if result[k] is None else f"{100 * result[k]:.1f}"
        for k in ("covers", "error", "above")
    )
    widened = "-" if result["widened"] is None else f"{100 * result['widened']:.0f} %"
    withheld = f"{100 * result['withheld']:.0f} %"
    name = f"{result['case']:<54}{result['truth']:>7.3f}"
    return f"{name}{covers:>8}{error:>6}{above:>7}{widened:>9}{withheld:>10}"


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--runs", type=int, default=600, help="samples per case")
    parser.add_argument("--only", nargs="+", default=[""], help="parts of names")
    parser.add_argument("--short", action="store_true", help="300 samples per case")
    parser.add_argument("--quick", action="store_true", help="40 samples per case")
    parser.add_argument("--folder", type=Path, help="keep finished cases, and resume")
    parser.add_argument("--finished", action="store_true", help="run nothing")
    options = parser.parse_args()
    runs = 40 if options.quick else 300 if options.short else options.runs
    if not options.json:
        columns = f"{'covers':>8}{'s.e.':>6}{'above':>7}{'widened':>9}{'withheld':>10}"
        print(f"{'case':<54}{'truth':>7}{columns}")
    found = []
    # Looking for the libraries of threads takes as long as a small interval.
    unchanged = mock.patch.object(_parallel, "one_thread", contextlib.nullcontext)
    with threadpool_limits(1), unchanged:
        for result in results(options, runs):
            found.append(result)
            if not options.json:
                print(line(result), flush=True)
    if options.json:
        planned = sum(1 for cases in CASES for _ in cases())
        print(json.dumps({"cases": found, "planned": planned}, indent=2))


if __name__ == "__main__":
    main()
