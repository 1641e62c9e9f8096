"""Exact moments of <A, PBP'> over all permutations P of the rows of one side.

A and B are centered Grams: symmetric, with rows that sum to zero. Such a matrix is the
sum of three parts that permutations do not mix::

    A = U + [effects of the diagonal d] + (tr A / (n - 1)) H

Here d is the diagonal minus its mean, and U is hollow (zero on the diagonal) with rows
that sum to zero. For the unbiased estimator A = U. Let u, v be the hollow parts of A
and B, and d, e their diagonals. Then::

    <A, PBP'> = <u, PvP'> + n/(n-2) <d, Pe> + tr A tr B / (n - 1)

The last term is the mean, and the other terms have mean zero. The n! terms of a moment
reduce to a few products of invariants: sums over multigraphs of two or three edges,
where each vertex is an index and each edge an entry. A vertex of degree one sums to
zero. So of three edges only the triple edge and the triangle remain::

    cubes = sum_ij u_ij^3,    triangles = tr u^3

With a diagonal there are also sum d_i u_ij^2, sum d_i u_ij d_j and sum d_i^3.
"""

import math
from dataclasses import dataclass

import numpy as np

from .._base import _array
from ..errors import Undefined
from ._blocks import cross_product
from ._grams import Features, Side
from ._symmetric import panels


@dataclass(frozen=True)
class Invariants:
    """Sums over the entries of a centered Gram that are invariant to permutations."""

    n: int
    trace: float
    square: float  # sum of u_ij^2
    cubes: float  # sum of u_ij^3
    triangles: float  # tr u^3
    diagonal: tuple[float, float] = (0.0, 0.0)  # sums of d_i^2, d_i^3
    mixed: tuple[float, float] = (0.0, 0.0)  # sums of d_i u_ij^2, d_i u_ij d_j
    weight: float | None = None  # of <d, Pe>; None for n / (n - 2), of diagonals


def permutation_moments(
    a: Invariants, b: Invariants, scale: float
) -> tuple[float, float, float]:
    """Mean, variance and skewness of `inner` / scale over permutations of rows."""
    n, kappa = a.n, a.weight
    if kappa is None:
        kappa = n / max(n - 2, 1)
    mean = a.trace * b.trace / (n - 1)
    second = kappa**2 * a.diagonal[0] * b.diagonal[0] / (n - 1)
    third = 0.0
    if n > 2:
        third = kappa**3 * n * a.diagonal[1] * b.diagonal[1] / ((n - 1) * (n - 2))
    if n > 3:
        # The hollow part and the diagonal belong to two irreducible representations of
        # the symmetric group, of dimensions n (n - 3) / 2 and n - 1.
        dimension = n * (n - 3) / 2
        second += a.square * b.square / dimension
        third += 3 * kappa**2 * a.mixed[1] * b.mixed[1] / dimension
        third += _hollow_third(a, b)
    if n > 4:
        weight = 4 * (n - 2) / ((n - 1) * (n - 3) * (n - 4))
        third += 3 * kappa * weight * a.mixed[0] * b.mixed[0]
    mean, variance, third = mean / scale, second / scale**2, third / scale**3
    if variance <= 1e-28:
        raise Undefined(
            "the score is the same for every permutation of rows, so its null "
            "distribution is a single point. Use more stimuli."
        )
    return mean, variance, third / variance**1.5


def _hollow_third(a: Invariants, b: Invariants) -> float:
    """E <u, PvP'>^3, by the number of distinct indices among the six.

    Since rows sum to zero, sums over distinct indices follow from `cubes` s and
    `triangles` t. With three indices: -s for a double edge and an adjacent edge, t for
    the triangle. With four: 2s for a star, 2s for a double edge and a separate edge,
    s - t for a path. With five: 2t - 4s. With six: 16s - 8t. Each sum is multiplied by
    the number of ways to place three edges on its graph, and averaged over all choices
    of that many distinct indices.
    """
    n, s, t = a.n, (a.cubes, b.cubes), (a.triangles, b.triangles)
    ss, tt = s[0] * s[1], t[0] * t[1]
    path = (s[0] - t[0]) * (s[1] - t[1])
    disjoint = (2 * s[0] - t[0]) * (2 * s[1] - t[1])
    sums = {
        2: 4 * ss,
        3: 24 * ss + 8 * tt,
        4: 56 * ss + 24 * path,
        5: 48 * disjoint,
        6: 64 * disjoint,
    }
    return sum(total / math.perm(n, k) for k, total in sums.items() if k <= n)


