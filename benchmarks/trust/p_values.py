"""Check that P(p <= a) is at most a for unrelated sides, for every permutation test.

    python benchmarks/trust/p_values.py FOLDER [--draws N] [--only NAME ...]

For each measure that pairs rows, 2,000 pairs of unrelated representations are drawn,
with normal, heavy-tailed, clustered and discrete values in turn. 99 random orders of
the rows of one side give p. Orders stop once p > 0.1 is certain, which does not change
the counts below 0.1. A count fails if a binomial variable of its level is as large with
a probability below 1 in 1,000. Measures with exact moments are tested by these too.
One JSON line per measure is added to FOLDER/p_values.jsonl; measures that are there are
not repeated. Give the folder again to resume.
"""

import itertools
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

import similitude as sim
from similitude import stats

sys.path.append(str(Path(__file__).parents[2]))
from benchmarks.common.harness import command
from benchmarks.common.json_lines import add_line, read_lines

LEVELS, ORDERS, STEP = (0.01, 0.05, 0.1), 99, 11
ROWS, COLUMNS, CLASSES = 24, 4, 8
UNLIKELY = 1e-3
# By default these draw more inputs than there are rows.
OPTIONS = {"d_fg": "d_fg(draws=4)", "d_llv": "d_llv(draws=4)"}
VARIANTS = (
    "cka(estimator=biased)",
    "cka(kernel=rbf)",
    "cka(kernel=knn(k=5))",
    "cka(kernel=diffusion)",
    "information_imbalance(k=3)",
    "mutual_knn(k=3)",
    "rsa(outer=kendall_b)",
    "soft_matching(mass=0.5)",
)


def rows(rng: np.random.Generator, law: int) -> np.ndarray:
    """Rows of one side, which know nothing of the other side."""
    values = rng.normal(size=(ROWS, COLUMNS))
    if law == 1:
        values = rng.standard_t(2, size=values.shape)
    values = values + 2 * rng.normal(size=(ROWS, 1))  # columns are related
    if law == 2:
        return values + 4 * rng.normal(size=(3, COLUMNS))[rng.integers(3, size=ROWS)]
    return np.round(values) + 0.5 if law == 3 else values  # no row is 0


def pair(domain: str, rng: np.random.Generator, law: int) -> tuple[Any, Any]:
    """Both sides in the form that measures of this domain take."""
    x, y = rows(rng, law), rows(rng, law)
    if domain == "points":
        return x, y
    if domain == "softmax":
        heads = (rng.normal(size=(CLASSES, COLUMNS)) for _ in range(2))
        return tuple(sim.SoftmaxModel(f, g) for f, g in zip((x, y), heads, strict=True))
    targets = rng.integers(COLUMNS, size=ROWS)
    return tuple(
        sim.Outputs(scipy.special.log_softmax(side, axis=1), targets=targets)
        for side in (x, y)
    )


def p_values(
    measure: sim.Measure, seed: int
) -> tuple[float | None, float | None] | None:
    """p by permutations, None if above 0.1, and p of `compare`; None if undefined.

    If moments do not describe the null, `compare` permutes.
    """
    rng = np.random.default_rng([7, seed])
    x, y = pair(measure.domain, rng, seed % 4)
    fixed = np.random.SeedSequence(seed) if measure.claims().stochastic else None
    orders = stats.orders(ROWS, ORDERS, rng)
    by_moments = None
    try:
        p, q = measure.prepare(x, fixed), measure.prepare(y, fixed)
        score, scores = float(measure.compare(p, q)), np.empty(0)
        if measure.offers("null_moments"):
            moments = measure.null_moments(p, q)
            if stats.law_fits(moments):
                by_moments = stats.closed_null(measure, score, moments).p
        while len(scores) < ORDERS:
            some = orders[len(scores) : len(scores) + STEP]
            new = stats.null_scores(measure, p, q, some, y=y, seed=fixed)
            scores = np.concatenate([scores, new])
            found = stats.null(measure, score, scores).p
            if found * (len(scores) + 1) > 0.1 * (ORDERS + 1):
                return None, by_moments
    except sim.Undefined:
        return None
    return found, found if by_moments is None else by_moments


def counts(found: list[float | None]) -> dict[str, int]:
    return {str(a): sum(p is not None and p <= a for p in found) for a in LEVELS}


def check(label: str, draws: int) -> dict[str, Any]:
    measure, start = sim.find_measure(label), time.process_time()
    found = (p_values(measure, seed) for seed in range(2 * draws))
    defined = list(itertools.islice((ps for ps in found if ps is not None), draws))
    result = {"measure": label, "draws": len(defined), "rows": ROWS, "orders": ORDERS}
    result["counts"] = counts([p for p, _ in defined])
    if measure.offers("null_moments"):
        by_moments = counts([p for _, p in defined])
        result |= {"moment_draws": len(defined), "moment_counts": by_moments}
    return result | {"seconds": round(time.process_time() - start, 1)}


def too_many(found: dict[str, Any], kind: str = "") -> list[str]:
    """The levels whose counts are above what chance explains."""
    draws = found[f"{kind}draws"]
    return [
        a
        for a, count in found[f"{kind}counts"].items()
        if scipy.stats.binom.sf(count - 1, draws, float(a)) < UNLIKELY
    ]


def show(found: dict[str, Any]) -> bool:
    """Print one or two lines; return whether a level fails."""
    failed = False
    for kind in ("", "moment_"):
        draws, levels = found.get(f"{kind}draws"), found.get(f"{kind}counts")
        if levels is None:
            continue
        if draws == 0:
            print(f"{found['measure']:<44}     0  UNDEFINED in all draws", flush=True)
            return True
        wrong = too_many(found, kind)
        failed |= bool(wrong)
        shares = "".join(f"{count / draws:>8.4f}" for count in levels.values())
        name = found["measure"] + (", by moments" if kind else "")
        verdict = f"TOO MANY at {', '.join(wrong)}" if wrong else "ok"
        print(f"{name:<44}{draws:>6}{shares}  {verdict}", flush=True)
    return failed


def labels() -> list[str]:
    paired = {name for name, m in sim.MEASURES.items() if m.claims().paired}
    return [*(OPTIONS.get(name, name) for name in sorted(paired)), *VARIANTS]


def main() -> int:
    parser = command(__doc__)
    parser.add_argument("folder", type=Path, help="where results are kept")
    parser.add_argument("--draws", type=int, default=2000, help="pairs per measure")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="measures")
    options = parser.parse_args()
    path, failed = options.folder / "p_values.jsonl", False
    done = {found["measure"]: found for found in read_lines(path)}
    for label in options.only or labels():
        found = done.get(label)
        if found is None:
            with threadpool_limits(1):
                found = check(label, options.draws)
            add_line(path, found)
        failed |= show(found) if not options.json else bool(too_many(found))
        if options.json:
            print(json.dumps(found))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
