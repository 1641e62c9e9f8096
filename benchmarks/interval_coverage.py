"""Coverage of the confidence intervals that `similitude.compare` prints.

Every case is a population with a true value known in closed form from its covariances.
The engine computes intervals of samples. For the first sample, `similitude.compare` is
run as well and must print the same interval.
"covers" is the coverage of printed intervals. "withheld" is the share of intervals that
are not printed. The standard error of 95 % over 600 runs is 0.9 %. Counts of rare
events are discrete, so their coverage jumps. Differences are computed by
`similitude.stats.difference`.

--only NAME runs cases whose name contains NAME. --quick uses 40 runs per case, to check
that the script runs.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import similitude as sim
from common.harness import command
from similitude import Outputs, Representation, stats
from similitude._seed import as_seed
from similitude.engine._plan import Pairs, plan
from similitude.engine.question._join import common_blocks, join
from similitude.engine.statistics import Resampling, intervals

Draw = Callable[[np.random.Generator], list[Representation]]


@dataclass(frozen=True)
class Case:
    """A name, a measure, its true value in a population, and a sampler."""

    name: str
    measure: sim.Measure
    truth: float
    draw: Draw


@dataclass(frozen=True)
class Population:
    """x = u S, y = (c u + sqrt(1 - c^2) v) T, with u and v of unit variances.

    The columns of u and v have the distribution `law`. With `classes`, u has one mean
    per class. The scales S and T follow `spectrum`. Samples are also rotated and
    shifted, since CKA and R^2 must not change.
    """

    dx: int
    dy: int
    c: float
    law: str = "normal"
    spectrum: str = "flat"
    classes: int = 0

    def scales(self, d: int) -> np.ndarray:
        if self.spectrum == "power":
            return 1.0 / np.arange(1, d + 1)
        scales = np.ones(d)
        scales[: 2 if self.spectrum == "spiked" else 0] = 6.0
        return scales

    @property
    def centers(self) -> np.ndarray:
        rng = np.random.default_rng(1)
        centers = 2 * rng.normal(size=(max(self.classes, 1), max(self.dx, self.dy)))
        return centers - centers.mean(axis=0)

    def _latent(self) -> tuple[np.ndarray, np.ndarray]:
        """The covariance of u, and the divisors of its columns."""
        square = self.centers.T @ self.centers / len(self.centers)
        square += np.eye(len(square))
        deviation = np.sqrt(np.diagonal(square))
        return square / np.outer(deviation, deviation), deviation

    def covariances(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        s, t = self.scales(self.dx), self.scales(self.dy)
        u, _ = self._latent()
        mixed = self.c**2 * u + (1 - self.c**2) * np.eye(len(u))
        xx = u[: self.dx, : self.dx] * np.outer(s, s)
        yy = mixed[: self.dy, : self.dy] * np.outer(t, t)
        return xx, yy, self.c * u[: self.dx, : self.dy] * np.outer(s, t)

    @property
    def cka(self) -> float:
        xx, yy, xy = self.covariances()
        return float(np.sum(xy**2) / np.sqrt(np.sum(xx**2) * np.sum(yy**2)))

    @property
    def explained(self) -> float:
        xx, yy, xy = self.covariances()
        return float(np.trace(xy.T @ np.linalg.solve(xx, xy)) / np.trace(yy))

    def _noise(self, rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        if self.law == "t5":
            return rng.standard_t(5, size=shape) / np.sqrt(5 / 3)
        if self.law == "lognormal":
            e = np.e
            return (rng.lognormal(size=shape) - np.sqrt(e)) / np.sqrt(e * (e - 1))
        return rng.normal(size=shape)

    def draw(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        width = max(self.dx, self.dy)
        u, v = (self._noise(rng, (n, width)) for _ in range(2))
        if self.classes:
            label = rng.integers(self.classes, size=n)
            u = (u + self.centers[label]) / self._latent()[1]
        x = u[:, : self.dx] * self.scales(self.dx)
        y = self.c * u[:, : self.dy] + np.sqrt(1 - self.c**2) * v[:, : self.dy]
        rotation_rng = np.random.default_rng(2)
        square = rotation_rng.normal(size=(self.dx, self.dx))
        rotated = x @ np.linalg.qr(square)[0] + 3.0
        return rotated, y * self.scales(self.dy) - 1.0

    def with_cka(self, target: float) -> "Population":
        """The same population with c chosen to give the target CKA."""
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            below = with_c(self, middle).cka < target
            low, high = (middle, high) if below else (low, middle)
        return with_c(self, 0.0 if target == 0 else high)


def with_c(population: Population, c: float) -> Population:
    fields = {**population.__dict__, "c": c}
    return Population(**fields)


def pair(x: Any, y: Any, blocks: np.ndarray | None = None) -> list[Representation]:
    return [Representation(k, v, blocks=blocks) for k, v in (("x", x), ("y", y))]


def row_sampler(population: Population, n: int) -> Draw:
    return lambda rng: pair(*population.draw(rng, n))


def block_sizes(rng: np.random.Generator, kind: str, count: int) -> np.ndarray:
    if kind == "equal":
        return np.full(count, 10)
    if kind == "unequal":
        return rng.integers(5, 16, size=count)
    return np.clip((4 * rng.pareto(1.2, size=count)).astype(int), 1, 60)


def block_sampler(population: Population, count: int, kind: str, alike: float) -> Draw:
    """Rows of a block share the part `alike` of their variance."""

    def draw(rng: np.random.Generator) -> list[Representation]:
        sizes = block_sizes(rng, kind, count)
        blocks = np.repeat(np.arange(count), sizes)
        common = population.draw(rng, count)
        own = population.draw(rng, len(blocks))
        a, b = np.sqrt(alike), np.sqrt(1 - alike)
        x, y = (a * s[blocks] + b * o for s, o in zip(common, own, strict=True))
        return pair(x, y, blocks)

    return draw


def label_sampler(n: int, rate: float) -> Draw:
    def draw(rng: np.random.Generator) -> list[Representation]:
        return _label_pair(rng, rng.uniform(size=n) < rate, None)

    return draw


def label_block_sampler(count: int, kind: str, rate: float, alike: float) -> Draw:
    """Each block has its own rate, beta distributed, with intraclass `alike`."""

    def draw(rng: np.random.Generator) -> list[Representation]:
        blocks = np.repeat(np.arange(count), block_sizes(rng, kind, count))
        scale = (1 - alike) / alike
        rates = rng.beta(rate * scale, (1 - rate) * scale, size=count)
        return _label_pair(rng, rng.uniform(size=len(blocks)) < rates[blocks], blocks)

    return draw


def _label_pair(
    rng: np.random.Generator, differ: np.ndarray, blocks: np.ndarray | None
) -> list[Representation]:
    labels = rng.integers(5, size=len(differ))
    other = np.where(differ, (labels + 1) % 5, labels)
    return pair(Outputs(labels=labels), Outputs(labels=other), blocks)


def cka_cases() -> Iterator[Case]:
    measure = sim.CKA()
    for target in (0.0, 0.1, 0.5, 0.9, 0.99):
        for dx, dy, n in ((2, 2, 50), (3, 3, 20), (10, 10, 20), (8, 8, 300)):
            p = Population(dx, dy, 0).with_cka(target)
            name = f"cka {target:g}, d {dx} + {dy}, n {n}"
            yield Case(name, measure, p.cka, row_sampler(p, n))
    for target, n in ((0.0, 40), (0.1, 40), (0.5, 40), (0.5, 200)):
        p = Population(60, 80, 0).with_cka(target)
        yield Case(
            f"cka {target:g}, d 60 + 80, n {n}", measure, p.cka, row_sampler(p, n)
        )
    p = Population(10, 10, 0).with_cka(0.5)
    yield Case("cka 0.5, d 10 + 10, n 1000", measure, p.cka, row_sampler(p, 1000))
    p = Population(5, 5, 1.0)
    yield Case("cka 1, d 5 + 5, n 50, rotated", measure, 1.0, row_sampler(p, 50))
    kinds = (
        {"spectrum": "power"},
        {"spectrum": "spiked"},
        {"classes": 10},
        {"law": "t5"},
        {"law": "lognormal"},
    )
    for kind in kinds:
        for target, n in ((0.0, 100), (0.1, 200), (0.5, 50), (0.5, 200), (0.9, 100)):
            p = Population(20, 20, 0, **kind).with_cka(target)
            word = next(iter(kind.values()))
            word = "10 classes" if word == 10 else word
            name = f"cka {target:g}, d 20 + 20, n {n}, {word}"
            yield Case(name, measure, p.cka, row_sampler(p, n))
    p = Population(5, 8, 0).with_cka(0.5)
    angle = float(np.arccos(p.cka))
    angular = sim.CKA(form="angular")
    yield Case("cka angular, d 5 + 8, n 60", angular, angle, row_sampler(p, 60))
    for count in (20, 40, 80):
        for kind in ("equal", "unequal", "very unequal"):
            for target, alike in ((0.0, 0.9), (0.5, 0.9), (0.5, 0.2)):
                p = Population(5, 5, 0).with_cka(target)
                name = f"cka {target:g}, d 5, {count} {kind} blocks, alike {alike:g}"
                draw = block_sampler(p, count, kind, alike)
                yield Case(name, measure, p.cka, draw)


def regression_cases() -> Iterator[Case]:
    measure = sim.LinearRegression()
    for c in (0.0, 0.3, 0.7, 0.975):
        for dx, dy, n in ((2, 1, 30), (2, 3, 100), (6, 6, 30), (20, 20, 60)):
            p = Population(dx, dy, c)
            name = f"R^2 {p.explained:.2f}, d {dx} + {dy}, n {n}"
            yield Case(name, measure, p.explained, row_sampler(p, n))
    kinds = (
        {"spectrum": "power"},
        {"classes": 10},
        {"law": "t5"},
        {"law": "lognormal"},
    )
    for kind in kinds:
        for n in (60, 200):
            p = Population(12, 12, 0.7, **kind)
            word = next(iter(kind.values()))
            word = "10 classes" if word == 10 else word
            name = f"R^2 {p.explained:.2f}, d 12 + 12, n {n}, {word}"
            yield Case(name, measure, p.explained, row_sampler(p, n))
    for kind in ("equal", "unequal", "very unequal"):
        for c in (0.0, 0.7, 0.975):
            p = Population(5, 5, c)
            name = f"R^2 {p.explained:.2f}, d 5 + 5, 50 {kind} blocks, alike 0.9"
            yield Case(name, measure, p.explained, block_sampler(p, 50, kind, 0.9))


def share_cases() -> Iterator[Case]:
    measure = sim.MEASURES["disagreement"]
    for n in (10, 50, 200, 1000):
        for rate in (0.01, 0.03, 0.1, 0.3, 0.5, 0.9):
            if n * rate >= 1:
                name = f"share {rate:g}, n {n}"
                yield Case(name, measure, rate, label_sampler(n, rate))
    for count in (20, 50, 100):
        for kind in ("equal", "unequal"):
            for rate, alike in ((0.02, 0.1), (0.02, 0.5), (0.2, 0.1), (0.2, 0.5)):
                name = f"share {rate:g}, {count} {kind} blocks, alike {alike:g}"
                draw = label_block_sampler(count, kind, rate, alike)
                yield Case(name, measure, rate, draw)


def printed(case: Case, runs: int) -> dict[str, Any]:
    """Coverage of printed intervals, and the share of withheld intervals."""
    hits = shown = below = 0
    for seed in range(runs):
        reps = join(case.draw(np.random.default_rng(seed)), "exact")
        fields = interval(case.measure, reps, seed)
        if seed == 0:
            row = sim.compare(reps, case.measure, permutations=0, rng=0).rows[0]
            assert (row.low, row.high) == (fields.get("low"), fields.get("high"))
        if "low" not in fields:
            continue
        shown += 1
        hits += fields["low"] <= case.truth <= fields["high"]
        below += case.truth < fields["low"]
    return summary(case.name, case.truth, (hits, below, shown), runs)


def interval(
    measure: sim.Measure, reps: list[Representation], seed: int
) -> dict[str, Any]:
    """The interval fields of `compare`, without its other work."""
    resampling = Resampling(as_seed(seed), reps[0].n, common_blocks(reps))
    job = plan(reps, [measure], Pairs(2), permutations=0).jobs[0]
    p, q = (measure.prepare(reps[i].load(), resampling.seed) for i in (job.a, job.b))
    scored = [(job, float(measure.compare(p, q)))]
    return intervals(measure, reps, scored, resampling)[0][1]


def differences(runs: int) -> Iterator[dict[str, Any]]:
    """s(a, b) - s(a, c) with a common a, for equal and for different similarities."""
    for n, d in ((40, 5), (100, 5), (100, 30), (300, 10)):
        for noise in (1.0, 2.0):
            # b = a + e, c = a + noise f: the CKA of isotropic columns is known.
            truth = 0.5 - 1 / (1 + noise**2)
            hits = below = 0
            for seed in range(runs):
                rng = np.random.default_rng(seed)
                a, e, f = (rng.normal(size=(n, d)) for _ in range(3))
                second = (a, a + noise * f)
                found = stats.difference(sim.CKA(), (a, a + e), second, rng=seed)
                low, high = found.interval.low, found.interval.high
                hits += low <= truth <= high
                below += truth < low
            name = f"difference of cka {truth:.2g}, d {d}, n {n}"
            yield summary(name, truth, (hits, below, runs), runs)


def summary(
    name: str, truth: float, counts: tuple[int, int, int], runs: int
) -> dict[str, Any]:
    hits, below, shown = counts
    return {
        "case": name,
        "truth": round(truth, 4),
        "covers": round(hits / shown, 4) if shown else None,
        "above": round(below / shown, 4) if shown else None,
        "withheld": round(1 - shown / runs, 4),
        "runs": runs,
    }


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--runs", type=int, default=600, help="samples per case")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--quick", action="store_true", help="40 samples per case")
    options = parser.parse_args()
    found = []
    if not options.json:
        print(f"{'case':<54}{'truth':>7}{'covers':>8}{'above':>7}{'withheld':>10}")
    for result in results(40 if options.quick else options.runs, options.only):
        found.append(result)
        if not options.json:
            print(line(result), flush=True)
    if options.json:
        print(json.dumps({"cases": found}, indent=2))


def line(result: dict[str, Any]) -> str:
    covers, above = (
        "-" if result[k] is None else f"{100 * result[k]:.1f}"
        for k in ("covers", "above")
    )
    withheld = f"{100 * result['withheld']:.0f} %"
    name = f"{result['case']:<54}{result['truth']:>7.3f}"
    return f"{name}{covers:>8}{above:>7}{withheld:>10}"


def results(runs: int, only: str) -> Iterator[dict[str, Any]]:
    for cases in (cka_cases, regression_cases, share_cases):
        for case in cases():
            if only in case.name:
                yield printed(case, runs)
    if "difference" in only or not only:
        yield from differences(runs)


if __name__ == "__main__":
    main()
