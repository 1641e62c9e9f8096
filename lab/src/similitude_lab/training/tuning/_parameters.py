"""Parameter groups for the optimizer: learning rates by layer."""

from collections.abc import Sequence
from typing import Any

from torch import nn

from similitude.errors import InvalidInput

from ._recipe import Recipe


def encoder_layers(encoder: nn.Module) -> list[nn.Module]:
    """List the layers of an encoder from input to output, from its module tree.

    The layers are the encoder's children with weights. Lists and sequences of modules
    are expanded, and so are modules whose weights are all in a single child (a
    transformer's ``encoder.layer``). Any other module is one layer. If the encoder
    does not run in this order, pass its layers explicitly.

    >>> net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1, bias=False))
    >>> for layer in encoder_layers(net):
    ...     print(layer)
    Linear(in_features=2, out_features=3, bias=True)
    Linear(in_features=3, out_features=1, bias=False)
    """
    children = _children_with_weights(encoder)
    if not children:
        return [encoder] if _has_weights(encoder) else []
    return [layer for child in children for layer in _expanded(child)]


def _expanded(module: nn.Module) -> list[nn.Module]:
    children = _children_with_weights(module)
    container = isinstance(module, nn.Sequential | nn.ModuleList | nn.ModuleDict)
    direct_weights = any(True for _ in module.parameters(recurse=False))
    if children and (container or (len(children) == 1 and not direct_weights)):
        return [layer for child in children for layer in _expanded(child)]
    return [module]


def _children_with_weights(module: nn.Module) -> list[nn.Module]:
    return [child for child in module.children() if _has_weights(child)]


def _has_weights(module: nn.Module) -> bool:
    return any(True for _ in module.parameters())


def parameter_groups(
    encoder: nn.Module,
    head: nn.Module,
    recipe: Recipe,
    layers: Sequence[nn.Module] | None = None,
) -> list[dict[str, Any]]:
    r"""Group weights by learning rate and weight decay, for a torch optimizer.

    Layer l of L has the rate :math:`r_{enc} \, q^{L - 1 - l}`, where q is
    ``recipe.layer_decay``; the head has its own rate. Weights of the encoder outside
    all layers (a class token) belong to the lowest layer. Weights with fewer than two
    axes do not decay. Weights that do not require gradients are omitted. Each weight
    appears once.

    Parameters
    ----------
    layers
        Modules from input to output; by default `encoder_layers` of the encoder.

    Examples
    --------
    >>> net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    >>> recipe = Recipe(encoder_rate=1.0, head_rate=9.0, layer_decay=0.5)
    >>> groups = parameter_groups(net, nn.Linear(1, 2), recipe)
    >>> [(g["lr"], g["weight_decay"]) for g in groups]
    [(0.5, 0.01), (0.5, 0.0), (1.0, 0.01), (1.0, 0.0), (9.0, 0.01), (9.0, 0.0)]
    """
    found = encoder_layers(encoder) if layers is None else list(layers)
    layer_of = {id(weight): 0 for weight in encoder.parameters()}
    for number, layer in enumerate(found):
        for weight in layer.parameters():
            if id(weight) not in layer_of:
                raise InvalidInput(
                    f"layers: number {number} has weights that are not in the encoder; "
                    f"give modules of the encoder."
                )
            layer_of[id(weight)] = number
    top = max(1, len(found)) - 1
    rates = [
        (
            weight,
            recipe.encoder_rate * recipe.layer_decay ** (top - layer_of[id(weight)]),
        )
        for weight in encoder.parameters()
    ]
    rates += [(weight, recipe.head_rate) for weight in head.parameters()]
    groups: dict[tuple[float, float], list[Any]] = {}
    seen: set[int] = set()
    for weight, rate in rates:
        if weight.requires_grad and id(weight) not in seen:
            seen.add(id(weight))  # the head may share weights with the encoder
            decay = recipe.weight_decay if weight.ndim > 1 else 0.0
            groups.setdefault((rate, decay), []).append(weight)
    return [
        {"params": weights, "lr": rate, "weight_decay": decay}
        for (rate, decay), weights in groups.items()
    ]
