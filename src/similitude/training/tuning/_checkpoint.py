"""Files of weights and of runs: whole or absent, and read without running code."""

import json
import pickle
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as serialised
from torch import nn

from ...errors import InvalidInput
from ...store._atomic import write_atomically
from ._network import RelativeNetwork

SCHEMA = 1


def save_weights(network: nn.Module, path: str | Path) -> None:
    """Write all weights and buffers, anchors and statistics included: safetensors."""
    state = {k: v.detach().cpu().contiguous() for k, v in _unshared(network).items()}
    content = serialised(state, metadata={"similitude": _about(network)})
    write_atomically(path, lambda file: file.write(content))


def load_weights(network: nn.Module, path: str | Path) -> None:
    """Take all weights and buffers from a file that `save_weights` wrote.

    The network must be made like the one that was saved, also its relative
    transform: the same arrays mean different things to different transforms.
    """
    path = Path(path)
    if not path.exists():
        raise InvalidInput(f"{path} does not exist; give a file of save_weights().")
    try:
        with safe_open(path, framework="pt") as file:
            about = (file.metadata() or {}).get("similitude")
            state = {name: file.get_tensor(name) for name in file.keys()}
    except SafetensorError as error:
        raise InvalidInput(f"{path} is no whole safetensors file: {error}.") from error
    if about is not None and about != _about(network):
        raise InvalidInput(
            f"{path} was saved with {about} and this network has {_about(network)}; "
            f"make the network with the same transform."
        )
    full = network.state_dict()
    for name, twin in _twins(network).items():
        if twin in state:
            state[name] = state[twin]
    if {k: v.shape for k, v in full.items()} != {k: v.shape for k, v in state.items()}:
        raise InvalidInput(
            f"{path} does not fit this network: {_difference(full, state)}."
        )
    network.load_state_dict(state)


def save_run(path: str | Path, state: dict[str, Any]) -> None:
    write_atomically(path, lambda file: torch.save({"schema": SCHEMA, **state}, file))


def load_run(path: str | Path) -> dict[str, Any]:
    """A checkpoint of `fine_tune`; only tensors and plain values are read."""
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError) as error:
        raise InvalidInput(
            f"{path} is no whole checkpoint of fine_tune; delete it to start anew."
        ) from error
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema != SCHEMA:
        raise InvalidInput(
            f"{path} has schema {schema!r} and this version reads {SCHEMA}; delete it "
            f"to start anew."
        )
    return found


def _about(network: nn.Module) -> str:
    """What the arrays of relative layers mean."""
    transform = network.transform if isinstance(network, RelativeNetwork) else None
    if transform is None:
        return "no relative layer"
    return json.dumps(transform.to_json())


def _twins(network: nn.Module) -> dict[str, str]:
    """Names that share their memory with an earlier one -> that one."""
    first: dict[int, str] = {}
    found = {}
    for name, tensor in network.state_dict(keep_vars=True).items():
        earlier = first.setdefault(id(tensor), name)
        if earlier != name:
            found[name] = earlier
    return found


def _unshared(network: nn.Module) -> dict[str, Any]:
    twins = _twins(network)
    return {k: v for k, v in network.state_dict().items() if k not in twins}


def _difference(mine: dict[str, Any], other: dict[str, Any]) -> str:
    for name in mine:
        if name not in other:
            return f"{name} is missing in the file"
        if mine[name].shape != other[name].shape:
            return (
                f"{name} has shape {tuple(other[name].shape)} in the file and "
                f"{tuple(mine[name].shape)} here"
            )
    extra = next(name for name in other if name not in mine)
    return f"{extra} is in the file only"
