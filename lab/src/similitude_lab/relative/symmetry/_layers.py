"""The hidden activations of a network, and the layers before and after each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from similitude.errors import InvalidInput

from ._chain import ACTIVATIONS, Step, chain
from ._intertwiners import Intertwiner, intertwiner

if TYPE_CHECKING:
    from torch import nn

# Class name of a layer -> name of its activation.
_ACTIVATIONS = {"Identity": "identity"}
_ACTIVATIONS |= {layer: name for name, layer in ACTIVATIONS.items()}
_TRANSPARENT = {"Dropout", "Dropout1d", "Dropout2d"}
_MEAN_POOLS = {"AvgPool1d", "AvgPool2d", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d"}
_MAX_POOLS = {"MaxPool1d", "MaxPool2d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d"}
_WEIGHTS = {"Linear", "Conv1d", "Conv2d", "Conv3d"}
_NORMS = {"BatchNorm1d", "BatchNorm2d", "BatchNorm3d"}


@dataclass(frozen=True, eq=False)
class Hidden:
    """An activation between two layers with weights."""

    name: str
    group: Intertwiner
    width: int  # units, or channels
    producer: Any
    norm: Any  # a batch norm between producer and activation, or None
    consumer: Any
    max_pooled: bool  # between producer and consumer


def hidden_layers(network: "nn.Module") -> list[Hidden]:
    """List hidden activations in order; raise for a layer that is not supported."""
    found: list[Hidden] = []
    producer: Any = None
    norm: Any = None
    pending: list[tuple[str, Intertwiner]] = []
    between: set[str] = set()  # kinds of layers since the producer
    seen: set[int] = set()
    for step in chain(network):
        name, kind, layer = step.name, step.kind, step.layer
        if kind in _WEIGHTS:
            if getattr(layer, "groups", 1) != 1:
                raise InvalidInput(
                    f"layer {name!r} is a grouped convolution, which does not mix "
                    f"channels of different groups; give a network without it."
                )
            if id(layer.weight) in seen:
                raise InvalidInput(
                    f"layer {name!r} shares its weights with an earlier layer, so they "
                    f"cannot be changed separately; give it a copy of the weights."
                )
            seen.add(id(layer.weight))
            if len(pending) == 1:
                width = producer.weight.shape[0]
                _check_consumer(producer, between, step)
                pooled = not between.isdisjoint(_MAX_POOLS)
                found.append(Hidden(*pending[0], width, producer, norm, layer, pooled))
            producer, norm, pending, between = layer, None, [], set()
        elif kind in _NORMS:
            if producer is None or pending or norm is not None:
                raise InvalidInput(
                    f"layer {name!r} ({kind}) is not between weights and their "
                    f"activation; a batch norm is only supported there."
                )
            if layer.num_features != producer.weight.shape[0]:
                raise InvalidInput(
                    f"layer {name!r} ({kind}) has {layer.num_features} units, but the "
                    f"weights before it have {producer.weight.shape[0]}; move it "
                    f"directly after these weights."
                )
            norm = layer
        elif kind in _MEAN_POOLS | _MAX_POOLS:
            between.add(kind)
        elif kind == "Flatten":
            _check_flatten(step)
            between.add(kind)
        elif kind in _ACTIVATIONS:
            if producer is not None:
                pending = [*pending, (name, _group(step))]
            if len(pending) > 1:
                raise InvalidInput(
                    f"activations {pending[0][0]!r} and {name!r} have no weights "
                    f"between them; give a network with weights between activations."
                )
        elif kind not in _TRANSPARENT:
            raise InvalidInput(
                f"layer {name!r} ({kind}) is not supported; supported are Linear, "
                f"Conv, batch norms, pooling, Dropout, Flatten and the activations in "
                f"INTERTWINERS."
            )
    return found


def _check_flatten(step: Step) -> None:
    axes = step.option("start_dim", 0), step.option("end_dim", -1)
    if axes != (1, -1):
        raise InvalidInput(
            f"layer {step.name!r} flattens from axis {axes[0]:.0f} to {axes[1]:.0f}; "
            f"flatten from axis 1 to the last, which keeps a channel's columns "
            f"together."
        )


def _check_consumer(producer: Any, between: set[str], step: Step) -> None:
    """Raise unless the inputs of the next weights are the producer's units.

    Channels of a convolution are axis 1, units of a Linear are the last axis. The
    shapes of the weights do not suffice: they may match by chance.
    """
    width, weight = producer.weight.shape[0], step.layer.weight
    flat = "Flatten" in between
    if producer.weight.ndim > 2:
        fits = flat != (weight.ndim > 2) and weight.shape[1] % width == 0
    else:
        # Pooling would pool units, and Flatten would put positions before units.
        pooled = not between.isdisjoint(_MEAN_POOLS | _MAX_POOLS)
        fits = weight.ndim == 2 and not pooled and weight.shape[1] == width
    if not fits:
        raise InvalidInput(
            f"layer {step.name!r} ({step.kind}) does not take the {width} units of the "
            f"weights before it directly; supported are Linear to Linear, convolution "
            f"to convolution, and convolution to Flatten to Linear."
        )


def _group(step: Step) -> Intertwiner:
    name = _ACTIVATIONS[step.kind]
    if step.kind == "LeakyReLU":
        return intertwiner(name, step.option("negative_slope", 0.01))
    low, high = step.option("min_val", -1.0), step.option("max_val", 1.0)
    if step.kind == "Hardtanh" and low != -high:
        raise InvalidInput(
            f"layer {step.name!r}: Hardtanh from {low} to {high} is not odd; use "
            f"limits with min_val = -max_val."
        )
    return intertwiner(name)
