"""The cases of `interval_coverage.py`: populations, measures and numbers of rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import similitude as sim
from similitude import Outputs, Representation

from . import digits
from .populations import (
    Columns,
    CommonScale,
    LogNormal,
    Population,
    RareClass,
    cka_of,
    contaminated,
    explained_by,
    laplace,
    rectified,
)

Draw = Callable[[np.random.Generator], list[Representation]]


@dataclass(frozen=True)
class Case:
    """A name, a measure, its true value in a population, and a sampler.

    A true value that takes long to compute is a function without arguments. None means
    the expected score of as many rows: the mean over all draws.
    """

    name: str
    measure: sim.Measure
    value: float | Callable[[], float] | None
    draw: Draw

    @property
    def truth(self) -> float | None:
        return self.value() if callable(self.value) else self.value


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
    measure = sim.measures.CKA()
    for target in (0.0, 0.1, 0.5, 0.9, 0.99):
        for dx, dy, n in ((2, 2, 50), (3, 3, 20), (10, 10, 20), (8, 8, 300)):
            p = Columns(dx, dy, 0).with_cka(target)
            name = f"cka {target:g}, d {dx} + {dy}, n {n}"
            yield Case(name, measure, cka_of(p), row_sampler(p, n))
    for target, n in ((0.0, 40), (0.1, 40), (0.5, 40), (0.5, 200)):
        p = Columns(60, 80, 0).with_cka(target)
        yield Case(
            f"cka {target:g}, d 60 + 80, n {n}", measure, cka_of(p), row_sampler(p, n)
        )
    p = Columns(10, 10, 0).with_cka(0.5)
    yield Case("cka 0.5, d 10 + 10, n 1000", measure, cka_of(p), row_sampler(p, 1000))
    p = Columns(5, 5, 1.0)
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
            p = Columns(20, 20, 0, **kind).with_cka(target)
            word = next(iter(kind.values()))
            word = "10 classes" if word == 10 else word
            name = f"cka {target:g}, d 20 + 20, n {n}, {word}"
            yield Case(name, measure, cka_of(p), row_sampler(p, n))
    p = Columns(5, 8, 0).with_cka(0.5)
    angle = float(np.arccos(cka_of(p)))
    angular = sim.measures.CKA(form="angular")
    yield Case("cka angular, d 5 + 8, n 60", angular, angle, row_sampler(p, 60))
    for count in (20, 40, 80):
        for kind in ("equal", "unequal", "very unequal"):
            for target, alike in ((0.0, 0.9), (0.5, 0.9), (0.5, 0.2)):
                p = Columns(5, 5, 0).with_cka(target)
                name = f"cka {target:g}, d 5, {count} {kind} blocks, alike {alike:g}"
                draw = block_sampler(p, count, kind, alike)
                yield Case(name, measure, cka_of(p), draw)


def regression_cases() -> Iterator[Case]:
    measure = sim.measures.LinearRegression()
    for c in (0.0, 0.3, 0.7, 0.975):
        for dx, dy, n in ((2, 1, 30), (2, 3, 100), (6, 6, 30), (20, 20, 60)):
            p = Columns(dx, dy, c)
            name = f"R^2 {explained_by(p):.2f}, d {dx} + {dy}, n {n}"
            yield Case(name, measure, explained_by(p), row_sampler(p, n))
    kinds = (
        {"spectrum": "power"},
        {"classes": 10},
        {"law": "t5"},
        {"law": "lognormal"},
    )
    for kind in kinds:
        for n in (60, 200):
            p = Columns(12, 12, 0.7, **kind)
            word = next(iter(kind.values()))
            word = "10 classes" if word == 10 else word
            name = f"R^2 {explained_by(p):.2f}, d 12 + 12, n {n}, {word}"
            yield Case(name, measure, explained_by(p), row_sampler(p, n))
    for kind in ("equal", "unequal", "very unequal"):
        for c in (0.0, 0.7, 0.975):
            p = Columns(5, 5, c)
            name = f"R^2 {explained_by(p):.2f}, d 5 + 5, 50 {kind} blocks, alike 0.9"
            yield Case(name, measure, explained_by(p), block_sampler(p, 50, kind, 0.9))


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


def wide_populations() -> Iterator[tuple[str, Population]]:
    """Log-normal, Pareto and t tails, rare classes, and digits networks."""
    for sigma, d, q, seed in (
        (0.8, 10, 6, 0),
        (0.8, 10, 6, 1),
        (0.8, 5, 6, 2),
        (0.8, 20, 6, 3),
        (0.8, 10, 2, 4),
        (0.4, 10, 6, 5),
        (1.2, 10, 6, 6),
    ):
        name = f"log-normal {sigma:g}, d {d}, q {q}, seed {seed}"
        yield name, LogNormal(sigma, d, q, seed)
    for degrees in (3, 5, 10):
        base = Columns(10, 10, 0.7, spectrum="power")
        yield f"t {degrees}, d 10", CommonScale(base, degrees)
    for a in (2.5, 3.5):
        yield f"pareto {a:g}, d 10", Columns(10, 10, 0.7, law=f"pareto {a}")
    for share, distance in ((0.2, 6.0), (0.1, 3.0), (0.05, 6.0)):
        yield f"{share:.0%} far class, d 10", RareClass(share, distance)
    for trained in (True, False):
        for layer in (0, 1):
            word = "trained" if trained else "untrained"
            yield (
                f"digits, layer {layer + 1}, {word}",
                digits.Activations(layer, trained),
            )


def later_populations() -> Iterator[tuple[str, Population]]:
    """Three populations that were added after the intervals were last changed."""
    yield "rectified, d 12", rectified()
    yield "laplace, d 8", laplace()
    yield "contaminated, d 8", contaminated()


def wide_cases() -> Iterator[Case]:
    for name, population in (*wide_populations(), *later_populations()):
        yield from both_measures(name, population)
    for trained in (True, False):
        for n in (150, 600):
            word = "trained" if trained else "untrained"
            name = f"share, digits, {word}, n {n}"
            truth = partial(_disagreement, trained)
            draw = prediction_sampler(n, trained=trained)
            yield Case(name, sim.MEASURES["disagreement"], truth, draw)


def both_measures(name: str, population: Population) -> Iterator[Case]:
    for n in (150, 600):
        draw = row_sampler(population, n)
        cka, explained = partial(cka_of, population), partial(explained_by, population)
        yield Case(f"cka, {name}, n {n}", sim.measures.CKA(), cka, draw)
        yield Case(
            f"R^2, {name}, n {n}", sim.measures.LinearRegression(), explained, draw
        )


def _disagreement(trained: bool) -> float:  # noqa: FBT001
    x, y = digits.predictions(trained=trained)
    return float(np.mean(x != y))


def prediction_sampler(n: int, *, trained: bool) -> Draw:
    def draw(rng: np.random.Generator) -> list[Representation]:
        x, y = digits.predictions(trained=trained)
        rows = rng.integers(len(x), size=n)
        return pair(Outputs(labels=x[rows]), Outputs(labels=y[rows]))

    return draw
