"""Metric multidimensional scaling: points in the plane with given distances."""

import numpy as np

from ... import _linalg

__all__ = ["metric_mds"]

RESTARTS = 8
STEPS = 1000
TOLERANCE = 1e-10  # relative decrease of the stress in one step


def metric_mds(
    distances: np.ndarray, seed: int = 0, *, restarts: int = RESTARTS
) -> tuple[np.ndarray, float]:
    r"""Points in the plane, K x 2, and their stress.

    .. math:: \sigma = \Big( \sum_{i<j} (\delta_{ij} - \|z_i - z_j\|)^2 \Big/
              \sum_{i<j} \delta_{ij}^2 \Big)^{1/2}

    where :math:`\delta` are the given distances; pairs with NaN are left out. SMACOF
    (iterated Guttman transforms) starts from classical scaling and `restarts` times
    from random points, and the best result is returned. Its principal axes are the
    coordinate axes.

    Parameters
    ----------
    distances
        A symmetric K x K table.
    seed
        Seed of the random starts.
    restarts
        Number of random starts.

    Returns
    -------
    points
        K x 2.
    stress
        0 if the plane has exactly these distances. Above 0.2 the plane is not faithful.
    """
    known = np.isfinite(distances) & ~np.eye(len(distances), dtype=bool)
    target = np.where(known, distances, 0.0)
    generator = np.random.default_rng(seed)
    scale = np.sqrt(np.mean(target[known] ** 2)) or 1.0
    starts = [_classical(distances, known)]
    starts += [scale * generator.normal(size=(len(target), 2)) for _ in range(restarts)]
    found = [_smacof(target, known, start) for start in starts]
    points, stress = min(found, key=lambda one: one[1])
    points = points - points.mean(axis=0)
    points = points @ np.linalg.svd(points, full_matrices=False)[2].T
    largest = points[np.abs(points).argmax(axis=0), [0, 1]]
    return points * np.where(largest < 0, -1.0, 1.0), stress


def _classical(distances: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Coordinates from the eigenvectors of the centered squared distances."""
    squares = np.where(known, distances, np.mean(distances[known])) ** 2
    np.fill_diagonal(squares, 0.0)
    means = squares.mean(axis=0)
    centered = -0.5 * (squares - means - means[:, None] + means.mean())
    values, vectors = np.linalg.eigh(centered)
    return vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0))


def _smacof(
    target: np.ndarray, known: np.ndarray, points: np.ndarray
) -> tuple[np.ndarray, float]:
    weights = known.astype(float)
    inverse = _linalg.pinv(np.diag(weights.sum(axis=0)) - weights)
    total = np.sum(target**2) or 1.0
    last = np.inf
    for _ in range(STEPS):
        apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
        stress = np.sum((target - apart)[known] ** 2) / total
        if last - stress <= TOLERANCE * stress:
            break
        last = stress
        ratio = np.divide(target, apart, out=np.zeros_like(target), where=apart > 0)
        guttman = np.diag(ratio.sum(axis=0)) - ratio
        points = inverse @ guttman @ points
    return points, float(np.sqrt(stress))
