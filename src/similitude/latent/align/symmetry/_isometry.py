"""Deviation of two spaces from an isometry up to scale."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .... import _linalg
from ...._base import _array
from ...._base._validate import pair
from ....errors import Undefined
from ..maps import fit_permutation, fit_procrustes


@dataclass(frozen=True)
class IsometryReport:
    r"""Evidence for or against an isometry up to scale between paired rows.

    Attributes
    ----------
    scale
        :math:`\alpha` that minimizes `epsilon`.
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
        :math:`\|Q - P\|_F / \sqrt{2d}` between those two maps: 0 if the spaces differ
        by a permutation of units, about 1 if units do not correspond. None for
        unequal widths.
    coincident
        Number of pairs at distance 0 in x or in y, whose ratio is undefined.
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
            f"residual of the best rotation: {self.orthogonal:.3g} of the spread of y",
        ]
        if self.permutation is not None:
            lines.append(
                f"residual of the best permutation: {self.permutation:.3g}; the two "
                f"maps differ by {self.gap:.3g}"
            )
        return "\n".join(lines)


def isometry_report(x: Any, y: Any) -> IsometryReport:
    r"""Compare the distances of x and y, and the best rotation with a permutation.

    Relative representations by cosines or distances assume that two encoders differ by
    an isometry up to scale. The report measures how well this holds for paired rows
    (row i of x corresponds to row i of y). It uses all n (n - 1) / 2 pairs.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows are the same n stimuli; arrays of the same library.

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
        raise Undefined(f"x and y have {p.n} rows; give at least 3.")
    dx, dy = (_distances(side) for side in (p, q))
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


def _distances(side: Any) -> np.ndarray:
    rows = _linalg.euclidean_rows(side)
    blocks = _linalg.pair_distances(rows, "euclidean")
    return np.concatenate([_array.to_numpy(block) for block in blocks])


def _chebyshev(dx: np.ndarray, dy: np.ndarray) -> tuple[float, float]:
    """Minimize the largest error over the scale; return the scale and that error.

    max(dy - a dx) decreases in a and max(a dx - dy) increases. The best a is their
    crossing, between the extreme ratios.
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
    """Return ||s (f(x) - mean) - (y - mean)|| / ||y - mean|| at the best scale s."""
    a, b = (_array.to_numpy(z).astype(np.float64) for z in (fx, y))
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    scale = max(float((a * b).sum() / (a**2).sum()), 0.0)
    return float(np.linalg.norm(scale * a - b) / np.linalg.norm(b))
