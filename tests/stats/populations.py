"""Populations with a known value of a measure, and intervals as the engine prints."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from similitude import Measure, Representation, stats
from similitude._base._seed import as_seed
from similitude.engine._plan import Pairs, Plan
from similitude.engine._prepared import Prepared
from similitude.engine.question._join import common_blocks, join
from similitude.engine.statistics import GROUPING, Resampling, intervals
from similitude.errors import Undefined


@dataclass(frozen=True)
class Population:
    """x = u S, y = (c u + sqrt(1 - c^2) v) S'; u and v are white, S_jj = j^-decay."""

    dx: int
    dy: int
    c: float
    decay: float = 0.0
    law: str = "normal"

    @property
    def scales(self) -> tuple[np.ndarray, np.ndarray]:
        return tuple(np.arange(1.0, d + 1) ** -self.decay for d in (self.dx, self.dy))

    @property
    def cka(self) -> float:
        s, t = self.scales
        both = min(self.dx, self.dy)
        shared = self.c**2 * np.sum((s[:both] * t[:both]) ** 2)
        return float(shared / np.sqrt(np.sum(s**4) * np.sum(t**4)))

    @property
    def explained(self) -> float:
        t = self.scales[1]
        return float(self.c**2 * np.sum(t[: self.dx] ** 2) / np.sum(t**2))

    def draw(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        shape = (n, max(self.dx, self.dy))
        if self.law == "t5":
            u, v = (rng.standard_t(5, size=shape) / np.sqrt(5 / 3) for _ in range(2))
        else:
            u, v = (rng.normal(size=shape) for _ in range(2))
        s, t = self.scales
        y = self.c * u + np.sqrt(1 - self.c**2) * v
        return u[:, : self.dx] * s + 3.0, y[:, : self.dy] * t - 1.0

    def in_blocks(
        self, rng: np.random.Generator, sizes: np.ndarray, alike: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw rows that share the fraction `alike` of variance within a block."""
        blocks = np.repeat(np.arange(len(sizes)), sizes)
        common, own = self.draw(rng, len(sizes)), self.draw(rng, len(blocks))
        a, b = np.sqrt(alike), np.sqrt(1 - alike)
        x, y = (a * s[blocks] + b * o for s, o in zip(common, own, strict=True))
        return x, y, blocks


@dataclass(frozen=True)
class LogNormal:
    """x = exp(sigma z A / sqrt 6), y = exp(sigma z B / sqrt 6), z normal of width 6."""

    sigma: float
    d: int
    seed: int = 0

    @property
    def loadings(self) -> tuple[np.ndarray, np.ndarray]:
        a, b = np.random.default_rng(self.seed).normal(size=(2, 6, self.d))
        return self.sigma * a / np.sqrt(6), self.sigma * b / np.sqrt(6)

    def _covariance(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        means = [np.exp(np.sum(side**2, axis=0) / 2) for side in (a, b)]
        return np.outer(*means) * np.expm1(a.T @ b)

    @property
    def cka(self) -> float:
        a, b = self.loadings
        xx, yy, xy = (self._covariance(*s) for s in ((a, a), (b, b), (a, b)))
        return float(np.sum(xy**2) / np.sqrt(np.sum(xx**2) * np.sum(yy**2)))

    @property
    def explained(self) -> float:
        a, b = self.loadings
        xx, yy, xy = (self._covariance(*s) for s in ((a, a), (b, b), (a, b)))
        return float(np.sum(xy * np.linalg.solve(xx, xy)) / np.trace(yy))

    def draw(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        (a, b), z = self.loadings, rng.normal(size=(n, 6))
        return np.exp(z @ a), np.exp(z @ b)


def printed(
    measure: Measure, x: Any, y: Any, blocks: Any = None, seed: int = 0
) -> dict[str, Any]:
    """The interval fields that `compare` gives, computed without its other work."""
    sides = [Representation(k, v, blocks=blocks) for k, v in (("x", x), ("y", y))]
    reps = join(sides, "exact")
    resampling = Resampling(as_seed(seed), reps[0].n, common_blocks(reps))
    job = Plan(reps, [measure], Pairs(2), permutations=0).jobs[0]
    p, q = (measure.prepare(rep.load(), resampling.seed) for rep in reps)
    scored = [(job, float(measure.compare(p, q)))]
    return intervals(Prepared(measure, reps, None), scored, resampling)[0][1]


def quickly(
    measure: Measure, x: np.ndarray, y: np.ndarray, blocks: Any = None, seed: int = 0
) -> dict[str, Any]:
    """A faster `printed` for R^2 and disagreement, from sums over groups.

    `test_simulated_intervals_equal_those_of_compare` checks that it agrees.
    """
    labels = np.arange(len(x)) if blocks is None else blocks
    stream = Resampling(as_seed(seed), len(x), None).stream(GROUPING)
    parts = stats.groups(len(x), stream, blocks)
    counts = [np.unique(labels[part], return_counts=True)[1] for part in parts]
    squares = np.array([np.sum(count**2) for count in counts])
    group_sizes = stats.GroupSizes(np.array([len(part) for part in parts]), squares)
    if measure.name == "disagreement":
        sums, value, many = [np.ones(len(x)), (x != y) * 1.0], _share, 1.0
    else:
        rows = np.column_stack([np.ones(len(x)), x - x.mean(0), y - y.mean(0)])
        sums, value, many = [rows], _r_squared(x.shape[1]), float(x.shape[1])
    totals = [np.stack([v[part].T @ v[part] for part in parts]) for v in sums]
    one = np.array(
        [value(*(t.sum(0) - t[g] for t in totals)) for g in range(len(parts))]
    )
    two = np.array(
        [
            value(*(t.sum(0) - t[g] - t[g + 1] for t in totals))
            for g in range(0, len(parts) - 1, 2)
        ]
    )
    left = stats.JackknifeScores(
        value(*(t.sum(0) for t in totals)), one, two, group_sizes
    )
    try:
        found = stats.interval_of(measure, left, x=many, y=many)
    except Undefined as error:
        return {"details": {"interval": str(error)}}
    return {"low": found.low, "high": found.high, "interval_method": found.method}


def _share(rows: np.ndarray, differ: np.ndarray) -> float:
    return float(differ / rows)


def _r_squared(d: int) -> Any:
    def value(moments: np.ndarray) -> float:
        n, sums = moments[0, 0], moments[0, 1:]
        c = moments[1:, 1:] - np.outer(sums, sums) / n
        explained = np.trace(c[d:, :d] @ np.linalg.solve(c[:d, :d], c[:d, d:]))
        return float(explained / np.trace(c[d:, d:]))

    return value