def invariants(side: Side) -> Invariants:
    """Compute all invariants from one pass over the upper half, except tr u^3."""
    n = side.n
    diagonal = _array.to_numpy(side.diagonal()).astype(np.float64)
    trace = float(np.sum(diagonal))
    d = diagonal - trace / n
    if n < 4:  # a hollow matrix whose rows sum to zero is 0
        powers = (float(np.sum(d**2)), float(np.sum(d**3)))
        return Invariants(n, trace, 0.0, 0.0, 0.0, diagonal=powers)
    hollow = _Hollow(side)
    cubes = 0.0
    of_rows, times_d = np.zeros(n), np.zeros(n)
    for start, stop in panels(n):
        u, height = hollow.panel(start, stop, start), stop - start
        if not side.unbiased:
            times_d[start:stop] += u @ d[start:]
            times_d[stop:] += u[:, height:].T @ d[start:stop]
        squares = u * u
        of_rows[start:stop] += np.sum(squares, axis=1)
        of_rows[stop:] += np.sum(squares[:, height:], axis=0)
        cubes += 2.0 * float(np.vdot(squares, u))  # the diagonal block counts once
        cubes -= float(np.vdot(squares[:, :height], u[:, :height]))
    return Invariants(
        n,
        trace,
        float(np.sum(of_rows)),
        cubes,
        hollow.triangles(of_rows),
        diagonal=(float(np.sum(d**2)), float(np.sum(d**3))),
        mixed=(float(d @ of_rows), float(d @ times_d)),
    )


def hollow_invariants(matrix: np.ndarray) -> Invariants:
    """Invariants of a symmetric hollow matrix whose entries sum to zero.

    The matrix is u_ij + d_i + d_j off the diagonal, with d = row sums / (n - 2). The
    row effects d take the place of a diagonal, because <A, PBP'> is
    ``<u, PvP'> + 2 (n - 2) <d, Pe>``.
    """
    n = matrix.shape[0]
    d = np.sum(matrix, axis=1) / (n - 2)
    u = matrix - d[:, None] - d[None, :]
    np.fill_diagonal(u, 0.0)
    squares = u * u
    of_rows = np.sum(squares, axis=1)
    return Invariants(
        n,
        0.0,
        float(np.sum(of_rows)),
        float(np.vdot(squares, u)),
        float(np.vdot(u @ u, u)),
        diagonal=(float(np.sum(d**2)), float(np.sum(d**3))),
        mixed=(float(d @ of_rows), float(d @ (u @ d))),
        weight=2.0 * (n - 2),
    )


class _Hollow:
    """The hollow part u of a centered Gram, by panels, in numpy.

    For a linear kernel u = VW' off the diagonal; V and W are the rows with two more
    columns for the effects. For other kernels, entries of the Gram are centered here.
    """

    def __init__(self, side: Side) -> None:
        self.side, self.n = side, side.n
        diagonal = side.squares if isinstance(side, Features) else side.diagonal()
        self.diagonal = _array.to_numpy(diagonal).astype(np.float64)
        self.effects = -self.diagonal / (self.n - 2)
        self.constant = np.sum(self.effects) / (self.n - 1)
        if isinstance(side, Features):
            rows, one = _array.to_numpy(side.rows), np.ones((self.n, 1))
            left = (rows, (self.constant - self.effects)[:, None], -one)
            right = (rows, one, self.effects[:, None])
            self.left, self.right = (
                np.concatenate(parts, axis=1, dtype=rows.dtype)
                for parts in (left, right)
            )

    def panel(self, start: int, stop: int, first: int = 0) -> np.ndarray:
        """Rows start..stop of u, columns from `first` on; always a new array."""
        if isinstance(self.side, Features):
            u = cross_product(self.left[start:stop].T, self.right[first:].T)
        else:
            u = np.array(_array.to_numpy(self.side.block(start, stop, first)))
            if not self.side.unbiased:
                u -= self.effects[start:stop, None]
                u -= (self.effects[first:] - self.constant)[None, :]
        rows = np.arange(stop - start)
        u[rows, start - first + rows] = 0.0
        return u

    def triangles(self, of_rows: np.ndarray) -> float:
        """tr u^3; `of_rows` are the sums of u_ij^2 over j."""
        if isinstance(self.side, Features) and self.left.shape[1] < self.n:
            return self._triangles_of_features(of_rows)
        total = 0.0
        for start, stop in panels(self.n):
            rows = self.panel(start, stop)
            for first, last in panels(self.n):
                if first < start:
                    continue
                others = rows if first == start else self.panel(first, last)
                part = float(np.vdot(rows @ others.T, rows[:, first:last]))
                total += part if first == start else 2.0 * part
        return total

    def _triangles_of_features(self, of_rows: np.ndarray) -> float:
        """With m = VW' and u = m - D: tr m^3 - 3 tr m^2 D + 3 tr m D^2 - tr D^3."""
        d = self.diagonal - 2.0 * self.effects + self.constant
        core = self._core()
        cube = float(np.vdot((core @ core).T, core))
        # (m^2)_ii is the sum of u_ij^2 and of D_i^2.
        return cube - 3.0 * float(d @ (of_rows + d * d)) + 2.0 * float(np.sum(d**3))

    def _core(self) -> np.ndarray:
        """W'V; it contains X'X, which is cached."""
        assert isinstance(self.side, Features)
        width = self.side.rows.shape[1]
        core = np.empty((width + 2, width + 2))
        core[:width, :width] = _array.to_numpy(self.side.covariance)
        core[:, width:] = cross_product(self.right, self.left[:, width:])
        core[width:, :width] = cross_product(
            self.right[:, width:], self.left[:, :width]
        )
        return core
