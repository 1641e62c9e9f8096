"""Coverage of the confidence intervals that `similitude.compare` prints.

Every case is a population whose true value is known from its covariances. The engine
computes intervals of samples. For the first sample, `similitude.compare` is run as well
and must print the same interval.
"covers" is the coverage of printed intervals, "s.e." its standard error, "above" the
share of intervals above the true value, "widened" the share of intervals that are wider
than Student's, and "withheld" the share that is not printed. Counts of rare events are
discrete, so their coverage jumps. Differences are computed by
`similitude.stats.difference`.

--only NAME runs cases whose name contains NAME. --short uses 300 runs per case, about
20 minutes on one core; --quick uses 40. --folder PATH keeps finished cases, and the
same command resumes.
"""

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim
from common.harness import command
from common.interval_cases import (
    Case,
    cka_cases,
    regression_cases,
    share_cases,
    wide_cases,
)
from similitude import Representation, stats
from similitude._seed import as_seed
from similitude.engine._plan import Pairs, plan
from similitude.engine._prepared import Prepared
from similitude.engine.question._join import common_blocks, join
from similitude.engine.statistics import Resampling, intervals

COUNTS = ("hits", "below", "shown", "widened")


def printed(case: Case, runs: int) -> dict[str, Any]:
    """Coverage of printed intervals, and the share of withheld intervals."""
    counts, truth = dict.fromkeys(COUNTS, 0), case.truth
    for seed in range(runs):
        reps = join(case.draw(np.random.default_rng(seed)), "exact")
        fields = interval(case.measure, reps, seed)
        if seed == 0:
            row = sim.compare(reps, case.measure, permutations=0, rng=0).rows[0]
            assert (row.low, row.high) == (fields.get("low"), fields.get("high"))
        if "low" not in fields:
            continue
        counts["shown"] += 1
        counts["hits"] += fields["low"] <= truth <= fields["high"]
        counts["below"] += truth < fields["low"]
        counts["widened"] += "widened" in fields["interval_method"]
    return summary(case.name, truth, counts, runs)


def interval(
    measure: sim.Measure, reps: list[Representation], seed: int
) -> dict[str, Any]:
    """The interval fields of `compare`, without its other work."""
    resampling = Resampling(as_seed(seed), reps[0].n, common_blocks(reps))
    job = plan(reps, [measure], Pairs(2), permutations=0).jobs[0]
    p, q = (measure.prepare(reps[i].load(), resampling.seed) for i in (job.a, job.b))
    scored = [(job, float(measure.compare(p, q)))]
    ready = Prepared(measure, reps, resampling.seed)
    return intervals(ready, scored, resampling)[0][1]


def difference(n: int, d: int, noise: float, runs: int) -> dict[str, Any]:
    """s(a, b) - s(a, c) with a common a, for equal and for different similarities."""
    # b = a + e, c = a + noise f: the CKA of isotropic columns is known.
    truth, counts = 0.5 - 1 / (1 + noise**2), dict.fromkeys(COUNTS, 0)
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        a, e, f = (rng.normal(size=(n, d)) for _ in range(3))
        second = (a, a + noise * f)
        found = stats.difference(sim.measures.CKA(), (a, a + e), second, rng=seed)
        low, high = found.interval.low, found.interval.high
        counts["hits"] += low <= truth <= high
        counts["below"] += truth < low
    counts["shown"] = runs
    return summary(_difference_name(n, d, noise), truth, counts, runs)


def _difference_name(n: int, d: int, noise: float) -> str:
    return f"difference of cka {0.5 - 1 / (1 + noise**2):.2g}, d {d}, n {n}"


def summary(
    name: str, truth: float, counts: dict[str, int], runs: int
) -> dict[str, Any]:
    shown = counts["shown"]
    covers, above, widened = (
        counts[k] / shown if shown else None for k in ("hits", "below", "widened")
    )
    error = None if covers is None else np.sqrt(covers * (1 - covers) / shown)
    return {
        "case": name,
        "truth": round(truth, 4),
        "covers": _rounded(covers),
        "error": _rounded(error),
        "above": _rounded(above),
        "widened": _rounded(widened),
        "withheld": round(1 - shown / runs, 4),
        "runs": runs,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 4)


def results(options: argparse.Namespace, runs: int) -> Iterator[dict[str, Any]]:
    """The result of each case; finished cases of the folder are not run again."""
    done = _finished(options.folder)
    for generate in (cka_cases, regression_cases, share_cases, wide_cases):
        for case in generate():
            if options.only in case.name:
                found = done.get((case.name, runs)) or printed(case, runs)
                yield _kept(options.folder, found, done)
    for n, d in ((40, 5), (100, 5), (100, 30), (300, 10)):
        for noise in (1.0, 2.0):
            name = _difference_name(n, d, noise)
            if options.only in name:
                found = done.get((name, runs)) or difference(n, d, noise, runs)
                yield _kept(options.folder, found, done)


def _finished(folder: Path | None) -> dict[tuple[str, int], dict[str, Any]]:
    if folder is None or not (folder / "cases.jsonl").exists():
        return {}
    found = {}
    for text in (folder / "cases.jsonl").read_text().splitlines():
        try:
            case = json.loads(text)
        except json.JSONDecodeError:
            continue  # the last line of a run that was stopped
        found[case["case"], case["runs"]] = case
    return found


def _kept(
    folder: Path | None,
    found: dict[str, Any],
    done: dict[tuple[str, int], dict[str, Any]],
) -> dict[str, Any]:
    if folder is not None and (found["case"], found["runs"]) not in done:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "cases.jsonl").open("a") as file:
            file.write("\n" + json.dumps(found) + "\n")
            file.flush()
            os.fsync(file.fileno())
    return found


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
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--short", action="store_true", help="300 samples per case")
    parser.add_argument("--quick", action="store_true", help="40 samples per case")
    parser.add_argument("--folder", type=Path, help="keep finished cases, and resume")
    options = parser.parse_args()
    runs = 40 if options.quick else 300 if options.short else options.runs
    if not options.json:
        columns = f"{'covers':>8}{'s.e.':>6}{'above':>7}{'widened':>9}{'withheld':>10}"
        print(f"{'case':<54}{'truth':>7}{columns}")
    found = []
    for result in results(options, runs):
        found.append(result)
        if not options.json:
            print(line(result), flush=True)
    if options.json:
        print(json.dumps({"cases": found}, indent=2))


if __name__ == "__main__":
    main()
