"""Coverage of intervals that were tried for mutual_knn, rsa and procrustes.

- mutual_knn, printed: the jackknife of single stimuli with a mid-P interval. The true
  value is the expected score of n stimuli, the mean over all draws of the case.
- mutual_knn, single stimuli: Student's interval of the mean of their scores, which
  ignores that stimuli are neighbors of each other. Not printed.
- rsa and procrustes: a jackknife of 20 groups on Fisher's scale, widened if few rows
  carry the error, for the score of unlimited stimuli (4,000 and 20,000 rows). Not
  printed.
- procrustes, corrected: the same about the mean of the pseudo-values. Not printed.

"covers" is the coverage and "width" the median width in units of the narrowest interval
that covers 95 %. --runs N samples per case (default 300).
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import similitude as sim
from common.harness import command, report
from common.neighbor_cases import populations
from similitude import stats
from similitude.stats._heavy_tails import reach

Ends = tuple[float, float, float]  # score, low, high


def neighbors(x: np.ndarray, y: np.ndarray, k: int) -> Iterator[tuple[str, Ends]]:
    measure = sim.measures.MutualKNN(k=k)
    p, q = measure.prepare(x), measure.prepare(y)
    score, n = float(measure.compare(p, q)), len(x)
    coverage = measure.claims().interval
    found = stats.neighbor_interval(score, coverage.without_each(p, q))
    yield f"mutual_knn k {k}, printed", (score, found.low, found.high)
    single = measure.per_stimulus(p, q)
    error = 2 * float(np.std(single, ddof=1)) / math.sqrt(n)
    yield f"mutual_knn k {k}, single stimuli", (score, score - error, score + error)


def fisher(score: Any) -> Any:
    return np.arctanh(np.clip(score, -1 + 1e-12, 1 - 1e-12))


def jackknife(
    measure: sim.measures.Measure,
    x: np.ndarray,
    y: np.ndarray,
    *,
    corrected: bool = False,
) -> Ends:
    parts = stats.groups(len(x), 0)
    score = float(measure(x, y))
    left = [float(measure(np.delete(x, p, 0), np.delete(y, p, 0))) for p in parts]
    middle, one = fisher(score), fisher(np.array(left))
    found = stats.interval(middle, one, sizes=[len(p) for p in parts])
    bias = (len(one) - 1) * float(np.mean(one) - middle)
    far = reach(
        np.mean(one) - one,
        bias=0.0 if corrected else bias / found.error,
        quadratic=0.0,
    )
    center = middle - bias if corrected else middle
    low, high = center - far.below * found.error, center + far.above * found.error
    return score, float(np.tanh(low)), float(np.tanh(high))


def cases(runs: int) -> Iterator[dict[str, Any]]:
    rsa, shape = sim.MEASURES["rsa"], sim.measures.Procrustes(form="similarity")
    for name, population in populations():
        rng = np.random.default_rng(1)
        truths = {
            "rsa": float(np.mean([rsa(*population.draw(rng, 2000)) for _ in range(2)])),
            "procrustes": float(shape(*population.draw(rng, 20_000))),
        }
        for n in (40, 150):
            found: dict[str, list[Ends]] = {}
            for seed in range(runs):
                x, y = population.draw(np.random.default_rng([seed, n]), n)
                tried = [*neighbors(x, y, 1), *neighbors(x, y, 10)]
                tried.append(("rsa", jackknife(rsa, x, y)))
                tried.append(("procrustes", jackknife(shape, x, y)))
                corrected = jackknife(shape, x, y, corrected=True)
                tried.append(("procrustes, corrected", corrected))
                for label, ends in tried:
                    found.setdefault(label, []).append(ends)
            for label, ends in found.items():
                yield summary(f"{label}, {name}, n {n}", ends, truths.get(label[:10]))


def summary(name: str, ends: list[Ends], truth: float | None) -> dict[str, Any]:
    score, low, high = np.transpose(ends)
    truth = float(np.mean(score)) if truth is None else truth
    needed = 2 * np.quantile(abs(score - truth), 0.95)
    return {
        "case": name,
        "truth": truth,
        "covers": float(np.mean((low <= truth) & (truth <= high))),
        "width": float(np.median(high - low) / needed) if needed else None,
    }


def show(found: dict[str, Any]) -> None:
    width = "" if found["width"] is None else f"{found['width']:>7.2f}"
    numbers = f"{found['truth']:>7.3f}{100 * found['covers']:>7.1f}{width}"
    print(f"{found['case']:<60}{numbers}", flush=True)


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--runs", type=int, default=300, help="samples per case")
    options = parser.parse_args()
    if not options.json:
        print(f"{'case':<60}{'truth':>7}{'covers':>7}{'width':>7}")
    every = []
    for found in cases(options.runs):
        every.append(found)
        if not options.json:
            show(found)
    if options.json:
        report(every, show, as_json=True)


if __name__ == "__main__":
    main()
