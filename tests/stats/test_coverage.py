"""Intervals that are printed cover the truth; those that would not are not printed.

Gaussian populations in which the truth is known in closed form. Seeds are fixed: the
numbers below do not move.
"""

import numpy as np
import pytest

import similitude as sim
from similitude import MEASURES, Measure, stats

SMALL = (4, 6, 8, 1.0)  # shared directions, widths of x and y, noise
WIDE = (10, 20, 30, 3.0)


class Population:
    """x = z A + noise, y = z B + noise, and what a measure would say of all of it."""

    def __init__(self, k: int, dx: int, dy: int, noise: float) -> None:
        rng = np.random.default_rng(5)
        self.a, self.b = rng.normal(size=(k, dx)), rng.normal(size=(k, dy))
        self.noise = noise
        self.xx = self.a.T @ self.a + noise**2 * np.eye(dx)
        self.yy = self.b.T @ self.b + noise**2 * np.eye(dy)
        self.xy = self.a.T @ self.b

    def draw(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        z = rng.normal(size=(n, len(self.a)))
        x = z @ self.a + self.noise * rng.normal(size=(n, self.a.shape[1]))
        y = z @ self.b + self.noise * rng.normal(size=(n, self.b.shape[1]))
        return x, y

    def truth(self, measure: Measure) -> float:
        if measure.name == "cka" and measure.options["kernel"] == "linear":
            square = np.sum(self.xy**2)
            cosine = square / np.sqrt(np.sum(self.xx**2) * np.sum(self.yy**2))
            return np.arccos(cosine) if measure.options["form"] == "angular" else cosine
        if measure.name == "linear_regression":
            explained = np.trace(self.xy.T @ np.linalg.solve(self.xx, self.xy))
            return explained / np.trace(self.yy)
        if measure.name == "procrustes":
            scale = np.sqrt(np.trace(self.xx) * np.trace(self.yy))
            return np.arccos(np.linalg.norm(self.xy, "nuc") / scale)
        raise NotImplementedError(measure.label)


def coverage(
    measure: Measure, population: Population, n: int, runs: int, centre: str = ""
) -> float:
    """How often the interval that the tool would print holds the truth."""
    truth, hits = population.truth(measure), 0
    for seed in range(runs):
        x, y = population.draw(np.random.default_rng(seed), n)
        parts = stats.groups(n, seed)
        kept = [np.setdiff1d(np.arange(n), part) for part in parts]
        found = stats.interval(
            float(measure(x, y)),
            np.array([float(measure(x[rows], y[rows])) for rows in kept]),
            sizes=[len(part) for part in parts],
            centre=centre or stats.covered(measure),
        )
        hits += found.low <= truth <= found.high
    return hits / runs


@pytest.mark.parametrize(
    ("measure", "shape", "n", "runs"),
    [
        (sim.CKA(), SMALL, 100, 300),
        (sim.CKA(), WIDE, 150, 300),
        (sim.CKA(form="angular"), SMALL, 150, 200),
        (sim.LinearRegression(), SMALL, 120, 200),
        (sim.LinearRegression(), WIDE, 200, 200),
    ],
    ids=lambda value: getattr(value, "label", str(value)),
)
def test_printed_intervals_cover(measure, shape, n: int, runs: int) -> None:
    found = coverage(measure, Population(*shape), n, runs)
    assert 0.93 <= found <= 0.99


def test_disagreement_covers() -> None:
    measure, rate, hits, n = MEASURES["disagreement"], 0.2, 0, 200
    assert stats.covered(measure) == "score"
    for seed in range(300):
        rng = np.random.default_rng(seed)
        x = rng.integers(5, size=n)
        y = np.where(rng.uniform(size=n) < rate, (x + 1) % 5, x)
        parts = stats.groups(n, seed)
        left = [float(measure(np.delete(x, p), np.delete(y, p))) for p in parts]
        found = stats.interval(float(measure(x, y)), np.array(left))
        hits += found.low <= rate <= found.high
    assert 0.93 <= hits / 300 <= 0.99


def test_intervals_that_would_fail_are_not_printed() -> None:
    """Procrustes in a wide space: its bias is larger than its error."""
    measure = sim.Procrustes()
    assert coverage(measure, Population(*WIDE), 100, 50, "corrected") < 0.8
    assert stats.covered(measure) is None
    row = sim.compare(
        dict(
            zip(
                "ab", Population(*WIDE).draw(np.random.default_rng(0), 100), strict=True
            )
        ),
        ["procrustes", "mutual_knn"],
        permutations=0,
    ).rows[0]
    assert (row.low, row.high) == (None, None)


def test_only_shown_measures_have_intervals() -> None:
    shown = {name for name, measure in MEASURES.items() if stats.covered(measure)}
    assert shown == {"cka", "linear_regression", "disagreement"}
    assert stats.covered(sim.CKA(estimator="biased")) is None


def test_trap_30_the_bootstrap_does_not_cover() -> None:
    """Rows drawn twice are neighbours: the test of this test."""
    population, n, runs, hits, middles = Population(*WIDE), 100, 40, 0, []
    truth = population.truth(sim.CKA())
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        x, y = population.draw(rng, n)
        drawn = [rng.integers(n, size=n) for _ in range(60)]
        scores = [float(sim.cka(x[rows], y[rows])) for rows in drawn]
        low, high = np.quantile(scores, [0.025, 0.975])
        hits += low <= truth <= high
        middles.append(np.mean(scores))
    assert hits / runs < 0.5
    assert np.mean(middles) > truth + 0.05


def test_blocks_left_out_whole_cover_and_rows_do_not() -> None:
    """Ten rows that are nearly copies are one piece of evidence, not ten."""
    population, hits = Population(*SMALL), {"blocks": 0, "rows": 0}
    truth, count, copies, runs = population.truth(sim.CKA()), 60, 10, 100
    blocks = np.repeat(np.arange(count), copies)
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        x, y = (np.repeat(v, copies, axis=0) for v in population.draw(rng, count))
        x = x + 0.01 * rng.normal(size=x.shape)
        for name, given in (("blocks", blocks), ("rows", None)):
            parts = stats.groups(len(x), seed, given)
            left = [
                float(
                    sim.cka(np.delete(x, p, 0), np.delete(y, p, 0), estimator="biased")
                )
                for p in parts
            ]
            whole = float(sim.cka(x, y, estimator="biased"))
            found = stats.interval(whole, np.array(left), centre="corrected")
            hits[name] += found.low <= truth <= found.high
    assert hits["blocks"] / runs >= 0.9
    assert hits["rows"] / runs < 0.6
