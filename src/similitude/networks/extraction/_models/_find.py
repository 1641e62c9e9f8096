"""Models of any kind behind one interface."""

from typing import Any

from ....errors import InvalidInput
from ._interface import Model
from ._onnx import OnnxModel
from ._torch_model import TorchModel


def as_model(model: Any) -> Model:
    """A PyTorch module or an ONNX model, behind one interface."""
    if isinstance(model, OnnxModel | TorchModel):
        return model
    if hasattr(model, "named_modules") and hasattr(model, "state_dict"):
        return TorchModel(model)
    raise InvalidInput(
        f"model must be a PyTorch module or an OnnxModel; got {type(model).__name__}."
    )
