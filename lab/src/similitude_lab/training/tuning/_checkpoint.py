"""Files of weights and runs. Writing is atomic, and reading does not execute code."""

import hashlib
import io
import json
import warnings
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as serialize
from torch import nn

from similitude.errors import InvalidInput
from similitude.store import read_sealed, write_atomically, write_sealed

from ._network import RelativeNetwork

SCHEMA = 2


def save_weights(network: nn.Module, path: str | Path) -> None:
    """Write all weights and buffers, with anchors and statistics, as safetensors."""
    state = {k: v.detach().cpu().contiguous() for k, v in _unshared(network).items()}
    metadata = {"similitude": _transform_json(network), "sha256": _sha256(state)}
    content = serialize(state, metadata=metadata)
    write_atomically(path, lambda file: file.write(content))


def load_weights(network: nn.Module, path: str | Path) -> None:
    """Load all weights and buffers from a file written by `save_weights`.

    The network must have the architecture and the relative transform of the saved
    one: the same arrays have a different meaning for different transforms.
    """
    path = Path(path)
    if not path.exists():
        raise InvalidInput(f"{path} does not exist; give a file of save_weights().")
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            state = {name: file.get_tensor(name) for name in file.keys()}
    except SafetensorError as error:
        raise InvalidInput(
            f"{path} is not a complete safetensors file: {error}."
        ) from error
    if metadata.get("sha256") != _sha256(state):
        raise InvalidInput(
            f"{path} has changed since it was written, or save_weights() did not write "
            f"it; save the weights again."
        )
    transform = metadata.get("similitude")
    if transform != _transform_json(network):
        raise InvalidInput(
            f"{path} was saved with {transform}, but this network has "
            f"{_transform_json(network)}; create the network with the same transform."
        )
    full = network.state_dict()
    for name, first in _shared_names(network).items():
        if first in state:
            state[name] = state[first]
    if {k: v.shape for k, v in full.items()} != {k: v.shape for k, v in state.items()}:
        raise InvalidInput(
            f"{path} does not match this network: {_difference(full, state)}. Create "
            f"the network with the saved architecture."
        )
    network.load_state_dict(state)


def save_run(path: str | Path, state: dict[str, Any]) -> None:
    content = io.BytesIO()
    torch.save({"schema": SCHEMA, **state}, content)
    write_sealed(path, content.getvalue())


def load_run(path: str | Path) -> dict[str, Any]:
    """Load a checkpoint of `fine_tune`; only tensors and plain values are read."""
    content = read_sealed(path, "delete it to start from the beginning")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns before it raises
            found = torch.load(
                io.BytesIO(content), map_location="cpu", weights_only=True
            )
    except Exception as error:  # damaged files raise any type of error
        raise InvalidInput(
            f"{path} is not a complete checkpoint of fine_tune; delete it to start "
            f"from the beginning."
        ) from error
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema != SCHEMA:
        raise InvalidInput(
            f"{path} has schema {schema!r}, but this version reads schema {SCHEMA}; "
            f"delete it to start from the beginning."
        )
    return found


def _sha256(state: dict[str, torch.Tensor]) -> str:
    """Hash of the names, types, shapes and values of tensors."""
    digest = hashlib.sha256()
    for name in sorted(state):
        values = state[name].contiguous()
        digest.update(f"{name} {values.dtype} {tuple(values.shape)} ".encode())
        digest.update(values.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _transform_json(network: nn.Module) -> str:
    """Return the relative transform as JSON, which defines the meaning of buffers."""
    transform = network.transform if isinstance(network, RelativeNetwork) else None
    if transform is None:
        return "no relative layer"
    return json.dumps(transform.to_json())


def _shared_names(network: nn.Module) -> dict[str, str]:
    """Map the name of a tensor to the first name of the same tensor."""
    first: dict[int, str] = {}
    found = {}
    for name, tensor in network.state_dict(keep_vars=True).items():
        earlier = first.setdefault(id(tensor), name)
        if earlier != name:
            found[name] = earlier
    return found


def _unshared(network: nn.Module) -> dict[str, Any]:
    shared = _shared_names(network)
    return {k: v for k, v in network.state_dict().items() if k not in shared}


def _difference(expected: dict[str, Any], found: dict[str, Any]) -> str:
    for name in expected:
        if name not in found:
            return f"{name} is missing in the file"
        if expected[name].shape != found[name].shape:
            return (
                f"{name} has shape {tuple(found[name].shape)} in the file and "
                f"{tuple(expected[name].shape)} in the network"
            )
    extra = next(name for name in found if name not in expected)
    return f"{extra} is only in the file"
