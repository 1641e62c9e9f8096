"""What measures of outputs share: which predictions are right."""

from typing import Any

from ... import _array, inputs
from ..._array import Array
from ...errors import InvalidInput


def right(x: Any, name: str) -> Array:
    """1 where a prediction is right, 0 where it is wrong."""
    x = inputs.outputs(x)
    if x.targets is None:
        raise InvalidInput(
            f"{name} asks what is right: give the true classes, "
            f"Outputs(labels=..., targets=...)."
        )
    correct = x.labels == x.targets
    return _array.namespace(correct).astype(correct, _array.wide_dtype(correct))
