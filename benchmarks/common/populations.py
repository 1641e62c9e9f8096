"""Populations with known covariances, from which samples of rows can be drawn.

CKA and R^2 depend on the population only through its covariances, so their true values
are known. All populations have `covariances()`, which returns those of x, of y, and
between x and y, and `draw(rng, n)`, which returns n rows of x and of y.
"""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

Rows = tuple[np.ndarray, np.ndarray]
Covariances = tuple[np.ndarray, np.ndarray, np.ndarray]


class Population(Protocol):
    """Anything with known covariances and rows to draw."""

    def covariances(self) -> Covariances: ...

    def draw(self, rng: np.random.Generator, n: int) -> Rows: ...


def cka_of(population: Population) -> float:
    """The true linear CKA."""
    xx, yy, xy = population.covariances()
    return float(np.sum(xy**2) / np.sqrt(np.sum(xx**2) * np.sum(yy**2)))


def explained_by(population: Population) -> float:
    """The true R^2 of y given x, by the directions of x that vary."""
    xx, yy, xy = population.covariances()
    fit = np.linalg.pinv(xx, rcond=1e-10, hermitian=True) @ xy
    return float(np.sum(xy * fit) / np.trace(yy))


@dataclass(frozen=True)
class Columns:
    """x = u S, y = (c u + sqrt(1 - c^2) v) T, with u and v of unit variances.

    The columns of u and v are independent and have the distribution `law`. With
    `classes`, u has one mean per class. The scales S and T follow `spectrum`. Samples
    are also rotated and shifted, since CKA and R^2 must not change.
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

    def covariances(self) -> Covariances:
        s, t = self.scales(self.dx), self.scales(self.dy)
        u, _ = self._latent()
        mixed = self.c**2 * u + (1 - self.c**2) * np.eye(len(u))
        xx = u[: self.dx, : self.dx] * np.outer(s, s)
        yy = mixed[: self.dy, : self.dy] * np.outer(t, t)
        return xx, yy, self.c * u[: self.dx, : self.dy] * np.outer(s, t)

    def _noise(self, rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        if self.law == "t5":
            return rng.standard_t(5, size=shape) / np.sqrt(5 / 3)
        if self.law == "lognormal":
            e = np.e
            return (rng.lognormal(size=shape) - np.sqrt(e)) / np.sqrt(e * (e - 1))
        if self.law.startswith("pareto"):
            a = float(self.law.removeprefix("pareto "))
            deviation = np.sqrt(a / ((a - 1) ** 2 * (a - 2)))
            return (rng.pareto(a, size=shape) - 1 / (a - 1)) / deviation
        return rng.normal(size=shape)

    def draw(self, rng: np.random.Generator, n: int) -> Rows:
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

    def with_cka(self, target: float) -> "Columns":
        """The same population with c chosen to give the target CKA."""
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            below = cka_of(replace(self, c=middle)) < target
            low, high = (middle, high) if below else (low, middle)
        return replace(self, c=0.0 if target == 0 else high)


@dataclass(frozen=True)
class LogNormal:
    """x = exp(sigma z A / sqrt q), y = exp(sigma z B / sqrt q), z normal of width q.

    The loadings A and B have normal entries and d columns. A row with a large |z| is
    large in many columns of both sides.
    """

    sigma: float
    d: int = 10
    q: int = 6
    seed: int = 0

    def loadings(self) -> Rows:
        a, b = np.random.default_rng(self.seed).normal(size=(2, self.q, self.d))
        return self.sigma * a / np.sqrt(self.q), self.sigma * b / np.sqrt(self.q)

    def covariances(self) -> Covariances:
        a, b = self.loadings()
        return _of_exponentials(a, a), _of_exponentials(b, b), _of_exponentials(a, b)

    def draw(self, rng: np.random.Generator, n: int) -> Rows:
        (a, b), z = self.loadings(), rng.normal(size=(n, self.q))
        return np.exp(z @ a), np.exp(z @ b)


def _of_exponentials(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The covariances of exp(z a_j) and exp(z b_k)."""
    means = np.exp(np.sum(a**2, axis=0) / 2), np.exp(np.sum(b**2, axis=0) / 2)
    return np.outer(*means) * np.expm1(a.T @ b)


@dataclass(frozen=True)
class CommonScale:
    """Multivariate t: each row of `base` times one random scale for both sides."""

    base: Columns
    degrees: float

    def covariances(self) -> Covariances:
        return self.base.covariances()  # times a constant, which cancels

    def draw(self, rng: np.random.Generator, n: int) -> Rows:
        x, y = self.base.draw(rng, n)
        scale = np.sqrt(self.degrees / rng.chisquare(self.degrees, size=(n, 1)))
        return (x - 3.0) * scale, (y + 1.0) * scale


@dataclass(frozen=True)
class RareClass:
    """Normal rows; a share of them has other means, `distance` away on either side."""

    share: float
    distance: float
    c: float = 0.5
    d: int = 10

    def means(self) -> np.ndarray:
        return self.distance * np.random.default_rng(5).normal(
            size=(2, self.d), scale=self.d**-0.5
        )

    def covariances(self) -> Covariances:
        x, y = self.means()
        between, within = self.share * (1 - self.share), np.eye(self.d)
        return (
            within + between * np.outer(x, x),
            within + between * np.outer(y, y),
            self.c * within + between * np.outer(x, y),
        )

    def draw(self, rng: np.random.Generator, n: int) -> Rows:
        u, e = rng.normal(size=(2, n, self.d))
        v = self.c * u + np.sqrt(1 - self.c**2) * e
        rare = rng.uniform(size=(n, 1)) < self.share
        x, y = self.means()
        return u + rare * x, v + rare * y


@dataclass(frozen=True, eq=False)
class Finite:
    """The rows of two arrays as a whole population; rows are drawn independently."""

    x: np.ndarray
    y: np.ndarray

    def covariances(self) -> Covariances:
        x, y = (side - side.mean(axis=0) for side in (self.x, self.y))
        return x.T @ x / len(x), y.T @ y / len(x), x.T @ y / len(x)

    def draw(self, rng: np.random.Generator, n: int) -> Rows:
        rows = rng.integers(len(self.x), size=n)
        return self.x[rows], self.y[rows]


def rectified(threshold: float = 1.0, size: int = 40_000) -> Finite:
    """Sparse units: normal values above a threshold, from different loadings."""
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=(2, 8, 12), scale=8**-0.5)
    z = rng.normal(size=(size, 8))
    return Finite(np.maximum(z @ a - threshold, 0), np.maximum(z @ b - threshold, 0))


def laplace(size: int = 40_000) -> Finite:
    """Multivariate Laplace rows: normal rows times the root of an exponential value."""
    rng = np.random.default_rng(8)
    x, y = Columns(8, 8, 0.6, spectrum="power").draw(rng, size)
    scale = np.sqrt(rng.exponential(size=(size, 1)))
    return Finite((x - 3.0) * scale, (y + 1.0) * scale)


def contaminated(size: int = 40_000) -> Finite:
    """Normal rows, of which one in ten is four times as large on both sides."""
    rng = np.random.default_rng(9)
    x, y = Columns(8, 8, 0.6).draw(rng, size)
    scale = np.where(rng.uniform(size=(size, 1)) < 0.1, 4.0, 1.0)
    return Finite((x - 3.0) * scale, (y + 1.0) * scale)
