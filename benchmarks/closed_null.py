"""Calibration of p-values from closed moments, over random permutations of one pair.

    python benchmarks/closed_null.py [--json] [--orders B] [--measure NAME]

Pairs are unrelated rows from many distributions. For every pair, the exact moments over
all permutations give p-values by the Pearson III distribution. The table has the share
of B random permutations with p at most alpha; an exact distribution would give alpha.
`compare` decides by the skewness whether it uses the distribution: see "used".
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import similitude as sim
from common.harness import command, report
from similitude import stats
from similitude.stats._null import pearson3

ALPHAS = (0.1, 0.05, 0.01, 0.001)
SIZES = (30, 200, 1000)
Rows = Callable[[np.random.Generator, int], np.ndarray]

KINDS: dict[str, Rows] = {
    "normal": lambda rng, n: rng.normal(size=(n, 8)),
    "one direction": lambda rng, n: rng.normal(size=(n, 1)) @ rng.normal(size=(1, 8)),
    "rectified": lambda rng, n: np.maximum(rng.normal(size=(n, 64)) - 1, 0),
    "sparse": lambda rng, n: np.maximum(rng.normal(size=(n, 64)) - 2, 0),
    "ten classes": lambda rng, n: np.eye(10)[rng.integers(10, size=n)],
    "rare class": lambda rng, n: (rng.normal(size=(n, 1)) > 1.6) * 1.0,
    "cubed normal": lambda rng, n: rng.normal(size=(n, 8)) ** 3,
    "t, 2 degrees": lambda rng, n: rng.standard_t(2, size=(n, 8)),
    "log-normal": lambda rng, n: np.exp(1.5 * rng.normal(size=(n, 8))),
    "Cauchy": lambda rng, n: rng.standard_cauchy(size=(n, 8)),
}


def one_pair(
    measure: sim.Measure, kind: str, n: int, count: int, seed: int
) -> dict[str, Any] | None:
    rng = np.random.default_rng([seed, n])
    try:
        p, q = (measure.prepare(KINDS[kind](rng, n)) for _ in range(2))
        moments = measure.null_moments(p, q)
    except sim.Undefined:
        return None
    scores = np.asarray(measure.null(p, q, stats.orders(n, count, seed)))
    found = np.array([pearson3(float(s), 1.0, moments) for s in scores])
    return {
        "rows": kind,
        "n": n,
        "skewness": moments[2],
        "used": stats.law_fits(moments),
        "shares": [float(np.mean(found <= alpha)) for alpha in ALPHAS],
    }


def show(found: list[dict[str, Any]]) -> None:
    heads = "".join(f"{f'p<={alpha:g}':>9}" for alpha in ALPHAS)
    print(f"{'rows':<14}{'n':>6}{'skewness':>10}{'used':>6}{heads}")
    for pair in found:
        shares = "".join(f"{share:>9.4f}" for share in pair["shares"])
        used = "yes" if pair["used"] else "no"
        print(
            f"{pair['rows']:<14}{pair['n']:>6}{pair['skewness']:>10.2f}{used:>6}{shares}"
        )


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--orders", type=int, default=2000, metavar="B")
    parser.add_argument("--measure", default="cka", metavar="NAME")
    options = parser.parse_args()
    pairs = [
        one_pair(sim.find_measure(options.measure), kind, n, options.orders, seed)
        for kind in KINDS
        for n in SIZES
        for seed in range(2)
    ]
    report([pair for pair in pairs if pair is not None], show, as_json=options.json)


if __name__ == "__main__":
    main()
