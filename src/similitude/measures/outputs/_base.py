"""Correct and incorrect predictions, for measures of outputs."""

from typing import Any

from ... import inputs
from ..._base import _array
from ..._base._array import Array
from ...errors import InvalidInput


def correct_predictions(x: Any, name: str) -> Array:
    """1 for each correct prediction, 0 for each wrong prediction."""
    x = inputs.outputs(x)
    if x.targets is None:
        raise InvalidInput(
            f"{name} needs the true classes; got outputs without targets. Pass "
            f"Outputs(labels=..., targets=...)."
        )
    correct = x.labels == x.targets
    return _array.namespace(correct).astype(correct, _array.wide_dtype(correct))
