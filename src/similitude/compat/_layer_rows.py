"""Rows of the layers of a model, one batch at a time."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .._base import _array
from ..errors import InvalidInput
from ..networks.extraction._layers._outputs import parts_of
from ..networks.extraction._models._torch_model import TorchModel


class LayerRows:
    """Runs a model and returns the outputs of its layers as n x d tensors.

    A layer that runs several times in a pass gives its last output.
    """

    def __init__(self, model: Any, name: str, layers: Sequence[str] | None) -> None:
        self.model, self.name, self.asked = TorchModel(model), name, layers
        names, self._first = self.model.layers()
        unknown = [layer for layer in layers or [] if layer not in self._first]
        if unknown:
            raise InvalidInput(
                f"{name} has no layer {unknown[0]!r}; its layers are "
                f"{', '.join(map(repr, names))}."
            )
        self.names = names if layers is None else list(dict.fromkeys(layers))
        self._session: Any = None

    @contextmanager
    def session(self, device: Any) -> Iterator[None]:
        """Evaluation mode, hooks and the device, until the end of the block."""
        hooked = list(dict.fromkeys(self._first[name] for name in self.names))
        with self.model.session(hooked, device) as self._session:
            yield

    def of(self, inputs: Any) -> dict[str, Any]:
        """Rows by the names of the layers, in their order."""
        found: dict[str, Any] = {}
        size = len(inputs)

        def keep(module: str, call: int, output: Any) -> None:
            found[module] = self._flattened(module, output, size)

        self._session.run([inputs], {}, keep)
        silent = [name for name in self.names if self._first[name] not in found]
        if silent and self.asked is not None:
            raise InvalidInput(
                f"layer {silent[0]!r} of {self.name} gave no output: "
                f"{self.model.why_silent(silent[0])}."
            )
        # Without a list of layers, containers that never run are left out.
        self.names = [name for name in self.names if name not in silent]
        return {name: found[self._first[name]] for name in self.names}

    def _flattened(self, layer: str, output: Any, size: int) -> Any:
        tensors = [part for _, part in parts_of(output) if _array.is_array(part)]
        if len(tensors) != 1 or tensors[0].ndim < 1 or len(tensors[0]) != size:
            shapes = ", ".join(str(tuple(t.shape)) for t in tensors) or "no tensor"
            raise InvalidInput(
                f"layer {layer!r} of {self.name} gives {shapes} for {size} samples; "
                f"name layers that give one tensor with one row per sample "
                f"(model1_layers=, model2_layers=)."
            )
        # Later layers may change this tensor in place.
        return tensors[0].detach().clone().reshape(size, -1)
