"""A torch network as a chain of layers, in the order of application."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from similitude.errors import InvalidInput, require

if TYPE_CHECKING:
    from torch import nn

# Function or tensor method -> the layer that does the same.
ACTIVATIONS = {
    "relu": "ReLU",
    "leaky_relu": "LeakyReLU",
    "gelu": "GELU",
    "sigmoid": "Sigmoid",
    "silu": "SiLU",
    "softplus": "Softplus",
    "elu": "ELU",
    "tanh": "Tanh",
    "hardtanh": "Hardtanh",
    "sin": "sin",
    "erf": "erf",
    "abs": "abs",
}
_FUNCTIONS = ACTIVATIONS | {
    "flatten": "Flatten",
    "dropout": "Dropout",
    "avg_pool1d": "AvgPool1d",
    "avg_pool2d": "AvgPool2d",
    "adaptive_avg_pool2d": "AdaptiveAvgPool2d",
    "max_pool1d": "MaxPool1d",
    "max_pool2d": "MaxPool2d",
}

_ARGUMENTS = {
    "leaky_relu": ("negative_slope",),
    "hardtanh": ("min_val", "max_val"),
    "flatten": ("start_dim", "end_dim"),
}


@dataclass(frozen=True, eq=False)
class Step:
    """One layer, or one function call."""

    name: str
    kind: str  # class name of the layer
    layer: Any = None
    options: dict[str, Any] = field(default_factory=dict)

    def option(self, name: str, default: float) -> float:
        return float(self.options.get(name, getattr(self.layer, name, default)))


def chain(network: "nn.Module") -> list[Step]:
    """List the steps of a network; each must take only the output of the previous one.

    Nested Sequentials of torch's layers are read directly; torch.fx traces any other
    module.
    """
    nn = require("torch.nn", feature="symmetries of networks", extra="torch")
    if isinstance(network, nn.Sequential):
        steps = _leaves(network, "")
        if all(type(step.layer).__module__.startswith("torch.nn") for step in steps):
            return steps
    if not isinstance(network, nn.Module):
        raise InvalidInput(
            f"network must be a torch module; got {type(network).__name__}."
        )
    return _traced(network)


def _leaves(network: "nn.Sequential", prefix: str) -> list[Step]:
    from torch import nn

    found: list[Step] = []
    # named_children would skip the second use of a layer.
    for name, layer in network._modules.items():
        if isinstance(layer, nn.Sequential):
            found += _leaves(layer, f"{prefix}{name}.")
        else:
            found.append(Step(prefix + name, type(layer).__name__, layer))
    return found


def _traced(network: "nn.Module") -> list[Step]:
    import torch.fx

    try:
        graph = torch.fx.symbolic_trace(network).graph
    except Exception as error:  # forward may raise anything while it is traced
        raise InvalidInput(
            f"network: torch.fx cannot trace {type(network).__name__} ({error}); give "
            f"a Sequential, or a module whose forward is a chain of layers."
        ) from error
    found: list[Step] = []
    before: Any = None
    for node in graph.nodes:
        if node.op in {"placeholder", "output"}:
            if node.op == "placeholder" and before is not None:
                raise InvalidInput(
                    "network has several inputs; give a network with one input."
                )
            before = before if node.op == "output" else node
            continue
        inputs = node.all_input_nodes
        if len(inputs) != 1 or inputs[0] is not before or len(before.users) != 1:
            raise InvalidInput(
                f"{node.name!r} must take only the output of the layer before it; "
                f"branches and skip connections are not supported. (Flatten with "
                f"torch.flatten(x, 1), not with view.)"
            )
        step = _step(node, network)
        if any(step.name == other.name for other in found):  # a layer used twice
            step = replace(step, name=node.name)
        found.append(step)
        before = node
    return found


def _step(node: Any, network: "nn.Module") -> Step:
    if node.op == "call_module":
        layer = network.get_submodule(node.target)
        return Step(node.target, type(layer).__name__, layer)
    target = node.target if isinstance(node.target, str) else node.target.__name__
    if node.op not in {"call_function", "call_method"} or target not in _FUNCTIONS:
        raise InvalidInput(
            f"{node.name!r} ({target}) is not supported: its effect on symmetries is "
            f"not known."
        )
    options = {k: v for k, v in node.kwargs.items() if isinstance(v, int | float)}
    options |= dict(zip(_ARGUMENTS.get(target, ()), node.args[1:], strict=False))
    return Step(node.name, _FUNCTIONS[target], None, options)
