"""Rows without the means of their classes, and the means."""

from dataclasses import replace

import numpy as np

from .. import _array
from .._validate import Points, points


def class_means(rows: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The mean row of each class 0, 1, ..., in float64."""
    order, counts = np.argsort(classes, kind="stable"), np.bincount(classes)
    starts = np.cumsum(counts) - counts
    sums = np.add.reduceat(rows[order].astype(np.float64), starts, axis=0)
    return sums / counts[:, None]


def without_class_means(x: np.ndarray, classes: np.ndarray) -> Points:
    """The rows of x minus the mean of their class, in the dtype of x.

    A second pass removes the rounding of large means.
    """
    rows = _array.to_numpy(points(x).values)
    wide = rows.astype(np.float64)
    for _ in range(2):
        wide = wide - class_means(wide, classes)[classes]
    return replace(points(wide.astype(rows.dtype)), classes=classes)
