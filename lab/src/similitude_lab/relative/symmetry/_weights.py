"""Intertwiners that change the weights of a torch network but not its function."""

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from similitude.errors import InvalidInput, require
from similitude.plugins import Rng, as_seed

from ._intertwiners import Intertwiner, intertwiner
from ._layers import Hidden, hidden_layers

if TYPE_CHECKING:
    from torch import nn


def sample_elements(
    network: "nn.Module", *, rng: Rng, spread: float = 4.0
) -> dict[str, np.ndarray]:
    """Draw a random intertwiner for each hidden activation of a network, by name.

    `spread` bounds the scales, for activations that allow scales.
    """
    seeds = as_seed(rng).spawn(len(found := hidden_layers(network)))
    return {
        h.name: h.group.sample(h.width, seed, spread=spread)
        for h, seed in zip(found, seeds, strict=True)
    }


def act_on_weights(network: "nn.Module", elements: Mapping[str, Any]) -> "nn.Module":
    r"""Copy a network with different weights that compute the same function.

    .. math:: (A_1 W_1, A_1 b_1, A_2 W_2 \phi(A_1)^{-1}, A_2 b_2, \dots)

    The activations of hidden layer m are multiplied by :math:`\phi_\sigma(A_m)`. The
    two networks have equal outputs, and their representations differ by a known
    symmetry.

    Parameters
    ----------
    network
        A chain of Linear and Conv layers, activations, batch norms, pooling, Dropout
        and Flatten: a torch ``Sequential`` (may be nested), or any module that
        torch.fx can trace. In a convolution the matrix mixes channels.
    elements
        Name of a hidden activation -> matrix in its group. The name is that of the
        layer, or the name that torch.fx gives to a function. Other activations stay
        unchanged. `sample_elements` draws a matrix for every name.

    Raises
    ------
    InvalidInput
        If the activation, a max-pooling or a batch norm does not commute with the
        matrix; if the network has layers of other kinds.

    References
    ----------
    godfrey2022symmetries

    Examples
    --------
    >>> import torch
    >>> net = torch.nn.Sequential(
    ...     torch.nn.Linear(1, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1)
    ... )
    >>> twin = act_on_weights(net, {"1": [[0.0, 2.0], [3.0, 0.0]]})
    >>> x = torch.randn(5, 1)
    >>> bool(((twin(x) - net(x)).abs() < 1e-5).all())
    True
    """
    torch = require("torch", feature="act_on_weights", extra="torch")
    twin: Any = copy.deepcopy(network)
    layers = {h.name: h for h in hidden_layers(twin)}
    unknown = [name for name in elements if name not in layers]
    if unknown:
        names = ", ".join(layers) or "none"
        raise InvalidInput(
            f"elements: {unknown[0]!r} is not a hidden activation; the names are: "
            f"{names}."
        )
    with torch.no_grad():
        for name, a in elements.items():
            _act(layers[name], np.asarray(a, dtype=np.float64))
    return twin


def _act(hidden: Hidden, a: np.ndarray) -> None:
    """Multiply by A before the activation and by the inverse of phi(A) after it."""
    if a.shape != (hidden.width, hidden.width):
        raise InvalidInput(
            f"elements[{hidden.name!r}] has shape {a.shape}, but the layer has "
            f"{hidden.width} units; give a matrix of shape "
            f"{hidden.width, hidden.width}."
        )
    if not hidden.group.contains(a):
        raise InvalidInput(
            f"elements[{hidden.name!r}] is not in the intertwiner group of "
            f"{hidden.group.activation}; give a {hidden.group.group} matrix."
        )
    image = hidden.group.phi(a)
    if hidden.max_pooled and not intertwiner("relu").contains(a):
        raise InvalidInput(
            f"elements[{hidden.name!r}] flips signs or mixes channels, which does not "
            f"commute with max-pooling; use positive scales."
        )
    if hidden.norm is not None:
        _through_norm(hidden, a)
    else:
        _multiply(hidden.producer, a, side="out")
    _multiply(hidden.consumer, np.linalg.inv(image), side="in")


def _through_norm(hidden: Hidden, a: np.ndarray) -> None:
    """Permute the batch norm before the activation, and scale its weight and bias."""
    norm = hidden.norm
    monomial = Intertwiner("", "monomial")
    if not monomial.contains(a):
        raise InvalidInput(
            f"elements[{hidden.name!r}] mixes units, which does not commute with the "
            f"batch norm before the activation; use permutations and scales."
        )
    order = np.abs(a).argmax(axis=1)
    scale = a[np.arange(len(a)), order]
    if not norm.affine and (scale != 1).any():
        raise InvalidInput(
            f"elements[{hidden.name!r}] scales units, but the batch norm before the "
            f"activation has no weights to absorb the scale; use a permutation."
        )
    _multiply(hidden.producer, np.eye(len(a))[order], side="out")
    for name in ("running_mean", "running_var"):
        values = getattr(norm, name)
        if values is not None:
            values.copy_(values[order])
    if norm.affine:
        factor = norm.weight.new_tensor(scale)
        norm.weight.copy_(norm.weight[order] * factor)
        norm.bias.copy_(norm.bias[order] * factor)


def _multiply(layer: Any, a: np.ndarray, *, side: str) -> None:
    """Apply A to the outputs of a layer, or to its inputs (grouped by channel)."""
    import torch

    weight = layer.weight.double()
    matrix = torch.as_tensor(a, dtype=torch.float64, device=weight.device)
    if side == "out":
        layer.weight.copy_(torch.tensordot(matrix, weight, dims=1))
        if layer.bias is not None:
            layer.bias.copy_(matrix @ layer.bias.double())
        return
    # After Flatten the columns of one channel are adjacent: channels x positions.
    split = weight.reshape(weight.shape[0], len(a), -1)
    moved = torch.einsum("ocp,cd->odp", split, matrix)
    layer.weight.copy_(moved.reshape(weight.shape))
