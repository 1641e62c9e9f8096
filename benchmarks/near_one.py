"""Intervals of CKA between near-identical representations in which few rows differ.

    python benchmarks/near_one.py [--runs 60] [--kinds rare3,lognormal]

One line per population and n: how many intervals contain the CKA of the population, and
how many reach below 0.5, although 1 - CKA of the population is below 0.001. A sample
without a changed row has the score 1, and its interval misses.
"""

import numpy as np

import similitude as sim
from common.harness import command

CHANGE = 1e-3  # of a row, relative to the spread of the columns
KINDS = {
    "normal": lambda rng, n: np.ones((n, 1)),
    "rare1": lambda rng, n: 30.0 * (rng.random((n, 1)) < 0.01) + 1e-3,
    "rare3": lambda rng, n: 30.0 * (rng.random((n, 1)) < 0.03) + 1e-3,
    "rounding": lambda rng, n: 1.0 * (rng.random((n, 1)) < 0.02),
    "t2.5": lambda rng, n: np.sqrt(2 / rng.chisquare(2.5, size=(n, 1))),
    "t4": lambda rng, n: np.sqrt(4 / rng.chisquare(4, size=(n, 1))),
    "lognormal": lambda rng, n: np.exp(2.0 * rng.normal(size=(n, 1))),
    "lognormal1": lambda rng, n: np.exp(1.0 * rng.normal(size=(n, 1))),
}


def draw(
    kind: str, n: int, rng: np.random.Generator, mix: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(size=(n, 6)) @ mix
    return x, x + CHANGE * KINDS[kind](rng, n) * rng.normal(size=x.shape)


def population(kind: str, mix: np.ndarray) -> float:
    """CKA from the moments of two million rows."""
    rng, xx, xy, yy = np.random.default_rng(99), 0, 0, 0
    for _ in range(20):
        x, y = draw(kind, 100_000, rng, mix)
        xx, xy, yy = xx + x.T @ x, xy + x.T @ y, yy + y.T @ y
    norms = np.linalg.norm(xx) * np.linalg.norm(yy)
    return float(np.linalg.norm(xy) ** 2 / norms)


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--kinds", default=",".join(KINDS))
    options = parser.parse_args()
    mix = np.random.default_rng(5).normal(size=(6, 10))
    for kind in options.kinds.split(","):
        truth = population(kind, mix)
        for n in (60, 150, 500):
            rng, rows = np.random.default_rng(1), []
            for _ in range(options.runs):
                x, y = draw(kind, n, rng, mix)
                found = sim.compare({"x": x, "y": y}, "cka", permutations=0)
                rows += [row for row in found.rows if row.low is not None]
            covered = sum(row.low <= truth <= row.high for row in rows)
            far = sum(row.low < 0.5 for row in rows)
            print(
                f"{kind:<10} n {n:<4} 1 - CKA {1 - truth:.2g}: {covered} of "
                f"{len(rows)} cover, {far} reach below 0.5",
                flush=True,
            )


if __name__ == "__main__":
    main()
