"""Partners of layers among the tensors of an ONNX graph, by values of a few samples."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import InvalidInput
from ..extraction import LayerOptions, OnnxModel
from ..extraction._data._batches import as_items
from ..extraction._failures import Place
from ..extraction._layers._patterns import ask
from ..extraction._layers._targets import Target
from ..extraction._models._find import as_model
from ..extraction._passes import rows_of_batch
from ..extraction._streaming import ModelRun
from ._sides import shown

_FEW = 8  # samples
_CLEAR = 0.5  # the error of a partner, relative to that across an activation
_ACTIVATIONS = frozenset(
    "Clip Elu Gelu HardSigmoid HardSwish LeakyRelu Mish PRelu Relu Selu Sigmoid "
    "Softplus Tanh".split()
)
_WEIGHTED = frozenset("Conv ConvTranspose Gemm MatMul".split())


@dataclass(frozen=True)
class Partners:
    """Patterns of the model and of the graph, and the tensor of each layer.

    `merged` are layers that the export merged with the normalization after them.
    """

    model_layers: Sequence[str]
    graph_layers: Sequence[str]
    tensors: Mapping[str, str]
    merged: Sequence[str]
    note: str


def is_named(graph: OnnxModel, patterns: str | Sequence[str]) -> bool:
    """Whether a user chose tensors of the graph."""
    with suppress(InvalidInput):
        return patterns != "auto" and bool(ask(patterns, *graph.layers()))
    return False


def partners(
    side: str, model: Any, graph: OnnxModel, data: Any, options: LayerOptions
) -> Partners:
    """The tensor of the graph that has the values of each layer of a model.

    The output of the model belongs to that of the graph. A layer has no partner if its
    values are about as near to those on the other side of an activation.
    """
    subject, asked = as_model(model), options.of(side)
    asked = subject.auto() if asked == "auto" else asked
    asked = [asked] if isinstance(asked, str) else list(asked)
    rows = _rows(subject, data, replace(options, layers=[*asked, ""]))
    tensors = {t.name: x for t, x in _rows(graph, data, replace(options, layers="*"))}
    nodes = {name: node for node in graph.proto.graph.node for name in node.output}
    output = graph.proto.graph.output[0].name
    whole = next((x for target, x in rows if not target.name), None)
    found: dict[str, str] = {}
    words: dict[str, str] = {}
    merged, previous = [], ("", "")
    for target, values in rows:
        layer, kind = shown(target.name), subject.describe(target.module)[0]
        errors = {
            name: float(np.linalg.norm(values - x) / (np.linalg.norm(values) or 1))
            for name, x in tensors.items()
            if x.shape == values.shape
        }
        is_output = whole is not None and values.tobytes() == whole.tobytes()
        best = min(errors, key=lambda name: errors[name], default=output)
        best = output if is_output and output in errors else best
        name, sort = previous
        if kind.startswith("BatchNorm") and sort.startswith(("Conv", "Linear")):
            if nodes[best].op_type in _WEIGHTED:
                merged.append(name)
                found.pop(name, None)
                words[name] = f"{name} is merged with {layer}"
        previous = layer, kind
        across = dict(_across(best, nodes))
        clear = all(
            errors[best] < _CLEAR * errors[other] for other in across if other in errors
        )
        if best not in errors or not (clear or best == output):
            continue
        if target.name or output not in found.values():
            found[layer] = best
            where = ", ".join(dict.fromkeys(across.values()))
            words[layer] = f"{layer} {where}" if where else layer
    if not found:
        raise InvalidInput(
            f"no tensor of {graph.path} has the values of a layer of {side}; name both "
            f"in map, and the tensors in layers."
        )
    count = len(rows[0][1])
    return Partners(
        [*asked, ""] if "output" in found else asked,
        list(dict.fromkeys(found.values())),
        {layer: shown(name) for layer, name in found.items()},
        merged,
        f"Matched by the values of {count} rows: {', '.join(words.values())}.",
    )


def _across(name: str, nodes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Tensors on the other side of an activation, and where this tensor is."""
    own = nodes[name]
    if own.op_type in _ACTIVATIONS:
        yield own.input[0], f"after {own.op_type}"
    for output, node in nodes.items():
        if node.op_type in _ACTIVATIONS and name in node.input:
            yield output, f"before {node.op_type}"


def _rows(
    model: Any, data: Any, options: LayerOptions
) -> list[tuple[Target, np.ndarray]]:
    """The rows of the first samples, of all layers that can be rows."""
    run = ModelRun("", as_model(model), replace(options, lenient=True))
    batch = run.batch(next(iter(as_items(data, _FEW).read())), 0)
    if batch.words is None:
        batch = batch.take(range(min(batch.size, _FEW)))
    place = Place(0, np.arange(batch.size))
    with run.opened(batch):
        rows = rows_of_batch(
            run.model, run.session, batch, run.collector, place, kept=0
        )
    return [(target, rows[target.name]) for target in run.targets]
