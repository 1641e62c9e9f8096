"""How far two spaces are from being the same up to an isometry and a scale."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _array, _linalg
from ..._validate import pair
from ...errors import Undefined
from ..maps import fit_permutation, fit_procrustes


@dataclass(frozen=True)
class IsometryReport:
    r"""Evidence for or against an isometry up to scale between paired rows.

    Attributes
    ----------
    scale
        :math:`\alpha` that makes `epsilon` smallest.
    epsilon
        :math:`\min_\alpha \max_{ij} |d_y(i, j) - \alpha d_x(i, j)|`, over the mean of
        :math:`d_y`. The spaces are epsilon-similar; 0 means isometric up to scale.
    ratio_quantiles
        5, 50 and 95 % of :math:`d_y / d_x`, over their median.
    ratio_spread
        Standard deviation of :math:`\log(d_y / d_x)`.
    orthogonal
        Residual of the best orthogonal map with scale and shift, over ||y - mean||.
    permutation
        Residual of the best permutation with scale and shift; None for unequal widths.
    gap
        :math:`\|Q - P\|_F / \sqrt{2d}` between those two maps: 0 where the spaces
        differ by a permutation of units, about 1 where units mean nothing in common.
        None for unequal widths.
    coincident
        Pairs at distance 0 in x or in y, which have no ratio.
    """

    scale: float
    epsilon: float
    ratio_quantiles: tuple[float, float, float]
    ratio_spread: float
    orthogonal: float
    permutation: float | None
    gap: float | None
    coincident: int

    def __str__(self) -> str:
        low, _, high = self.ratio_quantiles
        lines = [
            f"epsilon-similar with epsilon = {self.epsilon:.3g} of the mean distance, "
            f"at scale {self.scale:.4g}",
            f"ratios of distances: 90 % within {low:.3g} to {high:.3g} of their median",
            f"left over by the best rotation: {self.orthogonal:.3g} of the spread of y",
        ]
        if self.permutation is not None:
            lines.append(
                f"left over by the best permutation: {self.permutation:.3g}; the two "
                f"maps differ by {self.gap:.3g}"
            )
        return "\n".join(lines)


def isometry_report(x: Any, y: Any) -> IsometryReport:
    r"""Distances of x against those of y, and the best rotation against a permutation.

    Relative representations by cosines or distances rest on one assumption: that two
    encoders differ by an isometry up to scale. This is how well it holds, for rows
    that correspond (the bijection is the order of the rows). All n (n - 1) / 2 pairs
    are looked at.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library.

    References
    ----------
    garciacastellanos2024relative

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(30, 4))
    >>> report = isometry_report(x, 3 * x[:, ::-1] + 1)
    >>> round(report.scale, 9), report.epsilon < 1e-9, report.gap < 1e-9
    (3.0, True, True)
    """
    p, q = pair(x, y)
    if p.n < 3:
        raise Undefined(f"{p.n} rows have no geometry to compare; give 3 or more.")
    dx, dy = (_pairs(side) for side in (p, q))
    scale, epsilon = _chebyshev(dx, dy)
    alive = (dx > 0) & (dy > 0)
    logs = np.log(dy[alive] / dx[alive])
    low, middle, high = np.exp(np.quantile(logs, (0.05, 0.5, 0.95)))
    rotation = fit_procrustes(x, y, translate=True, scale=True)
    permutation = gap = None
    if p.d == q.d:
        plain = fit_procrustes(x, y, translate=True).matrix
        match = fit_permutation(x, y, translate=True)
        permutation = _scaled_residual(match.apply(x), q.values)
        off = _array.to_numpy(plain) - _array.to_numpy(match.matrix)
        gap = float(np.linalg.norm(off) / np.sqrt(2 * p.d))
    return IsometryReport(
        scale=scale,
        epsilon=epsilon / float(dy.mean()),
        ratio_quantiles=(float(low / middle), 1.0, float(high / middle)),
        ratio_spread=float(logs.std()),
        orthogonal=_array.number(rotation.residual(x, y)),
        permutation=permutation,
        gap=gap,
        coincident=int((~alive).sum()),
    )


def _pairs(side: Any) -> np.ndarray:
    rows = _linalg.euclidean_rows(side)
    blocks = _linalg.pair_distances(rows, "euclidean")
    return np.concatenate([_array.to_numpy(block) for block in blocks])


def _chebyshev(dx: np.ndarray, dy: np.ndarray) -> tuple[float, float]:
    """The scale with the smallest largest error, and that error.

    max(dy - a dx) falls with a and max(a dx - dy) rises: the best a is where they
    meet, between the extreme ratios.
    """
    low, high = 0.0, 2.0 * float(dy.max()) / float(dx.max())
    while (high * dx - dy).max() < (dy - high * dx).max():
        high *= 2.0
    for _ in range(60):
        middle = (low + high) / 2.0
        gap = dy - middle * dx
        low, high = (middle, high) if gap.max() > -gap.min() else (low, middle)
    gap = np.abs(dy - high * dx)
    return high, float(gap.max())


def _scaled_residual(fx: Any, y: Any) -> float:
    """||s (f(x) - mean) - (y - mean)|| / ||y - mean|| at the best scale s."""
    a, b = (_array.to_numpy(z).astype(np.float64) for z in (fx, y))
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    scale = max(float((a * b).sum() / (a**2).sum()), 0.0)
    return float(np.linalg.norm(scale * a - b) / np.linalg.norm(b))
