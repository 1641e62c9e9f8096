"""Class indices."""

from dataclasses import replace
from typing import Any

import numpy as np

from .._base import _array, _validate
from .._base._array import Array
from .._base._validate import Points, points
from ..errors import InvalidInput


def class_indices(x: Any, name: str) -> Array:
    """Validate a 1-d array of class indices."""
    x = _validate.dense_array(x, name)
    xp = _array.namespace(x)
    if x.ndim != 1 or not xp.isdtype(x.dtype, ("integral", "bool")) or 0 in x.shape:
        raise InvalidInput(
            f"{name} must be one class index per stimulus, a 1-d integer array; got "
            f"shape {tuple(x.shape)} and dtype {x.dtype}."
        )
    if xp.isdtype(x.dtype, "bool"):
        x = xp.astype(x, xp.__array_namespace_info__().default_dtypes()["integral"])
    if int(xp.min(x)) < 0:
        raise InvalidInput(
            f"{name} has the negative class {int(xp.min(x))}; indices start at 0."
        )
    return x


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
