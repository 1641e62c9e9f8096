"""A summary of the layers of a model: names, kinds, shapes and sizes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._data._batches import as_data
from ._layers._outputs import describe_parts
from ._models._find import as_model
from ._models._interface import Model


@dataclass(frozen=True)
class LayerSummary:
    """One layer, or one call and part of its output.

    Attributes
    ----------
    name
        The name that `extract` takes.
    kind
        Class of the module, or operation of the ONNX node.
    parameters
        Number of weights of the layer and everything inside it.
    shape
        Shape of one sample; None if the layer gave no tensor, or without data.
    auto
        Whether ``layers="auto"`` chooses it.
    """

    name: str
    kind: str
    parameters: int
    shape: tuple[int, ...] | None
    auto: bool

    @property
    def values(self) -> int | None:
        """The number of values of one sample."""
        return None if self.shape is None else math.prod(self.shape)


def summarize_layers(model: Any, data: Any = None) -> list[LayerSummary]:
    """All layers of a model in running order, then those that did not run.

    Without data, layers are listed as they are registered. A container follows its
    parts.

    Parameters
    ----------
    model
        As for `extract`.
    data
        As for `extract`; one batch of it gives the shapes. None: no shapes.

    Examples
    --------
    >>> import torch
    >>> net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU())
    >>> for layer in summarize_layers(net, torch.zeros(2, 8)):
    ...     print(repr(layer.name), layer.kind, layer.parameters, layer.shape)
    '0' Linear 144 (16,)
    '1' ReLU 0 (16,)
    '' Sequential 144 (16,)
    """
    subject = as_model(model)
    names = _containers_last(subject)
    chosen = set(subject.auto())
    shapes = {} if data is None else _shapes(subject, names, data)
    ran = {name for name, _ in shapes}
    rest = {(name, name): None for name in names if name not in ran}
    return [
        LayerSummary(label, *subject.describe(name), shape, name in chosen)
        for (name, label), shape in (shapes | rest).items()
    ]


def _containers_last(model: Model) -> list[str]:
    """The layers as they are registered, each after its parts."""
    names, _ = model.layers()
    if model.is_graph:
        return names
    place = {name: number for number, name in enumerate(names)}

    def path(name: str) -> list[float]:
        ends = [i for i, mark in enumerate(f"{name}.") if mark == "." and name]
        return [*(place.get(name[:end], place[name]) for end in ends), math.inf]

    return sorted(names, key=path)


def _shapes(
    model: Model, names: Sequence[str], data: Any
) -> dict[tuple[str, str], tuple[int, ...] | None]:
    """Shapes by layer and label, in running order."""
    batches = as_data(data, batch_size=2, mask=None, model=model)
    first = next(batches.read(0))
    batch = first.take([i % first.size for i in range(2)])
    seen: dict[tuple[str, int], dict[str, Any]] = {}

    def sink(name: str, call: int, output: Any) -> None:
        seen[name, call] = {
            path: part.shape
            for path, part in describe_parts(output).items()
            if part.shape is not None
        }

    with model.session(names, None) as session:
        session.run(batch.args, batch.kwargs, sink)
    found: dict[tuple[str, str], tuple[int, ...] | None] = {}
    for (name, call), parts in seen.items():
        label = f"{name}:{call}" if (name, 2) in seen else name
        for path, shape in parts.items():
            found[name, f"{label}{path}"] = _sample(shape)
    return found


def _sample(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape without the batch of two samples, the first axis if possible."""
    axis = shape.index(2) if 2 in shape else None
    return tuple(n for i, n in enumerate(shape) if i != axis)
