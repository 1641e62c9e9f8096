"""Radial classification: double cones of the plane, the data of the close-dist models.

Labels equal those of the authors, who loop over points; here they are vectorized.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from similitude.errors import InvalidInput
from similitude.plugins import check_at_least

__all__ = ["LabeledPoints", "radial_classification"]


@dataclass(frozen=True, eq=False)
class LabeledPoints:
    """Inputs, one per row, and the class of each."""

    points: np.ndarray  # n x 2, float32
    labels: np.ndarray  # n, int64
    classes: int

    @property
    def counts(self) -> np.ndarray:
        """Number of points in each class."""
        return np.bincount(self.labels, minlength=self.classes)


def radial_classification(
    *,
    classes: int,
    split: Literal["train", "test"] = "train",
    n: int = 20_000,
    seed: int = 0,
    equal_classes: bool = False,
) -> LabeledPoints:
    r"""Gaussian points in the plane, labeled by the double cone that contains them.

    .. math::

        x \sim N(0, 3^2 I_2), \qquad
        y = \min\bigl(\lfloor (\theta \bmod \pi) / (\pi / K) \rfloor, K - 1\bigr)

    where

    - :math:`\theta` is the angle of x, so x and -x are in the same class;
    - K is the number of classes. Labels are noise-free.

    Parameters
    ----------
    classes
        K, at least 2.
    split
        "train": n points drawn with `seed`. "test": n // 10 points drawn with
        ``seed + 1``.
    n, seed
        Size and seed of the training set, for both splits.
    equal_classes
        Keep the same number of points in each class, the size of the rarest class. The
        first points of each class are kept, then shuffled.

    Notes
    -----
    Points are drawn in float64 and stored in float32. Labels are computed from the
    float32 points, as in the code of the authors.

    References
    ----------
    nielsen2025when

    Examples
    --------
    >>> test = radial_classification(classes=4, split="test")
    >>> test.points.shape, test.counts.tolist()
    ((2000, 2), [490, 513, 490, 507])
    """
    check_at_least("classes", classes, 2)
    if split not in {"train", "test"}:
        raise InvalidInput(f"split={split!r}; choose 'train' or 'test'.")
    check_at_least("n", n, 1 if split == "train" else 10)
    if split == "test":
        n, seed = n // 10, seed + 1
    rng = np.random.default_rng(seed)
    points = rng.normal(0, 3, (n, 2)).astype(np.float32)
    labels = _double_cones(points, classes)
    if equal_classes:
        keep = _equal_class_indices(labels, classes)
        rng.shuffle(keep)
        points, labels = points[keep], labels[keep]
    return LabeledPoints(points, labels, classes)


def _double_cones(points: np.ndarray, classes: int) -> np.ndarray:
    x, y = points.astype(np.float64).T
    # The last class includes pi, since an angle just below 0 may be rounded to pi.
    cone = np.floor(np.mod(np.arctan2(y, x), np.pi) / (np.pi / classes))
    return np.minimum(cone, classes - 1).astype(np.int64)


def _equal_class_indices(labels: np.ndarray, classes: int) -> np.ndarray:
    """Indices of the first points of each class, as many as the rarest class has."""
    by_class = [np.flatnonzero(labels == c) for c in range(classes)]
    fewest = min(map(len, by_class))
    return np.concatenate([indices[:fewest] for indices in by_class])
