"""Class indices."""

from typing import Any

from .. import _array, _validate
from .._array import Array
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
